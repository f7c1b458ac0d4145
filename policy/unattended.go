package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/source"
)

// preapproval is a person's yes in advance, to exactly one action of one job, for
// the runs that nobody attends. It turns a question into a yes and touches no
// denial.
type preapproval struct {
	id, job, why string
	argv         []string // of a command, or
	file         File     // of a file action
	cwd          string   // folder of the command, relative to the workspace or absolute
}

// form is what was approved, in one line.
func (a preapproval) form() string {
	what := string(a.file.Op) + " " + a.file.Path
	if a.argv != nil {
		what = argv.Show(argv.Literals(a.argv))
		if a.cwd != "" {
			what += " (in " + a.cwd + ")"
		}
	}
	return "job " + a.job + ": " + what
}

// unattended reads one [[unattended]].
func (r *reader) unattended(t *source.Node, p *Policy) {
	r.Keys(t, "[[unattended]]", "id", "job", "argv", "cwd", "op", "path", "why")
	a := preapproval{job: r.Text(t, "job"), why: r.Why(t), argv: r.List(t, "argv"), cwd: r.Text(t, "cwd")}
	a.file = File{Op: FileOp(r.Text(t, "op")), Path: r.Text(t, "path")}
	name := string(a.file.Op)
	action := Action{Kind: &a.file}
	if len(a.argv) > 0 {
		name, action = path.Base(a.argv[0]), Action{Kind: &Exec{Argv: a.argv}}
	}
	switch {
	case !argv.PlainName(a.job):
		r.Fail(t.At, "job is missing: write the id of the job, as agent cron list shows it")
		return
	case (len(a.argv) > 0) == (a.file != File{}):
		r.Fail(t.At, `say exactly what is approved: argv = ["sensors", "-j"], or op = "write" and path = "log.txt"`)
		return
	case len(a.argv) == 0 && (a.cwd != "" || a.file.Op != Read && a.file.Op != Write || !argv.CouldBePath(a.file.Path)):
		r.Fail(t.At, `a file action is op = "read" or "write" and a path`)
		return
	case !action.Standing():
		r.Fail(t.Get("argv").At, fmt.Sprintf("%s can't be approved in advance: an interpreter, a wrapper or a program outside of the system folders can do something else by then", argv.Show(argv.Literals(a.argv))))
		return
	}
	a.id = r.ID(t, "unattended.", a.job+"."+strings.Trim(name, "[]"))
	p.preapproved = append(p.preapproved, a)
}

// preapproval finds the yes that a person gave to this action of this job.
func (p *Policy) preapproval(action Action, f *Facts) *preapproval {
	if f.Job == "" || f.Attended || f.Roots["workspace"] == "" || !action.Standing() {
		return nil
	}
	for i := range p.preapproved {
		if a := &p.preapproved[i]; a.job == f.Job && a.covers(action.Kind, f) {
			return a
		}
	}
	return nil
}

// covers tells whether an action is the approved one: the same words in the same
// folder, or the same operation on the same file, links followed.
func (a *preapproval) covers(k Kind, f *Facts) bool {
	switch k := k.(type) {
	case *Exec:
		return a.argv != nil && !k.Background && slices.Equal(k.Argv, a.argv) && f.leadsTo(k.Cwd, a.cwd)
	case *File:
		return a.argv == nil && k.Op == a.file.Op && f.leadsTo(k.Path, a.file.Path)
	}
	return false
}

// leadsTo tells whether a path of the action leads to a place that is written
// relative to the workspace, or absolute.
func (f *Facts) leadsTo(text, place string) bool {
	p, ok := f.Paths[text]
	if !path.IsAbs(place) {
		place = path.Join(f.Roots["workspace"], place)
	}
	return ok && p.Real == path.Clean(place)
}
