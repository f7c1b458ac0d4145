package model

import (
	"fmt"
	"strings"
)

// excerpt is what somebody sent instead of Ollama's form, fit for one line: of a web
// page its words alone.
func excerpt(raw []byte) string {
	const most = 60
	text := string(raw)
	if !isPage(text) {
		return fmt.Sprintf("%q", quoted(text[:min(len(text), most)]))
	}
	words := strings.Join(strings.Fields(pageWords(text)), " ")
	if words == "" {
		return "a web page"
	}
	return fmt.Sprintf("a web page, %q", quoted(words[:min(len(words), most)]))
}

// isPage reports whether a text is HTML.
func isPage(text string) bool {
	low := strings.ToLower(text[:min(len(text), 2048)])
	for _, mark := range []string{"<html", "<!doctype", "<head", "<body", "<title", "<h1", "<center"} {
		if strings.Contains(low, mark) {
			return true
		}
	}
	return false
}

// pageWords is the text of a page up to the first words and their line: what stands in
// tags, scripts and styles is left out.
func pageWords(page string) string {
	var out strings.Builder
	for page != "" && out.Len() < 400 {
		before, after, tag := strings.Cut(page, "<")
		out.WriteString(before)
		if !tag {
			break
		}
		for _, skip := range [][2]string{{"script", "</script"}, {"style", "</style"}, {"!--", "--"}} {
			if len(after) < len(skip[0]) || !strings.EqualFold(after[:len(skip[0])], skip[0]) {
				continue
			}
			rest := after[len(skip[0]):]
			if i := strings.Index(rest, skip[1]); i >= 0 {
				after = rest[i+1:]
			}
		}
		_, page, _ = strings.Cut(after, ">")
		out.WriteByte(' ')
	}
	return out.String()
}
