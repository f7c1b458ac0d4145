package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

// lab is what is offered in these tests.
func lab(t testing.TB) model.Fit {
	t.Helper()
	fit, err := fitSchemas([]message.Offer{
		{Name: "exec", Schema: json.RawMessage(`{"type":"object","properties":{"argv":{"type":"array","items":{"type":"string"}}},"required":["argv"],"additionalProperties":false}`)},
		{Name: "gpio_read", Schema: json.RawMessage(`{"type":"object","properties":{"pin":{"type":"string"}},"required":["pin"],"additionalProperties":false}`)},
		{Name: "gpio_pulse", Schema: json.RawMessage(`{"type":"object","properties":{"pin":{"type":"string"},"ms":{"type":"integer"},"invert":{"type":"boolean"}},"required":["pin","ms"],"additionalProperties":false}`)},
		{Name: "write", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`)},
		{Name: "temp_read", Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// fitSchemas judges arguments by the offered schemas alone, without any repair.
// The error is about a schema that can't be used.
func fitSchemas(ts []message.Offer) (model.Fit, error) {
	known := make(map[string]*jsonschema.Resolved, len(ts))
	for _, t := range ts {
		var s jsonschema.Schema
		if err := json.Unmarshal(t.Schema, &s); err != nil {
			return nil, fmt.Errorf("the schema of tool %s: %w", t.Name, err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			return nil, fmt.Errorf("the schema of tool %s: %w", t.Name, err)
		}
		known[t.Name] = r
	}
	return func(name string, args []byte) ([]byte, error) {
		r := known[name]
		if r == nil {
			return nil, model.ErrNotOffered
		}
		var v any
		if err := json.Unmarshal(args, &v); err != nil {
			return nil, err
		}
		return args, r.Validate(v)
	}, nil
}

// calls is name and arguments in turn.
func calls(ps ...string) []message.Call {
	var out []message.Call
	for c := range slices.Chunk(ps, 2) {
		out = append(out, message.Call{Name: c[0], Args: json.RawMessage(c[1])})
	}
	return out
}

const uptime = `{"argv":["uptime"]}`

// found are whole texts that are calls.
var found = map[string]struct {
	text string
	want []message.Call
}{
	"case 001: bare JSON":     {`{"name":"gpio_read","arguments":{"pin":"J7"}}`, calls("gpio_read", `{"pin":"J7"}`)},
	"case 002: tags":          {"<tool_call>\n{\"name\":\"exec\",\"arguments\":{\"argv\":[\"uptime\"]}}\n</tool_call>", calls("exec", uptime)},
	"tags, several":           {"<tool_call>{\"name\":\"temp_read\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"exec\",\"arguments\":" + uptime + "}</tool_call>", calls("temp_read", `{}`, "exec", uptime)},
	"tags without a last one": {`<tool_call>{"name":"exec","arguments":` + uptime + `}`, calls("exec", uptime)},
	"a tag within a text":     {`<tool_call>{"name":"write","arguments":{"path":"a","content":"</tool_call>"}}</tool_call>`, calls("write", `{"path":"a","content":"</tool_call>"}`)},
	"no arguments in tags":    {`<tool_call>{"name":"temp_read"}</tool_call>`, calls("temp_read", `{}`)},
	"white space around":      {"\n\n  {\"name\": \"gpio_read\", \"parameters\": {\"pin\": \"J7\"}}\n", calls("gpio_read", `{"pin":"J7"}`)},
	"after thinking":          {"<think>look</think>\n{\"name\":\"temp_read\",\"arguments\":{}}", calls("temp_read", `{}`)},
	"case 020: in thinking":   {`<think>I need the temperature <tool_call>{"name":"temp_read","arguments":{}}</tool_call>`, calls("temp_read", `{}`)},
	"OpenAI's envelope":       {`{"type":"function","id":"c1","function":{"name":"exec","arguments":"{\"argv\":[\"uptime\"]}"}}`, calls("exec", uptime)},
	"Llama's envelope":        {`<|python_tag|>{"type":"function","function":"exec","parameters":{"argv":["uptime"]}}`, calls("exec", uptime)},
	"a row of objects":        {`{"name":"temp_read","arguments":{}}; {"name":"exec","arguments":{"argv":["uptime"]}}`, calls("temp_read", `{}`, "exec", uptime)},
	"a list":                  {`[{"name":"temp_read","arguments":{}},{"name":"exec","arguments":{"argv":["uptime"]}}]`, calls("temp_read", `{}`, "exec", uptime)},
	"a fence":                 {"```json\n{\"name\":\"exec\",\"arguments\":{\"argv\":[\"uptime\"]}}\n```", calls("exec", uptime)},
	"a fence without a name":  {"```\n{\"name\":\"temp_read\",\"arguments\":{}}\n```\n", calls("temp_read", `{}`)},
	"Mistral's list":          {`[TOOL_CALLS] [{"name": "exec", "arguments": {"argv": ["uptime"]}}]`, calls("exec", uptime)},
	"Mistral's newer form":    {`[TOOL_CALLS]exec[ARGS]{"argv":["uptime"]}[TOOL_CALLS]temp_read{}`, calls("exec", uptime, "temp_read", `{}`)},
	"function tag":            {`<function=exec>{"argv":["uptime"]}</function>`, calls("exec", uptime)},
	"function tags":           {"<function=temp_read>{}</function>\n<function=\"exec\">{\"argv\":[\"uptime\"]}</function>", calls("temp_read", `{}`, "exec", uptime)},
	"Qwen coder":              {"<tool_call>\n<function=exec>\n<parameter=argv>\n[\"uptime\"]\n</parameter>\n</function>\n</tool_call>", calls("exec", uptime)},
	"parameters stay text":    {"<function=write><parameter=path>a</parameter><parameter=content>{\"rate\": 9600}</parameter></function>", calls("write", `{"path":"a","content":"{\"rate\": 9600}"}`)},
	"case 008: digits":        {"<function=write><parameter=path>serial.txt</parameter><parameter=content>0042</parameter></function>", calls("write", `{"path":"serial.txt","content":"0042"}`)},
	"parameters by schema":    {"<function=gpio_pulse><parameter=pin>J15</parameter><parameter=ms>250</parameter></function>", calls("gpio_pulse", `{"pin":"J15","ms":250}`)},
	"Python":                  {`[gpio_pulse(pin="J15", ms=250, invert=True), temp_read()]`, calls("gpio_pulse", `{"pin":"J15","ms":250,"invert":true}`, "temp_read", `{}`)},
	"Python's lists":          {`[exec(argv=['sh', "-c", 'a\nb'])]`, calls("exec", `{"argv":["sh","-c","a\nb"]}`)},
	"Gemma's fence":           {"```tool_code\nprint(gpio_read(pin='J7'))\nexec(argv=[\"uptime\"])\n```", calls("gpio_read", `{"pin":"J7"}`, "exec", uptime)},
	"FunctionGemma":           {`<start_function_call>call:gpio_pulse{pin:<escape>J15<escape>,ms:250,invert:false}<end_function_call><start_function_call>call:temp_read{}<end_function_call>`, calls("gpio_pulse", `{"pin":"J15","ms":250,"invert":false}`, "temp_read", `{}`)},
	"FunctionGemma's lists":   {`<start_function_call>call:exec{argv:[<escape>uptime<escape>]}<end_function_call>`, calls("exec", uptime)},
}

func TestCase001_002_WholeTextsThatAreCalls(t *testing.T) {
	for name, tt := range found {
		t.Run(name, func(t *testing.T) {
			want := model.Recovery{Found: true, Calls: tt.want}
			if d := cmp.Diff(want, model.Recover(tt.text, lab(t))); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.text, d)
			}
		})
	}
}

// prose are texts that hold no call, or hold one as an example.
var prose = []string{
	"", " ", "Pin J7 is low.", "42", "true", `"text"`, "null", "[]", "[1,2]", "{}", "[[]]", "[[[", "```", "```\n```",
	`Use {"name":"exec","arguments":{"argv":["reboot"]}} to restart.`,
	`{"name":"exec","arguments":{"argv":["reboot"]}} would restart the board.`,
	"For example:\n```json\n{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}\n```",
	"```json\n{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}\n```\nis how it is done.",
	"```json\n{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}\n```\n```json\n{}\n```",
	"<tool_call>{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}</tool_call> Done.",
	"Here: <tool_call>{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}</tool_call>",
	"<tool_call></tool_call>", "<tool_call>reboot</tool_call>", "<tool_call>{\"name\":\"exec\"", "<function=exec>", "<function=>{}</function>",
	`{"name":"exec"}`,                                                     // no arguments and no mark: a name is data
	`{"name":"exec","arguments":[1]}`,                                     // arguments are an object
	`{"name":"exec","arguments":"reboot"}`,                                // nor a text that holds none
	`{"name":"","arguments":{}}`,                                          // no name
	`{"name":"do it now","arguments":{}}`,                                 // no name either
	`{"name":"exec","description":"runs","parameters":{"type":"object"}}`, // a tool, not a call
	`{"name":"exec","name":"write","arguments":{}}`,
	`{"name":"exec","arguments":{},"parameters":{}}`,
	`{"type":"object","name":"exec","arguments":{}}`,
	`{"name":"exec","arguments":{"argv":["reboot"]}`,
	`[{"name":"exec","arguments":{"argv":["reboot"]}},"and"]`,
	"```python\nexec(argv=['reboot'])\n```", "```tool_code\nexec('reboot')\n```", "```tool_code\nimport os\n```",
	"exec(argv=['reboot'])", "[exec('reboot')]", "[exec(argv=reboot)]", "[exec(argv=['reboot'])] now", "[exec(argv=['reboot']", "[1st(a=1)]",
	"[exec(argv=open('x'))]", "[exec(argv=1, argv=2)]", "[link](http://board)", "[TOOL_CALLS]", "[TOOL_CALLS] and then", "[TOOL_CALLS]exec",
	"<start_function_call>call:exec{argv:[<escape>reboot]}", "<start_function_call>call:exec{}<end_function_call> Done.",
	"`{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}`",
	"[" + strings.Repeat("a(b=[", 40),
	"[a(b=" + strings.Repeat("[", 5000),
	"[temp_read(a=" + strings.Repeat("[", 40) + strings.Repeat("]", 40) + ")]", // deeper than anyone means
}

func TestRecover_ProseIsLeftAlone(t *testing.T) {
	for _, text := range prose {
		if d := cmp.Diff(model.Recovery{}, model.Recover(text, lab(t))); d != "" {
			t.Errorf("%.80q (-want +got):\n%s", text, d)
		}
	}
}

func TestCase005_AToolThatIsNotOfferedIsReportedAndNotCalled(t *testing.T) {
	for _, text := range []string{
		`{"name":"web_search","arguments":{"query":"pinout"}}`,
		"<tool_call>{\"name\":\"web_search\",\"arguments\":{\"query\":\"pinout\"}}</tool_call>",
		"```json\n{\"name\":\"web_search\",\"parameters\":{\"query\":\"pinout\"}}\n```",
		`[web_search(query="pinout"), web_search(query="J7")]`,
	} {
		want := model.Recovery{Found: true, Unknown: []string{"web_search"}}
		if d := cmp.Diff(want, model.Recover(text, lab(t))); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}

func TestCase023_AMixedListKeepsItsOrderSoThatEachCallGetsAResult(t *testing.T) {
	got := model.Recover(`[{"name":"temp_read","arguments":{}},{"name":"gpio_set","arguments":{"pin":"J7"}},{"name":"gpio_read","arguments":{"pin":7}}]`, lab(t))
	misfits := got.Misfits
	got.Misfits = nil
	want := model.Recovery{
		Found: true, Calls: calls("temp_read", `{}`, "gpio_set", `{"pin":"J7"}`, "gpio_read", `{"pin":7}`), Unknown: []string{"gpio_set"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("recovery (-want +got):\n%s", d)
	}
	if len(misfits) != 1 || misfits[0].Name != "gpio_read" || misfits[0].Err == nil {
		t.Errorf("misfits %+v, want gpio_read with what is wrong", misfits)
	}
}

func TestCase007_ArgumentsThatDoNotFitAreToldAndKeptAsWritten(t *testing.T) {
	got := model.Recover(`{"name":"gpio_pulse","arguments":{"pin":"J15","ms":"soon"}}`, lab(t))
	if len(got.Misfits) != 1 || got.Misfits[0].Name != "gpio_pulse" {
		t.Errorf("misfits %+v", got.Misfits)
	}
	if d := cmp.Diff(calls("gpio_pulse", `{"pin":"J15","ms":"soon"}`), got.Calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

func TestRecover_TheLoopsRepairDecides(t *testing.T) {
	loose := func(name string, args []byte) ([]byte, error) {
		if name != "gpio_pulse" {
			return nil, model.ErrNotOffered
		}
		return []byte(strings.ReplaceAll(string(args), `"250"`, "250")), nil
	}
	got := model.Recover(`{"name":"gpio_pulse","arguments":{"pin":"J15","ms":"250"}}`, loose)
	// The call stays as the model wrote it: the door repairs it and says so.
	want := model.Recovery{Found: true, Calls: calls("gpio_pulse", `{"pin":"J15","ms":"250"}`)}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("recovery (-want +got):\n%s", d)
	}
}

func TestFit_NotOfferedIsNoMisfit(t *testing.T) {
	fit := lab(t)
	if _, err := fit("nope", []byte("{}")); !errors.Is(err, model.ErrNotOffered) {
		t.Errorf("error %v, want %v", err, model.ErrNotOffered)
	}
	if _, err := fit("exec", []byte("{")); err == nil || errors.Is(err, model.ErrNotOffered) {
		t.Errorf("error %v, want one about the JSON", err)
	}
}

// FuzzRecover holds that recovery never panics, that what it finds is a valid
// object under a plausible name, that finding is repeatable, and that a text
// with words before and after it is never a call.
func FuzzRecover(f *testing.F) {
	for _, tt := range found {
		f.Add(tt.text)
	}
	for _, text := range prose {
		f.Add(text)
	}
	all := func(_ string, args []byte) ([]byte, error) { return args, nil }
	f.Fuzz(func(t *testing.T, text string) {
		got := model.Recover(text, all)
		if d := cmp.Diff(got, model.Recover(text, all)); d != "" {
			t.Fatalf("%q is read in two ways:\n%s", text, d)
		}
		for _, c := range got.Calls {
			var o map[string]json.RawMessage
			if err := json.Unmarshal(c.Args, &o); err != nil || c.Name == "" {
				t.Fatalf("%q gave the call %q %q: %v", text, c.Name, c.Args, err)
			}
		}
		if got.Found != (len(got.Calls) > 0) {
			t.Fatalf("%q: found %v with %d calls", text, got.Found, len(got.Calls))
		}
		if strings.Contains(text, "think") {
			return // what a tag hides is not around the call
		}
		for _, around := range []string{"One could write " + text, text + " and so on."} {
			if r := model.Recover(around, all); r.Found {
				t.Fatalf("%q is prose and was read as %+v", around, r)
			}
		}
	})
}
