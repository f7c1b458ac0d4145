package skills

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// front is the front matter as it is written.
type front struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Requires    Needs    `yaml:"requires"`
	Invocable   *bool    `yaml:"user-invocable"`
	NoModel     bool     `yaml:"disable-model-invocation"`
	Tools       []string `yaml:"tools"`
	// Fields that other agents' skills carry; they say nothing here.
	Homepage string `yaml:"homepage"`
	License  string `yaml:"license"`
	Version  string `yaml:"version"`
	Metadata any    `yaml:"metadata"`
}

// validName is what a skill may be called.
var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`) })

// parse reads a SKILL.md. The error names the line of the file.
func parse(data []byte) (Skill, error) {
	text, err := decode(data)
	if err != nil {
		return Skill{}, err
	}
	head, body, err := split(text)
	if err != nil {
		return Skill{}, err
	}
	var f front
	d := yaml.NewDecoder(strings.NewReader(head))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return Skill{}, fmt.Errorf("front matter: %s", shiftLines(err.Error()))
	}
	s := Skill{
		Name: strings.TrimSpace(f.Name), Description: strings.Join(strings.Fields(f.Description), " "),
		Invocable: f.Invocable == nil || *f.Invocable, Listed: !f.NoModel, Needs: f.Requires, Tools: f.Tools, Body: body,
	}
	switch {
	case s.Name == "":
		return Skill{}, errors.New("front matter: line 2: name is missing")
	case !validName().MatchString(s.Name):
		return Skill{}, fmt.Errorf("front matter: name %q may have letters, digits, dot, dash and underscore, at most 64", s.Name)
	case s.Description == "":
		return Skill{}, errors.New("front matter: description is missing: say when to use the skill")
	}
	return s, nil
}

// split parts the front matter from the body. Line ends are \n here.
func split(text string) (head, body string, err error) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", errors.New("line 1: there is no front matter: begin the file with a line of three dashes")
	}
	if body, ok := strings.CutPrefix(rest, "---\n"); ok {
		return "", body, nil
	}
	head, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix(strings.TrimRight(rest, "\n"), "\n---"); !ok {
			return "", "", errors.New("the front matter has no end: close it with a line of three dashes")
		}
	}
	return head + "\n", body, nil
}

// lineNumber finds the line numbers in the parser's messages.
var lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+)`) })

// shiftLines counts lines from the top of the file: the parser saw the text
// below the first line.
func shiftLines(msg string) string {
	msg = strings.TrimPrefix(strings.ReplaceAll(msg, "\n", ";"), "yaml: ")
	return lineNumber().ReplaceAllStringFunc(msg, func(m string) string {
		var n int
		if _, err := fmt.Sscanf(m, "line %d", &n); err != nil {
			return m
		}
		return fmt.Sprintf("line %d", n+1)
	})
}

// decode reads UTF-8 and UTF-16, with or without a byte order mark at the very
// start, and any line ends.
func decode(data []byte) (string, error) {
	var text string
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		text = wide(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		text = wide(data[2:], binary.BigEndian)
	default:
		text = string(bytes.TrimPrefix(data, []byte("\uFEFF")))
		if !utf8.ValidString(text) {
			return "", errors.New("the file is neither UTF-8 nor UTF-16 with a mark: save it as UTF-8")
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), nil
}

// wide decodes UTF-16.
func wide(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}
