package model

import (
	"encoding/json"
	"strings"
)

// taggedForm reads <tool_call>…</tool_call>, once or several times in a row. The
// inner part is JSON or a <function=…>. Only the very last close tag may be
// missing, since a model may stop on it.
func taggedForm(text string) ([]writtenCall, bool) {
	var out []writtenCall
	for text != "" {
		rest, ok := strings.CutPrefix(text, "<tool_call>")
		if !ok {
			return nil, false
		}
		after, calls := element(rest, "</tool_call>")
		if calls == nil {
			return nil, false
		}
		out = append(out, calls...)
		text = strings.TrimSpace(after)
	}
	return out, len(out) > 0
}

// element reads the calls before the first close tag that leaves them whole: a
// close tag may stand within a JSON text as well.
func element(text, closing string) (after string, calls []writtenCall) {
	for from := 0; ; {
		i := strings.Index(text[from:], closing)
		if i < 0 {
			return "", inside(text)
		}
		if calls := inside(text[:from+i]); calls != nil {
			return text[from+i+len(closing):], calls
		}
		from += i + len(closing)
	}
}

// inside reads what stands between call tags.
func inside(text string) []writtenCall {
	text = strings.TrimSpace(text)
	if calls, ok := functionForm(text); ok {
		return calls
	}
	calls, _ := objects(text, false)
	return calls
}

// functionForm reads <function=name>{…}</function> and <function=name> with
// <parameter=x>value</parameter> inside, once or several times.
func functionForm(text string) ([]writtenCall, bool) {
	var out []writtenCall
	for text != "" {
		rest, ok := strings.CutPrefix(text, "<function=")
		if !ok {
			return nil, false
		}
		name, body, ok := strings.Cut(rest, ">")
		name = strings.Trim(name, "\"' ")
		if !ok || !nameLike(name) {
			return nil, false
		}
		readings, after := functionBody(body)
		if readings == nil {
			return nil, false
		}
		out = append(out, writtenCall{name, readings})
		text = strings.TrimSpace(after)
	}
	return out, len(out) > 0
}

// functionBody reads the arguments up to the close tag that leaves them whole.
func functionBody(text string) (readings []json.RawMessage, after string) {
	const closing = "</function>"
	for from := 0; ; {
		i := strings.Index(text[from:], closing)
		end, rest := len(text), ""
		if i >= 0 {
			end, rest = from+i, text[from+i+len(closing):]
		}
		body := strings.TrimSpace(text[:end])
		if body == "" && i < 0 {
			return nil, "" // an open tag alone
		}
		if args, ok := object(json.RawMessage(body), false); ok {
			return []json.RawMessage{args}, rest
		}
		if r := parameterBody(body); r != nil {
			return r, rest
		}
		if i < 0 {
			return nil, ""
		}
		from = end + len(closing)
	}
}

// parameterBody reads a row of <parameter=x>value</parameter>.
func parameterBody(text string) []json.RawMessage {
	const closing = "</parameter>"
	var ps []pair
	for text != "" {
		rest, ok := strings.CutPrefix(text, "<parameter=")
		if !ok {
			return nil
		}
		name, body, ok := strings.Cut(rest, ">")
		name = strings.Trim(name, "\"' ")
		value, after, closed := strings.Cut(body, closing)
		if !ok || !closed || !nameLike(name) {
			return nil
		}
		// The template puts each value on lines of its own.
		value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		ps = append(ps, pair{name, value})
		text = strings.TrimSpace(after)
	}
	return readings(ps)
}

// pair is a parameter whose value has no type in its form.
type pair struct{ name, value string }

