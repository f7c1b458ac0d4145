package command

import (
	"strings"
	"testing"

	"hardshell/tools/toolstest"
)

func TestCase121_BinaryIsCountedAndSampled(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{"\x7fELF\x02\x01\x01\x00", strings.Repeat("\x00\xff", 2044)}
	got := d.Do(t, "exec", `{"argv":["head","-c","4096","/bin/ls"]}`)
	toolstest.Diff(t, "text", got.Text, "binary, 4096 bytes, starting 7f 45 4c 46 02 01 01 00 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff …\n[exit 0, cwd "+d.Dir+"]")
}

func TestCase122_ColourIsStrippedAcrossReads(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{"\x1b[3", "1mRED\x1b[0m\n", "caf\xc3", "\xa9 \xff\n"}
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "text", got.Text, "RED\ncafé \uFFFD\n[exit 0, cwd "+d.Dir+"]\n[1 bytes were no UTF-8 and are shown as \uFFFD]")
	d.Launcher.Writes = []string{"caf\xc3"} // ends within a character
	toolstest.Diff(t, "half a character", d.Do(t, "exec", `{"argv":["true"]}`).Text, "caf\uFFFD\n[exit 0, cwd "+d.Dir+"]\n[1 bytes were no UTF-8 and are shown as \uFFFD]")
	d.Launcher.Writes = nil
	for range 2000 {
		d.Launcher.Writes = append(d.Launcher.Writes, "\x1b[32mgreen line\x1b[0m\n")
	}
	got = d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "cut", got.Cut, "2200 of 22000 bytes and 200 of 2000 lines shown (limit exec.output_lines = 200)")
	if strings.Contains(got.Text, "\x1b") || len(got.Text) > 2500 {
		t.Errorf("%d bytes: %.200q", len(got.Text), got.Text)
	}
}
