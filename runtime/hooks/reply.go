package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hardshell/tools/text"
)

// read takes one JSON object, strictly: no other key, none twice, nothing behind it.
func read(text string, out any) error {
	if !utf8.ValidString(text) {
		return errors.New("it wrote something that is no UTF-8 text")
	}
	if strings.TrimSpace(text) == "" {
		return errors.New(`it wrote nothing; write {} when there is nothing to add`)
	}
	if err := once(json.NewDecoder(strings.NewReader(text))); err != nil {
		return fmt.Errorf("it must write one JSON object and nothing else, on either stream: %w; it wrote: %s", err, head(text))
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return fmt.Errorf("its answer is of another form: %w", err)
	}
	return nil
}

// once walks over one JSON value and refuses what the decoder would take: a key that
// stands twice in an object, and one that is not written as it is known.
func once(d *json.Decoder) error {
	type level struct {
		object bool
		key    bool // a key comes next
		seen   map[string]bool
	}
	var open []level
	for {
		at := d.InputOffset()
		tok, err := d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
		delim, _ := tok.(json.Delim)
		if len(open) == 0 && delim != '{' {
			return errors.New("it begins with something else")
		}
		if n := len(open); n > 0 && open[n-1].object && delim != '}' {
			if top := &open[n-1]; top.key {
				name, _ := tok.(string)
				if top.seen[name] {
					return fmt.Errorf("the key %s at byte %d is there twice", quoted(name), at)
				}
				if name != strings.ToLower(name) {
					return fmt.Errorf("the key %s at byte %d is not in lower case", quoted(name), at)
				}
				top.seen[name], top.key = true, false
				continue
			}
			open[n-1].key = true
		}
		switch delim {
		case '{', '[':
			open = append(open, level{object: delim == '{', key: true, seen: map[string]bool{}})
		case '}', ']':
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			break
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind it")
	}
	return nil
}

// head is the beginning of a text as one harmless line.
func head(s string) string { return text.Excerpt(s, 120) }

// plain refuses text that a prompt can't carry: what a terminal acts on is no words.
func plain(what, s string) error {
	switch {
	case strings.ContainsRune(s, 0):
		return fmt.Errorf("%s holds a zero byte", what)
	case text.Clean(s) != s:
		return fmt.Errorf("%s holds control characters, as for a terminal: write plain text", what)
	}
	return nil
}
