package template

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
	ollama "github.com/ollama/ollama/template"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
)

// shelf is a server with templates and no model: it renders with Ollama's own
// template engine.
type shelf struct {
	info      model.Info
	templates map[string]string
}

func (s *shelf) Show(_ context.Context, name string) (model.Info, error) {
	i := s.info
	i.Name, i.Template, i.Capabilities = name, s.templates[name], []string{"completion"}
	for mark, can := range map[string]string{".Tools": "tools", ".Thinking": "thinking"} {
		if strings.Contains(i.Template, mark) {
			i.Capabilities = append(i.Capabilities, can)
		}
	}
	return i, nil
}

func (s *shelf) Derive(_ context.Context, name, _, text string) error {
	s.templates[name] = text
	return nil
}

func (s *shelf) Render(_ context.Context, q model.Request) (string, error) {
	text, ok := s.templates[q.Model]
	if !ok {
		return "", errors.New("no such model")
	}
	t, err := ollama.Parse(text)
	if err != nil {
		return "", err
	}
	q, _, err = model.Wrap(q)
	if err != nil {
		return "", err
	}
	v := ollama.Values{IsThinkSet: q.Think != "", Think: q.Think == model.ThinkOn}
	for _, m := range q.Messages {
		am := api.Message{Role: string(m.Role), Content: m.Text, ToolName: m.ToolName}
		for _, c := range m.Calls {
			var tc api.ToolCall
			tc.Function.Name = c.Name
			if err := json.Unmarshal(c.Args, &tc.Function.Arguments); err != nil {
				return "", err
			}
			am.ToolCalls = append(am.ToolCalls, tc)
		}
		v.Messages = append(v.Messages, am)
	}
	if len(q.Tools) > 0 {
		array, err := model.ToolArray(q.Tools)
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(array, &v.Tools); err != nil {
			return "", err
		}
	}
	var b bytes.Buffer
	err = t.Execute(&b, v)
	return b.String(), err
}

func template(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCheckFindsWhereACacheBreaks(t *testing.T) {
	none := []bool{false, false, false, false}
	for _, c := range []struct {
		file    string
		lost    []bool // for each of the four steps
		part    string // of the first step that loses
		answers bool
	}{
		{"safe/chatml.tmpl", none, "", false},
		{"safe/llama3.tmpl", none, "", false},
		{"safe/chatml-plain.tmpl", none, "", false},
		{"safe/llama3-plain.tmpl", none, "", false},
		{"testdata/tools-in-last-user.tmpl", []bool{true, false, true, true}, "behind the system text", false},
		{"testdata/thinking.tmpl", []bool{false, true, false, false}, "behind message 1", false},
		{"testdata/switch.tmpl", []bool{false, true, false, false}, "behind message 1", true},
		{"testdata/first-user.tmpl", []bool{true, true, true, true}, "what stands before the system text", false},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := &shelf{templates: map[string]string{"m": template(t, c.file)}}
			info, err := s.Show(t.Context(), "m")
			if err != nil {
				t.Fatal(err)
			}
			rep, err := Check(t.Context(), s, Like(info, 4096, "off"))
			if err != nil {
				t.Fatal(err)
			}
			var lost []bool
			part := ""
			for _, st := range rep.Steps {
				lost = append(lost, st.Lost > 0)
				if part == "" {
					part = st.Part
				}
				if st.Kept+st.Lost != st.Before {
					t.Errorf("%s: %d kept and %d lost of %d", st.What, st.Kept, st.Lost, st.Before)
				}
				if st.Lost > 0 && (st.Was == st.Is || st.Was == "") {
					t.Errorf("%s: was %q, is %q", st.What, st.Was, st.Is)
				}
			}
			if d := cmp.Diff(c.lost, lost); d != "" || rep.Safe != (c.part == "") || part != c.part || rep.Answers != c.answers || !rep.Tools || rep.Enveloped == info.Can("tools") {
				t.Errorf("%s part %q\n%+v", d, part, rep)
			}
		})
	}
}

func TestFixMakesASafeSibling(t *testing.T) {
	for file, family := range map[string]string{
		"testdata/tools-in-last-user.tmpl": "llama3", "testdata/thinking.tmpl": "chatml", "testdata/switch.tmpl": "chatml", "testdata/first-user.tmpl": "chatml-plain",
	} {
		s := &shelf{templates: map[string]string{"lab:3b": template(t, file)}}
		f, err := Fix(t.Context(), s, "lab:3b", 4096, "off")
		if err != nil {
			t.Fatal(err)
		}
		if f.Model != "lab:3b-cachesafe" || f.Family != family || f.Before.Safe || !f.After.Safe || s.templates["lab:3b"] != template(t, file) {
			t.Errorf("%s: %+v", file, f)
		}
		if f.Before.Enveloped != f.After.Enveloped {
			t.Errorf("%s: the sibling takes calls on another road: %+v", file, f)
		}
	}
}

func TestFixRefuses(t *testing.T) {
	broken := template(t, "testdata/tools-in-last-user.tmpl")
	for name, c := range map[string]struct {
		s    *shelf
		code string
	}{
		"safe already":      {&shelf{templates: map[string]string{"m": template(t, "safe/chatml.tmpl")}}, "already_safe"},
		"built-in renderer": {&shelf{templates: map[string]string{"m": broken}, info: model.Info{Renderer: "qwen3-vl"}}, "built_in_renderer"},
		"unknown family":    {&shelf{templates: map[string]string{"m": strings.NewReplacer("<|start_header_id|>", "<<", "<|end_header_id|>", ">>").Replace(broken)}}, "unknown_family"},
	} {
		_, err := Fix(t.Context(), c.s, "m", 4096, "off")
		var p *event.Problem
		if !errors.As(err, &p) || p.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if len(c.s.templates) != 1 {
			t.Errorf("%s: a model was made", name)
		}
	}
}

func TestDerivedName(t *testing.T) {
	for name, want := range map[string]string{
		"llama3.1:8b": "llama3.1:8b-cachesafe", "qwen3": "qwen3:latest-cachesafe",
		"host:5000/lab/qwen3": "host:5000/lab/qwen3:latest-cachesafe",
	} {
		if got := derivedName(name); got != want {
			t.Errorf("DerivedName(%q) = %q", name, got)
		}
	}
}

// TestAnswersCountOnlyUpToTheLastMessage: what opens the answer is no loss.
func TestAnswersCountOnlyUpToTheLastMessage(t *testing.T) {
	before, after := "sys "+mark(1)+" <answer>", "sys "+mark(1)+" <call>"+mark(2)
	if s := compare(before, after, 1); s.Lost != 0 || s.Kept != len("sys ")+len(mark(1)) {
		t.Errorf("%+v", s)
	}
	if s := compare("nothing of it", after, 1); s.Lost == 0 || !strings.Contains(s.Part, "message 1 is missing") {
		t.Errorf("%+v", s)
	}
	if n := common("aü", "aö"); n != 1 {
		t.Errorf("a character was cut: %d", n)
	}
}
