package ways

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hardshell/test/arch/measure"
)

//go:embed pass/pass.go
var passSource string

// build makes the agent of the checkout in root with notes, as dir/agent.
func build(root, dir, notes string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	files, err := measure.Parse(fset, root)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	put := func(path, text string) error {
		name := filepath.Join(dir, fmt.Sprintf("%04d.go", len(replace)))
		replace[filepath.Join(root, path)] = name
		return os.WriteFile(name, []byte(text), 0o600)
	}
	if err := put("test/ways/pass/pass.go", passSource); err != nil {
		return err
	}
	for _, f := range files {
		if text, any := noted(fset, f); any {
			if err := put(f.Path, text); err != nil {
				return err
			}
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-overlay", overlay,
		"-ldflags", "-X hardshell/test/ways/pass.file="+notes, "-o", filepath.Join(dir, "agent"), "./cmd/agent")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building with notes: %w\n%s", err, out)
	}
	return nil
}

// noted gives a file with a note at the entry of each function that has a receiver
// or parameters, on the line where its body begins. False where there is none.
func noted(fset *token.FileSet, f measure.File) (string, bool) {
	if !f.Product() || measure.Helper(f.Pkg) {
		return "", false
	}
	text := f.Text
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	any := false
	for _, d := range slices.Backward(f.AST.Decls) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		receiver, args := names(fn.Recv), names(fn.Type.Params)
		if len(receiver)+len(args) == 0 {
			continue
		}
		if len(receiver) == 0 {
			receiver = []string{"nil"}
		}
		i := at(fn.Body.Lbrace) + 1
		text = text[:i] + " waysPass.Note(" + strings.Join(append(receiver, args...), ", ") + ");" + text[i:]
		any = true
	}
	i := at(f.AST.Name.End())
	return text[:i] + "; import waysPass \"" + measure.Module + "/test/ways/pass\"" + text[i:], any
}

// names gives the parameters that can be looked into.
func names(list *ast.FieldList) []string {
	if list == nil {
		return nil
	}
	var out []string
	for _, f := range list.List {
		switch f.Type.(type) {
		case *ast.FuncType, *ast.ChanType:
			continue
		}
		for _, n := range f.Names {
			if n.Name != "_" && n.Name != "ctx" {
				out = append(out, n.Name)
			}
		}
	}
	return out
}
