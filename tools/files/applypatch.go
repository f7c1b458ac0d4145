package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/patch"
	"hardshell/tools/text"
)

// ApplyPatch changes several files at once: all of them, or none.
type ApplyPatch struct {
	cfg     Config
	journal string
}

// NewApplyPatch makes the apply_patch tool. Its journal is a folder, made when it is
// needed, that commands can't reach; RecoverPatches reads it after a crash.
func NewApplyPatch(cfg Config, journal string) *ApplyPatch {
	return &ApplyPatch{cfg: cfg, journal: journal}
}

var _ tools.Tool = (*ApplyPatch)(nil)

type patchArgs struct {
	Patch string `json:"patch"`
}

var patchSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "apply_patch",
		Description: "Change several files at once",
		Guide: "change several files, all or none. The lines: *** Begin Patch, then for each file *** Update File: PATH with hunks " +
			"(@@, lines with a blank, - or + before them, copied from read), *** Add File: PATH with + lines, or *** Delete File: PATH; at last *** End Patch",
		Schema: args.SchemaOf[patchArgs](),
	}
})

// Spec is how apply_patch is offered.
func (*ApplyPatch) Spec() tools.Spec { return patchSpec() }

// Prepare reads the patch and follows every path in it.
func (t *ApplyPatch) Prepare(_ context.Context, _ tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a patchArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	changes, err := patch.Parse(a.Patch)
	if err != nil {
		return tools.Prepared{}, &args.Error{Field: "patch", Message: err.Error()}
	}
	var files policy.Files
	for _, c := range changes {
		files = append(files, touched(c)...)
	}
	p := tools.Prepared{Action: policy.Action{Tool: "apply_patch", Kind: files}}
	set := &patchSet{cfg: t.cfg, journal: t.journal}
	p.Close = set.close
	if err := set.locate(changes); err != nil {
		return p, err
	}
	p.Facts.Paths = map[string]policy.Path{}
	for _, at := range set.places {
		p.Facts.Paths[at.path] = at.facts
	}
	p.Do = func(context.Context, tools.Judged, func(string)) (tools.Output, error) { return set.apply() }
	return p, nil
}

// touched is what policy has to judge of one change.
func touched(c patch.Change) []policy.File {
	switch {
	case c.Kind == patch.Add:
		return []policy.File{{Op: policy.Write, Path: c.Path}}
	case c.Kind == patch.Remove:
		return []policy.File{{Op: policy.Read, Path: c.Path}, {Op: policy.Remove, Path: c.Path}}
	case c.To != "":
		return []policy.File{{Op: policy.Read, Path: c.Path}, {Op: policy.Remove, Path: c.Path}, {Op: policy.Write, Path: c.To}}
	}
	return []policy.File{{Op: policy.Read, Path: c.Path}, {Op: policy.Write, Path: c.Path}}
}

// patchSet is a patch with the places that it names, held.
type patchSet struct {
	cfg     Config
	journal string
	changes []patch.Change
	places  []*place
	from    []*place // of each change
	to      []*place // where it moves, nil when it stays
}

func (s *patchSet) close() {
	for _, at := range s.places {
		at.Close()
	}
	s.places = nil
}

// locate follows every path. No file may be named twice, under whatever name.
func (s *patchSet) locate(changes []patch.Change) error {
	s.changes = changes
	seen := map[string]string{}
	hold := func(path string) (*place, error) {
		if path == "" {
			return nil, nil
		}
		at, err := s.cfg.Roots.target(path)
		if err != nil {
			return nil, err
		}
		s.places = append(s.places, at)
		if before, ok := seen[at.facts.Real]; ok {
			return nil, &args.Error{Field: "patch", Message: fmt.Sprintf("the patch names one file twice, as %q and %q; put all that happens to it into one section", before, path)}
		}
		seen[at.facts.Real] = path
		return at, nil
	}
	for _, c := range changes {
		from, err := hold(c.Path)
		if err != nil {
			return err
		}
		to, err := hold(c.To)
		if err != nil {
			return err
		}
		s.from, s.to = append(s.from, from), append(s.to, to)
	}
	return nil
}

// apply works out every file before it changes the first.
func (s *patchSet) apply() (tools.Output, error) {
	c := &commit{roots: s.cfg.Roots, dir: s.journal}
	var told []string
	for i := range s.changes {
		one, err := s.change(i, c)
		if err != nil {
			return tools.Output{}, fmt.Errorf("%w; nothing was changed", err)
		}
		told = append(told, one)
	}
	if err := c.run(); err != nil {
		return tools.Output{}, err
	}
	return tools.Output{Text: strings.Join(told, "\n")}, nil
}

// change adds the steps of one change, and says what it does.
func (s *patchSet) change(i int, c *commit) (string, error) {
	ch, from, to := s.changes[i], s.from[i], s.to[i]
	var old []byte
	if ch.Kind != patch.Add {
		data, err := from.whole()
		if err != nil {
			return "", err
		}
		old = data
	} else if from.facts.Exists {
		return "", fmt.Errorf("%s is there already; change it with *** Update File, or delete it first", ch.Path)
	}
	if to != nil && to.facts.Exists {
		return "", fmt.Errorf("%s can't move to %s, which is there already; choose another name", ch.Path, ch.To)
	}
	now, at, err := ch.Apply(string(old))
	var misfit *patch.Misfit
	switch {
	case errors.As(err, &misfit):
		return "", s.misfit(misfit)
	case err != nil:
		return "", err
	}
	switch {
	case ch.Kind == patch.Add:
		c.add(&step{at: from, now: []byte(now)})
		return fmt.Sprintf("created %s, %d bytes, %d lines", ch.Path, len(now), text.CountLines(now)), nil
	case ch.Kind == patch.Remove:
		c.add(&step{at: from, old: old, remove: true})
		return "removed " + ch.Path, nil
	case to != nil:
		c.add(&step{at: to, now: []byte(now), like: from.info})
		c.add(&step{at: from, old: old, remove: true})
		return fmt.Sprintf("moved %s to %s", ch.Path, ch.To), nil
	}
	c.add(&step{at: from, old: old, now: []byte(now), like: from.info})
	return fmt.Sprintf("changed %s at line %s", ch.Path, numbersOf(at)), nil
}

// numbersOf lists line numbers.
func numbersOf(lines []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]")
}

// maxQuoted bounds a line of a file in an error, in characters.
const maxQuoted = 200

// misfit says where a hunk comes nearest. Secrets are redacted before a line is cut.
func (s *patchSet) misfit(e *patch.Misfit) error {
	show := func(line string) string {
		r := []rune(s.cfg.Redactor.Redact(line))
		if len(r) > maxQuoted {
			return fmt.Sprintf("%q (cut at %d characters)", string(r[:maxQuoted]), maxQuoted)
		}
		return fmt.Sprintf("%q", string(r))
	}
	switch {
	case len(e.Lines) > 0:
		return fmt.Errorf("%w (lines %s)", e, numbersOf(e.Lines))
	case e.Line > 0:
		return fmt.Errorf("%w. Nearest is line %d, which is %s where the hunk has %s", e, e.Line, show(e.Has), show(e.Wants))
	}
	return e
}
