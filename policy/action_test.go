package policy

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyKind is one filled action of each kind; TestEveryKindIsTested misses one that is
// left out.
func everyKind() []Action {
	x := &Exec{Argv: []string{"cat", "hidden-1"}, Cwd: "/hidden-2", Env: []string{"A=hidden-3"}, Stdin: "hidden-4", Script: "hidden-5"}
	return []Action{
		{Tool: "exec", Kind: x},
		{Tool: "write", Kind: &File{Write, "hidden-1"}},
		{Tool: "apply_patch", Kind: Files{{Read, "hidden-1"}, {Remove, "hidden-2"}}},
		{Tool: "process", Kind: &Process{Op: "write", ID: "hidden-6", Input: true, Exec: x}},
		{Tool: "session_status", Kind: &Setting{Model: "hidden-1", Reasoning: "hidden-2"}},
		{Tool: "sensors", Kind: Look{}},
		{Tool: "update_plan", Kind: Plan{}},
	}
}

// TestActionsKeepTheirBytes holds what stands in records and binds answers: it was
// written by the program before kinds were values.
func TestActionsKeepTheirBytes(t *testing.T) {
	cat := &Exec{Argv: []string{"cat", "a <b>"}, Cwd: "/lab", Env: []string{"LANG=C"}, Stdin: "x", TimeoutS: 5, Background: true}
	for _, c := range []struct {
		a            Action
		json, digest string
	}{
		{Action{Tool: "exec", Kind: cat}, `{"kind":"exec","tool":"exec","exec":{"argv":["cat","a \u003cb\u003e"],"cwd":"/lab","env":["LANG=C"],"stdin":"x","timeout_s":5,"background":true}}`, "78424aa3ff95ba4dc40a1fe613ee982e9a73af73dd425d60a1df2a849e40f998"},
		{Action{Kind: &Exec{Script: "ls | wc", Cwd: "/lab"}}, `{"kind":"exec","tool":"","exec":{"script":"ls | wc","cwd":"/lab"}}`, "5cbc70d3ca75480a96a764d0df653ce77b1df24c4754ba300ded0b0b5043ac05"},
		{Action{Tool: "write", Kind: &File{Write, "a.txt"}}, `{"kind":"file","tool":"write","file":{"op":"write","path":"a.txt"}}`, "0f15c4e4cea4c3a958a348ff5b4367ec097ca05fce6e30db6e9afcd9d995fa26"},
		{Action{Tool: "apply_patch", Kind: Files{{Read, "a.txt"}, {Remove, "a.txt"}}}, `{"kind":"file","tool":"apply_patch","files":[{"op":"read","path":"a.txt"},{"op":"remove","path":"a.txt"}]}`, "b7a5d81a52e03ae137867ec297336c01c78690fdf654375e33e69cd36e4256f9"},
		{Action{Tool: "process", Kind: &Process{Op: "list"}}, `{"kind":"process","tool":"process","process":{"op":"list"}}`, "a1f6766643f3230ff47fc1adae4669a035ac8d109453137c9ec59561bc0821cd"},
		{Action{Tool: "process", Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: cat}}, `{"kind":"process","tool":"process","exec":{"argv":["cat","a \u003cb\u003e"],"cwd":"/lab","env":["LANG=C"],"stdin":"x","timeout_s":5,"background":true},"process":{"op":"write","id":"p1","input":true}}`, "e63231f39f46f4dc1e50ccb0a21f4ce52d8a65ab2d055b9bdaf733fc8258215f"},
		{Action{Tool: "session_status", Kind: &Setting{Model: "big", Reasoning: "on"}}, `{"kind":"setting","tool":"session_status","setting":{"model":"big","reasoning":"on"}}`, "24a4ec924d6f8b7c7c25dbf9f800c41326be5048b34c86ae444d8d8f13627c93"},
		{Action{Tool: "sensors", Kind: Look{}}, `{"kind":"status","tool":"sensors"}`, "9f7543208a152184871f8297dcbca48e27f7a4afb1cc8595a93114f1d2999518"},
		{Action{Tool: "update_plan", Kind: Plan{}}, `{"kind":"plan","tool":"update_plan"}`, "13b0ca0d8bf24f85b543fdfdbf11ba4d84b9d4a8053533320adf953af3574337"},
		{Action{Tool: "cron"}, `{"kind":"","tool":"cron"}`, "02de8227cb0e99d6589cdbfba1d449982a13f5d1fb2de53a00318a70ce0d1e0a"},
		{Action{}, `{"kind":"","tool":""}`, "aae4e2d16dcd6d418d531b180fdec401040ce7d5e24dd1ecae1ff8714864a2f8"},
	} {
		b, err := json.Marshal(c.a)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.json, string(b)); d != "" {
			t.Errorf("JSON (-want +got):\n%s", d)
		}
		if got := c.a.Digest(); got != c.digest {
			t.Errorf("%s: digest %s, want %s", c.json, got, c.digest)
		}
	}
}

// TestEveryKindIsTested finds the types that are judged and compares them with the
// list of this file.
func TestEveryKindIsTested(t *testing.T) {
	judged := map[string]bool{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "judge" || fn.Type.Params.NumFields() != 1 {
				continue
			}
			recv := fn.Recv.List[0].Type
			if p, ok := recv.(*ast.StarExpr); ok {
				recv = p.X
			}
			judged[recv.(*ast.Ident).Name] = true
		}
	}
	var listed []string
	for _, a := range everyKind() {
		typ := reflect.TypeOf(a.Kind)
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		listed = append(listed, typ.Name())
	}
	slices.Sort(listed)
	if d := cmp.Diff(slices.Sorted(maps.Keys(judged)), listed); d != "" {
		t.Errorf("kinds (-in the package +in this test):\n%s", d)
	}
}

// TestNoKindKeepsASecret redacts every kind: no field may be left as it was, and the
// action itself must not change.
func TestNoKindKeepsASecret(t *testing.T) {
	for _, a := range everyKind() {
		before := a.Digest()
		b, err := json.Marshal(a.Redacted(func(s string) string { return strings.ReplaceAll(s, "hidden", "[secret]") }))
		if err != nil {
			t.Fatal(err)
		}
		subject := a.Redacted(func(s string) string { return strings.ReplaceAll(s, "hidden", "[secret]") }).Subject()
		if strings.Contains(string(b), "hidden") || strings.Contains(subject, "hidden") {
			t.Errorf("%s, %s", b, subject)
		}
		if a.Digest() != before {
			t.Errorf("redacting changed %s", a.Subject())
		}
		for _, text := range texts(reflect.ValueOf(a.Kind)) {
			if text == "" {
				t.Errorf("%T: this test leaves a text empty: fill it", a.Kind)
			}
		}
	}
}

// texts lists the texts of a value; a field of a type that redacting does not know
// would be lost, so there must be none.
func texts(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Pointer:
		return texts(v.Elem())
	case reflect.Bool, reflect.Int:
		return nil
	case reflect.Slice:
		var out []string
		for i := range v.Len() {
			out = append(out, texts(v.Index(i))...)
		}
		return out
	case reflect.Struct:
		var out []string
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				return []string{""}
			}
			out = append(out, texts(v.Field(i))...)
		}
		return out
	}
	return []string{""}
}
