package argv

import (
	"slices"
	"strings"
)

// The sound devices that a command may name. ALSA parses such a name further: tee: and
// file: write files, and other kinds take a whole device as their value. So only kinds
// that end at the hardware, or at nothing, fit.
var (
	pcmAlone  = []string{"default", "null", "pulse", "pipewire", "jack", "sysdefault", "dmix", "dsnoop", "hw", "plughw"}
	pcmOfCard = []string{"hw", "plughw", "sysdefault", "default", "front", "rear", "surround21", "surround40", "surround51", "surround71", "iec958", "spdif", "hdmi", "dmix", "dsnoop", "usbstream"}
)

// soundDevice tells whether a word is the name of such a device: hw:1,0,
// sysdefault:CARD=PCH, plughw:CARD=Device,DEV=0.
func soundDevice(text string) bool {
	kind, card, has := strings.Cut(text, ":")
	if !has {
		return slices.Contains(pcmAlone, kind)
	}
	for i := range len(card) {
		if c := card[i]; !alnum(c) && strings.IndexByte("_-=,", c) < 0 {
			return false
		}
	}
	return card != "" && slices.Contains(pcmOfCard, kind)
}
