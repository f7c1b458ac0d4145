package scripted

import (
	"fmt"
	"strings"
)

// head is the ChatML part of the template: tools in the system block, calls and
// results in the history word for word. It counts the results since the
// person's newest message ($done, one dot each) and keeps that message ($ask)
// and the newest result ($got).
const head = `{{- if or .System .Tools }}<|im_start|>system
{{ .System }}
{{- if .Tools }}

# Tools
{{- range .Tools }}
{{ json .Function }}
{{- end }}

For each function call return <tool_call>{"name": <name>, "arguments": <json>}</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- $ask := "" }}{{ $got := "" }}{{ $done := "" }}
{{- range .Messages }}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ $ask = .Content }}{{ $got = "" }}{{ $done = "" }}
{{- else if eq .Role "assistant" }}<|im_start|>assistant
{{ .Content }}{{ if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ json .Function.Arguments }}}
{{ end }}</tool_call>{{ end }}<|im_end|>
{{ else if eq .Role "tool" }}<|im_start|>user
<tool_response>{{ .Content }}</tool_response><|im_end|>
{{ $got = .Content }}{{ $done = print $done "." }}
{{- end }}{{ end }}<|im_start|>assistant
`

// Template writes the chat template whose end picks the line to be spoken.
func Template(script []Scene) string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "{{ $go := %q }}", "")
	for s, scene := range script {
		if s > 0 {
			b.WriteString("{{- else if ")
		} else {
			b.WriteString("{{ if ")
		}
		b.WriteString(begins("$ask", scene.Ask) + " }}")
		writeSteps(&b, s, scene)
	}
	b.WriteString("{{- end }}{{ $go }}")
	return b.String()
}

// writeSteps writes the choice among a scene's lines. A turn that has gone
// further than the scene keeps to the last step.
func writeSteps(b *strings.Builder, s int, scene Scene) {
	for i, step := range scene.Steps {
		fmt.Fprintf(b, "{{- if ge (len $done) %d }}", scene.after(i))
		last := len(step) - 1
		fmt.Fprintf(b, "{{ $go = %q }}", mark(s, i, last))
		if last > 0 {
			// Search the result's beginning, one place after the other; the
			// first line of the step wins, so it is tried last.
			for j := last - 1; j >= 0; j-- {
				writeSearch(b, step[j].When, mark(s, i, j))
			}
		}
		b.WriteString("{{ end }}")
	}
}

// writeSearch sets $go to m when $got holds text within its first Window bytes.
func writeSearch(b *strings.Builder, text, m string) {
	fmt.Fprintf(b, "{{ range $i := %d }}{{ if ge (len $got) $i }}{{ if %s }}{{ $go = %q }}{{ end }}{{ end }}{{ end }}",
		Window, begins("(slice $got $i)", text), m)
}

// begins is the template's condition for "subject begins with text".
func begins(subject, text string) string {
	return fmt.Sprintf("and (ge (len %s) %d) (eq (slice %s 0 %d) %q)", subject, len(text), subject, len(text), text)
}
