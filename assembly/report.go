package assembly

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
)

// usualBytesPerToken is the estimate before a server has counted anything.
const usualBytesPerToken = 3.6

// estimate gives the tokens of a text of so many bytes. A ratio of zero takes
// usualBytesPerToken.
func estimate(bytes int, bytesPerToken float64) int {
	if bytesPerToken <= 0 {
		bytesPerToken = usualBytesPerToken
	}
	return int(math.Ceil(float64(bytes) / bytesPerToken))
}

// piece is a stretch of rendered text and where it came from. data is true where
// that is not our own fragment but a source of raw bytes.
type piece struct {
	name, source, text string
	data               bool
	raw                int
	rawHash            string
	cut                bool
	note               string
}

// join puts a blank line before every piece but the first; pieces without text
// stay in the list, for the Report, and leave no trace.
func join(pieces []piece) []piece {
	first := true
	for i := range pieces {
		if pieces[i].text == "" {
			continue
		}
		if !first {
			pieces[i].text = "\n\n" + pieces[i].text
		}
		first = false
	}
	return pieces
}

// text is the pieces' texts, one behind the other.
func text(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// part is the piece's entry in the Report.
func (p piece) part(in *Input, stable bool) Part {
	out := Part{
		Name: p.name, Source: p.source, Raw: p.raw, Used: len(p.text),
		Tokens: estimate(len(p.text), in.BytesPerToken), Hash: hash([]byte(p.text)),
		SourceHash: p.rawHash, Cut: p.cut, Note: p.note, Stable: stable,
	}
	if !p.data {
		out.Raw = out.Used
	}
	return out
}

// toolPart is a tool's entry in the Report. Its schema was checked, so it can be
// written.
func toolPart(in *Input, t Tool) Part {
	b, err := toolJSON(t)
	if err != nil {
		panic("assembly: a checked tool cannot be written as JSON: " + err.Error())
	}
	return Part{
		Name: "tool " + t.Name, Raw: len(b), Used: len(b),
		Tokens: estimate(len(b), in.BytesPerToken), Hash: hash(b), Stable: true,
	}
}

// hash is the hex sha-256 of b.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