// readings gives the arguments with every value a text, with lists and objects
// as such, and with every value as JSON where it is any. The schema decides.
func readings(ps []pair) []json.RawMessage {
	var out []json.RawMessage
	for _, isJSON := range []func(string) bool{
		func(string) bool { return false },
		func(v string) bool { return strings.HasPrefix(v, "[") || strings.HasPrefix(v, "{") },
		func(string) bool { return true },
	} {
		var o ordered
		for _, p := range ps {
			v := strings.TrimSpace(p.value)
			if isJSON(v) && json.Valid([]byte(v)) {
				o.add(p.name, json.RawMessage(v))
				continue
			}
			o.add(p.name, quote(p.value))
		}
		out = append(out, o.raw())
	}
	return out
}

// mistralForm reads [TOOL_CALLS] with a list of calls, and with name{…} or
// name[ARGS]{…} after each mark.
func mistralForm(text string) ([]writtenCall, bool) {
	rest, ok := strings.CutPrefix(text, "[TOOL_CALLS]")
	if !ok {
		return nil, false
	}
	if calls, ok := objects(strings.TrimSpace(rest), false); ok {
		return calls, true
	}
	var out []writtenCall
	for _, one := range strings.Split(rest, "[TOOL_CALLS]") {
		one = strings.TrimSpace(one)
		i := 0
		for i < len(one) && nameByte(one[i]) {
			i++
		}
		args, ok := object(json.RawMessage(strings.TrimSpace(strings.TrimPrefix(one[i:], "[ARGS]"))), true)
		if !ok || !nameLike(one[:i]) {
			return nil, false
		}
		out = append(out, writtenCall{one[:i], []json.RawMessage{args}})
	}
	return out, len(out) > 0
}

// fencedForm reads one fenced block that is the whole text. In a tool_code block
// (Gemma) the calls are Python, elsewhere JSON.
func fencedForm(text string) ([]writtenCall, bool) {
	rest, ok := strings.CutPrefix(text, "```")
	if !ok {
		return nil, false
	}
	lang, body, ok := strings.Cut(rest, "\n")
	if !ok {
		return nil, false
	}
	body, ok = strings.CutSuffix(strings.TrimSpace(body), "```")
	if !ok {
		return nil, false
	}
	body = strings.TrimSpace(body)
	switch strings.TrimSpace(lang) {
	case "tool_code":
		return statements(body)
	case "tool_call", "tool_calls":
		return objects(body, false)
	case "", "json":
		return objects(body, true)
	}
	return nil, false
}

// jsonForm reads bare calls, with or without Llama's mark before them.
func jsonForm(text string) ([]writtenCall, bool) {
	rest, marked := strings.CutPrefix(text, "<|python_tag|>")
	rest = strings.TrimSpace(rest)
	if rest == "" || rest[0] != '{' && rest[0] != '[' {
		return nil, false
	}
	return objects(rest, !marked)
}

// objects reads a call, a list of calls, or calls one after the other, with
// nothing but white space or a semicolon between.
func objects(text string, bare bool) ([]writtenCall, bool) {
	var out []writtenCall
	for text != "" {
		d := json.NewDecoder(strings.NewReader(text))
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return nil, false
		}
		group := []json.RawMessage{raw}
		if raw[0] == '[' {
			if len(out) > 0 || json.Unmarshal(raw, &group) != nil || len(group) == 0 {
				return nil, false
			}
		}
		for _, one := range group {
			w, ok := envelope(one, bare)
			if !ok {
				return nil, false
			}
			out = append(out, w)
		}
		text = strings.TrimSpace(text[d.InputOffset():])
		text = strings.TrimSpace(strings.TrimPrefix(text, ";"))
	}
	return out, len(out) > 0
}

// ordered builds an object whose members keep their order.
type ordered struct{ b strings.Builder }

// add appends a member.
func (o *ordered) add(key string, v json.RawMessage) {
	if o.b.Len() > 0 {
		o.b.WriteByte(',')
	}
	o.b.Write(quote(key))
	o.b.WriteByte(':')
	o.b.Write(v)
}

// raw is the object.
func (o *ordered) raw() json.RawMessage { return json.RawMessage("{" + o.b.String() + "}") }

// quote is a text as JSON; bytes that are no UTF-8 are replaced.
func quote(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // Marshal takes every string
	}
	return b
}
