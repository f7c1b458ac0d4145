package measure

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Package is one type-checked package of the tree, tests left out.
type Package struct {
	Path  string // folder, from the tree's root
	Types *types.Package
	Info  *types.Info
	Files []File
	// Other are product files for another platform than this one. They have no types.
	Other []File
}

// Tree is a module's packages with their types.
type Tree struct {
	Fset     *token.FileSet
	Dir      string
	Files    []File // all, tests and test/ too
	Packages []*Package
}

// Load parses and type-checks the module in dir. Test files are parsed only.
func Load(dir string) (*Tree, error) {
	fset := token.NewFileSet()
	files, err := Parse(fset, dir)
	if err != nil {
		return nil, err
	}
	return Check(fset, dir, files)
}

// Check gives the packages of parsed files their types.
func Check(fset *token.FileSet, dir string, files []File) (*Tree, error) {
	c := &checker{fset: fset, pending: map[string]*Package{}, done: map[string]*Package{}}
	foreign := map[string]bool{}
	for _, f := range files {
		if f.Test {
			continue
		}
		p := c.pending[f.Pkg]
		if p == nil {
			p = &Package{Path: f.Pkg}
			c.pending[f.Pkg] = p
		}
		if ok, err := build.Default.MatchFile(filepath.Join(dir, f.Pkg), filepath.Base(f.Path)); err != nil {
			return nil, err
		} else if !ok {
			p.Other = append(p.Other, f)
			continue
		}
		p.Files = append(p.Files, f)
		for path := range f.Imports() {
			if _, ours := ownPath(path); !ours && path != "unsafe" {
				foreign[path] = true
			}
		}
	}
	exports, err := exportFiles(dir, foreign)
	if err != nil {
		return nil, err
	}
	c.foreign = importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		name, ok := exports[path]
		if !ok {
			return nil, fmt.Errorf("go list named no compiled package for %s", path)
		}
		return os.Open(name)
	})
	t := &Tree{Fset: fset, Dir: dir, Files: files}
	for path, p := range c.pending {
		if len(p.Files) == 0 {
			continue
		}
		if _, err := c.check(path); err != nil {
			return nil, err
		}
		t.Packages = append(t.Packages, p)
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// ownPath gives the folder of a package of the module by its import path.
func ownPath(path string) (string, bool) { return strings.CutPrefix(path, Module+"/") }

// exportFiles asks go list where the compiled packages lie that a tree imports.
func exportFiles(dir string, paths map[string]bool) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}", "--"}
	for p := range paths {
		args = append(args, p)
	}
	slices.Sort(args[6:])
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, problem.String())
	}
	m := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, name, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			m[path] = name
		}
	}
	return m, nil
}

// checker type-checks packages in the order of their imports.
type checker struct {
	fset    *token.FileSet
	pending map[string]*Package
	done    map[string]*Package
	foreign types.Importer
}

// Import is the importer of the packages under check.
func (c *checker) Import(path string) (*types.Package, error) {
	if folder, ours := ownPath(path); ours {
		return c.check(folder)
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return c.foreign.Import(path)
}

func (c *checker) check(folder string) (*types.Package, error) {
	if p := c.done[folder]; p != nil {
		if p.Types == nil {
			return nil, fmt.Errorf("%s imports itself", folder)
		}
		return p.Types, nil
	}
	p := c.pending[folder]
	if p == nil {
		return nil, fmt.Errorf("there is no package %s", folder)
	}
	c.done[folder] = p
	p.Info = &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{},
	}
	var parsed []*ast.File
	for _, f := range p.Files {
		parsed = append(parsed, f.AST)
	}
	var problems []error
	conf := types.Config{Importer: c, Error: func(err error) { problems = append(problems, err) }}
	pkg, _ := conf.Check(Module+"/"+folder, c.fset, parsed, p.Info)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	p.Types = pkg
	return pkg, nil
}
