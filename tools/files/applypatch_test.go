package files

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// patching adds apply_patch to a door.
func patching(t *testing.T) (*door, func(lines string) tools.Result) {
	t.Helper()
	d := newDoor(t)
	d.withPatch(t)
	return d, func(lines string) tools.Result { return d.Do(t, "apply_patch", patchOf(lines)) }
}

// withPatch gives a door the tool, with a journal outside of the workspace.
func (d *door) withPatch(t *testing.T) {
	t.Helper()
	d.journal = t.TempDir()
	files := Config{Roots: d.roots, Redactor: d.Config.Redactor}
	d.Add(NewApplyPatch(files, d.journal))
}

// patchOf are the arguments of a patch in the envelope.
func patchOf(lines string) string {
	b, err := json.Marshal(patchArgs{"*** Begin Patch\n" + lines + "*** End Patch\n"})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// tree lists a folder's files with mode and contents, folders with a slash.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		switch {
		case e.IsDir():
			out[name+"/"] = ""
		case e.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			out[name] = "-> " + target
			return err
		default:
			b, err := os.ReadFile(path)
			info, err2 := e.Info()
			if err != nil || err2 != nil {
				return fmt.Errorf("%w %w", err, err2)
			}
			out[name] = fmt.Sprintf("%o %s", info.Mode().Perm(), b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestApplyPatch(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		d.withPatch(t)
		d.File(t, "a.txt", "one\ntwo\nthree\n")
		d.File(t, "run.sh", "#!/bin/sh\necho old\n")
		d.File(t, "old.txt", "bye\n")
		d.File(t, "from.txt", "x\ny\n")
		for name, mode := range map[string]os.FileMode{"run.sh": 0o755, "from.txt": 0o640} {
			if err := os.Chmod(filepath.Join(d.Dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		got := d.Do(t, "apply_patch", patchOf("*** Update File: a.txt\n@@\n-one\n+ONE\n@@\n three\n+four\n*** Update File: run.sh\n@@\n-echo old\n+echo new\n"+
			"*** Add File: new/deep/b.txt\n+b\n*** Delete File: old.txt\n*** Update File: from.txt\n*** Move to: new/to.txt\n@@\n-y\n+z\n"))
		toolstest.Diff(t, "result", []any{got.Outcome, got.Text}, []any{
			tools.OK,
			"changed a.txt at line 1, 3\nchanged run.sh at line 2\ncreated new/deep/b.txt, 2 bytes, 1 lines\nremoved old.txt\nmoved from.txt to new/to.txt",
		})
		toolstest.Diff(t, "files", tree(t, d.Dir), map[string]string{
			"a.txt": "644 ONE\ntwo\nthree\nfour\n", "run.sh": "755 #!/bin/sh\necho new\n",
			"new/": "", "new/deep/": "", "new/deep/b.txt": "644 b\n", "new/to.txt": "640 x\nz\n",
		})
		toolstest.Diff(t, "journal", tree(t, d.journal), map[string]string{})
		toolstest.Diff(t, "subject", d.Auditor.Records[0].Subject,
			"read and write a.txt, read and write run.sh, write new/deep/b.txt, read and remove old.txt, read and remove from.txt, write new/to.txt")
	})
}

// TestApplyPatchAllOrNothing: whatever is wrong with the last file, the first is as
// it was.
func TestApplyPatchAllOrNothing(t *testing.T) {
	const good = "*** Update File: a.txt\n@@\n-one\n+ONE\n*** Add File: new/n.txt\n+n\n*** Delete File: gone.txt\n"
	for lines, want := range map[string]string{
		"*** Update File: b.txt\n@@\n-  bee\n+c\n":   `failed: hunk 1 of b.txt (line 10 of the patch) does not stand in the file like that; read the place again and copy its lines exactly. Nearest is line 1, which is "bee" where the hunk has "  bee"; nothing was changed`,
		"*** Update File: b.txt\n@@\n-x\n+c\n":       `failed: hunk 1 of b.txt (line 10 of the patch) stands at several places; take more of the lines around the one you mean, or write its line number as @@ -LINE,OLD +LINE,NEW @@ (lines 2, 3); nothing was changed`,
		"*** Update File: key.txt\n@@\n-key=\n+c\n":  `failed: hunk 1 of key.txt (line 10 of the patch) does not stand in the file like that; read the place again and copy its lines exactly. Nearest is line 1, which is "key=[secret LAB_KEY]" where the hunk has "key="; nothing was changed`,
		"*** Update File: none.txt\n@@\n-x\n+c\n":    `failed: there is no file none.txt; nearest: gone.txt; list the folder to see what there is; nothing was changed`,
		"*** Add File: b.txt\n+x\n":                  `failed: b.txt is there already; change it with *** Update File, or delete it first; nothing was changed`,
		"*** Update File: b.txt\n*** Move to: sub\n": `invalid arguments for apply_patch: "sub" is a folder; name a file in it. Nothing was done; correct them and call again.`,
		"*** Delete File: sub\n":                     `invalid arguments for apply_patch: "sub" is a folder; name a file in it. Nothing was done; correct them and call again.`,
		"*** Update File: ./a.txt\n@@\n-x\n+c\n":     `invalid arguments for apply_patch: the patch names one file twice, as "a.txt" and "./a.txt"; put all that happens to it into one section. Nothing was done; correct them and call again.`,
		"*** Delete File: in.txt\n":                  `refused: in.txt is a link to a.txt, and nothing is written through a link (rule files.no-link)` + "\nhint: name the file that it leads to, if it lies in the workspace",
		"*** Add File: out/x\n+x\n":                  `refused: out/x leads out of the folders that file tools may use: the link out leads to /tmp (rule files.beneath-roots)` + "\nhint: use a path in DIR",
		"*** Add File: ../x\n+x\n":                   `refused: ../x leads out of the folders that file tools may use: ".." goes above DIR (rule files.beneath-roots)` + "\nhint: use a path in DIR",
		"*** Update File: bin\n@@\n-x\n+y\n":         `failed: bin is no text file; change it with a program that knows it; nothing was changed`,
		"*** Add File: a.txt/x\n+x\n":                `failed: a.txt is no folder, so there is no a.txt/x; look at the folder first`,
		"*** Add File: new/n.txt/x\n+x\n":            `failed: new/n.txt appeared meanwhile and was left alone; look at it and decide again. Nothing was changed: every file of the patch is as it was`,
		"nonsense\n":                                 `invalid arguments for apply_patch: line 9 of the patch: "nonsense" begins no file; write "*** Update File: PATH", "*** Add File: PATH" or "*** Delete File: PATH". Nothing was done; correct them and call again.`,
	} {
		d, apply := patching(t)
		for name, text := range map[string]string{"a.txt": "one\n", "gone.txt": "g\n", "b.txt": "bee\nx\nx\n", "sub/f": "", "bin": "a\x00x\n", "key.txt": "key=s3cr3t-zz\n"} {
			d.File(t, name, text)
		}
		d.Link(t, "a.txt", "in.txt")
		d.Link(t, "/tmp", "out")
		before := tree(t, d.Dir)
		want = strings.ReplaceAll(want, "DIR", d.Dir)
		toolstest.Diff(t, lines, apply(good+lines).Text, want)
		toolstest.Diff(t, lines, tree(t, d.Dir), before)
		toolstest.Diff(t, lines+" journal", tree(t, d.journal), map[string]string{})
	}
}

// TestApplyPatchIsJudgedFileByFile: one file that policy keeps refuses the patch, and
// a yes to one patch is none to another.
func TestApplyPatchIsJudgedFileByFile(t *testing.T) {
	d, apply := patching(t)
	d.File(t, "a.txt", "one\n")
	d.Policy = toolstest.Always(policy.Ask)
	d.Approver.Answer = tools.AnswerOnce
	for _, to := range []string{"two", "three", "two"} {
		apply("*** Update File: a.txt\n@@\n-one\n+" + to + "\n")
		d.File(t, "a.txt", "one\n")
	}
	if len(d.Approver.Asked) != 3 {
		t.Fatalf("asked %d times", len(d.Approver.Asked))
	}
	a, b, c := d.Approver.Asked[0].Digest(), d.Approver.Asked[1].Digest(), d.Approver.Asked[2].Digest()
	if a == b || a != c {
		t.Errorf("digests %.8s, %.8s, %.8s", a, b, c)
	}
	lab, err := policy.Parse("lab", []byte("version = 1\n[tools]\nallow = [\"*\", \"apply_patch\"]\n[[file]]\nroot = \"workspace\"\nops = [\"read\", \"write\"]\nwhy = \"work\"\n"+
		"[[file]]\nroot = \"workspace\"\npath = \"plans/**\"\nops = [\"write\"]\nverdict = \"deny\"\nwhy = \"plans are kept\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return lab } })
	d.File(t, "plans/p.txt", "p\n")
	for lines, rule := range map[string]string{
		"*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: plans/p.txt\n@@\n-p\n+q\n": "file.workspace.plans",
		"*** Update File: a.txt\n*** Move to: plans/a.txt\n":                                 "file.workspace.plans",
		"*** Delete File: plans/p.txt\n":                                                     "file.workspace.plans",
		"*** Add File: .git/hooks/x\n+x\n":                                                   "builtin.git",
		"*** Add File: .env\n+x\n":                                                           "builtin.secret",
	} {
		got := apply(lines)
		toolstest.Diff(t, lines, []any{got.Outcome, got.Decision.Rule}, []any{tools.Refused, rule})
	}
	toolstest.Diff(t, "a.txt", d.Content(t, "a.txt"), "one\n")
	toolstest.Diff(t, "allowed", apply("*** Update File: a.txt\n@@\n-one\n+two\n").Outcome, tools.OK)
}

// TestApplyPatchFileChangedMeanwhile: what somebody else does between the check and
// the act stays, and everything before it is taken back.
func TestApplyPatchFileChangedMeanwhile(t *testing.T) {
	d, apply := patching(t)
	d.File(t, "a.txt", "one\n")
	d.File(t, "b.txt", "bee\n")
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		d.File(t, "b.txt", "bee, and more\n")
		d.File(t, "n.txt", "mine\n")
		return policy.Decision{Verdict: policy.Allow}
	}
	got := apply("*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: c/c.txt\n+c\n*** Delete File: b.txt\n")
	toolstest.Diff(t, "deleted", got.Text, "failed: b.txt was changed by someone else meanwhile and was left alone; read it again. Nothing was changed: every file of the patch is as it was")
	got = apply("*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: n.txt\n+n\n")
	toolstest.Diff(t, "added", got.Text, "failed: n.txt is there already; change it with *** Update File, or delete it first; nothing was changed")
	toolstest.Diff(t, "files", tree(t, d.Dir), map[string]string{"a.txt": "644 one\n", "b.txt": "644 bee, and more\n", "n.txt": "644 mine\n"})
}

// TestApplyPatchShowsNoPartOfASecret: a line is redacted before it is cut.
func TestApplyPatchShowsNoPartOfASecret(t *testing.T) {
	d, apply := patching(t)
	d.File(t, "a.txt", "x"+strings.Repeat("y", maxQuoted-5)+"s3cr3t-zz\n")
	got := apply("*** Update File: a.txt\n@@\n-xyyy\n+z\n").Text
	if strings.Contains(got, "s3c") || !strings.Contains(got, `[sec" (cut at 200 characters)`) {
		t.Error(got)
	}
}
