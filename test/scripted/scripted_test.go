package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/fs/ggml"
	"pgregory.net/rapid"
)

func TestCheckRefuses(t *testing.T) {
	end := Scene{Steps: []Step{say("no")}}
	for _, c := range []struct {
		name   string
		script []Scene
		want   string
	}{
		{"no scenes", nil, "the script has no closing scene: add one with an empty Ask"},
		{"no closing scene", []Scene{{Ask: "a", Steps: []Step{say("b c")}}}, "the script has no closing scene: add one with an empty Ask"},
		{"closing scene too early", []Scene{end, end}, "scene 0 has an empty Ask and hides the scenes after it: move it to the end"},
		{"hidden scene", []Scene{{Ask: "Re", Steps: []Step{say("x y")}}, {Ask: "Read", Steps: []Step{say("x y")}}, end}, `scene "Read" is never reached: "Re" comes first and fits it too`},
		{"no steps", []Scene{{Ask: "a"}, end}, `scene "a": it has no steps: add one`},
		{"text and calls", []Scene{{Ask: "a", Steps: []Step{{{Text: "x", Calls: []Call{{"read", "{}"}}}}}}, end}, `scene "a": step 0, line 0: give it either a text or calls`},
		{"ends in a call", []Scene{{Ask: "a", Steps: []Step{call("read", "{}")}}, end}, `scene "a": step 0, line 0: calls belong before the last step, the answer into it`},
		{"no last line", []Scene{{Ask: "a", Steps: []Step{call("read", "{}"), {{When: "w", Text: "x"}}}}, end}, `scene "a": step 1, line 0: every line but the last needs a When, the last has none`},
		{"condition without a result", []Scene{{Ask: "a", Steps: []Step{{{When: "w", Text: "x"}, {Text: "y"}}}}, end}, `scene "a": step 0, line 0: there is no result yet for its When`},
		{"arguments", []Scene{{Ask: "a", Steps: []Step{call("read", "[]"), say("x")}}, end}, `scene "a": step 0: the arguments of read are no JSON object: json: cannot unmarshal array into Go value of type map[string]interface {}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.script)
			if err == nil {
				t.Fatal("Check took the script")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// every calls f for each line of a script.
func every(script []Scene, f func(mark string, l Line)) {
	for s, scene := range script {
		for i, step := range scene.Steps {
			for j, l := range step {
				f(mark(s, i, j), l)
			}
		}
	}
}

// The table has no conflicts when following it from each mark gives that
// mark's line, word for word.
func TestChainSaysEveryLine(t *testing.T) {
	script := Lab()
	c, err := NewChain(script)
	if err != nil {
		t.Fatal(err)
	}
	every(script, func(mark string, l Line) {
		said := c.Say(mark, 1000)
		if l.Endless {
			if len(said) != 1000 {
				t.Errorf("%s: %q ends after %d pieces and should not", mark, l.Text, len(said))
			}
			return
		}
		if diff := cmp.Diff(l.bytes(), strings.Join(said, "")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mark, diff)
		}
	})
}

func TestChainRefusesWhatItCannotTellApart(t *testing.T) {
	for _, c := range []struct{ name, first, second, want string }{
		{
			"an end inside another line", "of the log is done", " log",
			`scene "b", step 0, line 0: " log" leads to " is" in another line and ends this one: word one of them differently`,
		},
		{"a single byte", "yes and no", "y", `scene "b", step 0, line 0: the line is the single byte "y": word it longer`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewChain([]Scene{
				{Ask: "a", Steps: []Step{say(c.first)}},
				{Ask: "b", Steps: []Step{say(c.second)}},
				{Steps: []Step{say("no line")}},
			})
			if err == nil {
				t.Fatal("NewChain took the script")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the lines are, the chain either refuses the script or says every
// line of it; and no two tokens are alike.
func TestChainNeverMisspeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "the", "log", "log.", "is", "at", "x"})
		script := []Scene{}
		for i := range rapid.IntRange(1, 6).Draw(t, "scenes") {
			text := strings.Join(rapid.SliceOfN(word, 1, 7).Draw(t, "line"), " ")
			script = append(script, Scene{Ask: string(rune('A' + i)), Steps: []Step{say(text)}})
		}
		script = append(script, Scene{Steps: []Step{say("closing scene")}})
		c, err := NewChain(script)
		if err != nil {
			return
		}
		every(script, func(mark string, l Line) {
			if got := strings.Join(c.Say(mark, 1000), ""); got != l.Text {
				t.Fatalf("%s says %q, want %q", mark, got, l.Text)
			}
		})
		texts, types, _ := c.tokens()
		if len(texts) != len(types) {
			t.Fatalf("%d tokens have %d types", len(texts), len(types))
		}
		seen := map[string]int{}
		for i, s := range texts {
			if j, ok := seen[s]; ok {
				t.Fatalf("tokens %d and %d are both %q", j, i, s)
			}
			seen[s] = i
		}
	})
}

// message is what a chat template sees of one message.
type message struct {
	Role, Content string
	ToolCalls     []struct{}
}

// render executes the template as a server does.
func render(t *testing.T, script []Scene, messages ...message) string {
	t.Helper()
	tmpl, err := template.New("").Funcs(template.FuncMap{"json": func(v any) string {
		b, _ := json.Marshal(v)
		return string(b)
	}}).Parse(Template(script))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, map[string]any{"System": "S", "Messages": messages}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// At every point of every scene the template ends the prompt with the mark of
// the line that belongs there.
func TestTemplatePicksTheLine(t *testing.T) {
	script := Lab()
	for s, scene := range script {
		for i, step := range scene.Steps {
			for j, l := range step {
				messages := []message{{Role: "user", Content: scene.Ask + " please\n\n[Mon 10:00]"}}
				if scene.Ask == "" {
					messages[0].Content = "?"
				}
				for range scene.after(i) {
					messages = append(messages, message{Role: "assistant"},
						message{Role: "tool", Content: "a result that begins in some way: " + l.When + strings.Repeat(" and more", 100)})
				}
				got := render(t, script, messages...)
				if want := "<|im_start|>assistant\n" + mark(s, i, j); !strings.HasSuffix(got, want) {
					t.Errorf("scene %q, step %d, line %d: the prompt ends %q, want %q", scene.Ask, i, j, got[max(0, len(got)-60):], want)
				}
			}
		}
	}
}

// A new message of the person starts a scene anew, whatever came before; a
// result that has the text too late does not count; a turn that has gone
// further than its scene stays at the last step.
func TestTemplateEdges(t *testing.T) {
	script := []Scene{
		{Ask: "ask", Steps: []Step{call("read", "{}"), {{When: "here", Text: "found it"}, {Text: "nothing there"}}}},
		{Steps: []Step{say("no line")}},
	}
	for _, c := range []struct {
		name     string
		messages []message
		want     string
	}{
		{"short result", []message{{Role: "user", Content: "ask"}, {Role: "tool", Content: "h"}}, mark(0, 1, 1)},
		{"at the very end of the window", []message{{Role: "user", Content: "ask"}, {Role: "tool", Content: strings.Repeat(" ", Window-1) + "here"}}, mark(0, 1, 0)},
		{"after the window", []message{{Role: "user", Content: "ask"}, {Role: "tool", Content: strings.Repeat(" ", Window) + "here"}}, mark(0, 1, 1)},
		{"too many results", []message{{Role: "user", Content: "ask"}, {Role: "tool", Content: "x"}, {Role: "tool", Content: "here"}}, mark(0, 1, 0)},
		{"new question", []message{{Role: "user", Content: "ask"}, {Role: "tool", Content: "here"}, {Role: "user", Content: "ask"}}, mark(0, 0, 0)},
		{"nothing said", []message{{Role: "user", Content: ""}}, mark(1, 0, 0)},
	} {
		if got := render(t, script, c.messages...); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: the prompt ends %q, want %q", c.name, got[max(0, len(got)-40):], c.want)
		}
	}
}

// The history's rendering must not depend on what follows, or no server could
// reuse it: without its mark each prompt is a prefix of the next.
func TestTemplateKeepsThePrefix(t *testing.T) {
	script := Lab()
	var messages []message
	before := ""
	for range 4 {
		messages = append(messages, message{Role: "user", Content: "Reboot"})
		now := render(t, script, messages...)
		now = now[:strings.LastIndex(now, "<|go:")]
		if !strings.HasPrefix(now, before) {
			t.Fatalf("the prompt\n%s\ndoes not begin with\n%s", now, before)
		}
		before = now
		messages = append(messages, message{Role: "assistant", Content: "no"})
	}
}

func TestVisibleIsOneToOne(t *testing.T) {
	seen := map[string]bool{}
	for b := range 256 {
		seen[visible([]byte{byte(b)})] = true
	}
	if len(seen) != 256 {
		t.Errorf("256 bytes have %d letters", len(seen))
	}
	// The letters that every GPT-2 vocabulary is known by.
	if got, want := visible([]byte(" the\n")), "ĠtheĊ"; got != want {
		t.Errorf("visible gives %q, want %q", got, want)
	}
}

func TestFileReadsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := Write(path, Lab()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := ggml.Decode(f, -1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChain(Lab())
	if err != nil {
		t.Fatal(err)
	}
	texts, types, ids := c.tokens()
	kv := m.KV()
	if diff := cmp.Diff(texts, kv.Strings("tokenizer.ggml.tokens")); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(types, kv.Ints("tokenizer.ggml.token_type")); diff != "" {
		t.Errorf("token types (-want +got):\n%s", diff)
	}
	if got, want := kv.Uint("tokenizer.ggml.eos_token_id"), uint32(ids[imEnd]); got != want {
		t.Errorf("the end mark is token %d, want %d", got, want)
	}
	if got := kv.ContextLength(); got != window {
		t.Errorf("the window is %d tokens, want %d", got, window)
	}
	names := []string{}
	for _, tensor := range m.Tensors().Items() {
		names = append(names, tensor.Name)
	}
	want := []string{
		"blk.0.attn_k.weight", "blk.0.attn_norm.weight", "blk.0.attn_output.weight", "blk.0.attn_q.weight",
		"blk.0.attn_v.weight", "blk.0.ffn_down.weight", "blk.0.ffn_gate.weight", "blk.0.ffn_norm.weight",
		"blk.0.ffn_up.weight", "output.weight", "output_norm.weight", "token_embd.weight",
	}
	if diff := cmp.Diff(want, names, asSet); diff != "" {
		t.Errorf("tensors (-want +got):\n%s", diff)
	}
}

// asSet compares lists of names whatever their order.
var asSet = cmp.Transformer("set", func(in []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range in {
		set[s] = true
	}
	return set
})

// The table that the file holds is the chain: in the output matrix the only
// weight that a mark or piece lights is its successor's.
func TestWeightsAreTheChain(t *testing.T) {
	c, err := NewChain(Lab())
	if err != nil {
		t.Fatal(err)
	}
	texts, _, ids := c.tokens()
	_, tensors := c.model()
	output := tensors[2].WriterTo.(floats)
	width := len(output) / len(texts)
	got := map[string]string{}
	for s, id := range ids {
		for next, n := range ids {
			if output[n*width+id] != 0 {
				if other, ok := got[s]; ok {
					t.Errorf("%q leads to %q and %q", s, other, next)
				}
				got[s] = next
			}
		}
	}
	want := map[string]string{endOfText: imEnd, imStart: imEnd, imEnd: imEnd}
	for s, next := range c.Next {
		want[s] = next
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestSameScriptSameBytes(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, "m.gguf")
		if err := Write(path, Lab()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = b
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two files of one script differ")
	}
}

// What the script says of the demo's log is true of that log.
func TestLogSummaryIsTrue(t *testing.T) {
	log, err := os.ReadFile(filepath.Join("..", "demo", "workspace", "logs", "burn-in.log"))
	if err != nil {
		t.Fatal(err)
	}
	warnings := regexp.MustCompile(`(?m)temperature (\S+ C) over the warning limit of (\S+ C)`).FindAllStringSubmatch(string(log), -1)
	want := [][]string{
		{"temperature 86.5 C over the warning limit of 85 C", "86.5 C", "85 C"},
		{"temperature 87.5 C over the warning limit of 85 C", "87.5 C", "85 C"},
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings in the log (-said +there):\n%s", diff)
	}
	for _, fact := range []string{"unit C-017 ends: 6 h 00 min, shut-downs 0, transfers repeated 1"} {
		if !strings.Contains(string(log), fact) {
			t.Errorf("the log does not say %q", fact)
		}
	}
	if n := strings.Count(string(log), "transfer repeated once"); n != 1 {
		t.Errorf("the log has %d repeated transfers, the summary says 1", n)
	}
}

func TestWriteSaysWhatIsWrong(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "m.gguf"), nil); err == nil {
		t.Error("Write took an empty script")
	}
	if err := Write(filepath.Join(t.TempDir(), "missing", "m.gguf"), Lab()); err == nil {
		t.Error("Write made a file in a folder that is not there")
	}
}

func ExampleChain_Say() {
	c, err := NewChain([]Scene{
		{Ask: "Hello", Steps: []Step{say("Good morning.")}},
		{Steps: []Step{say("What do you mean?")}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(strings.Join(c.Say(mark(0, 0, 0), 10), "|"))
	// Output: Good| morning.
}
