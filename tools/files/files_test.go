package files

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// onBoth runs a test with the kernel's bounded open and with the walk that stands in
// for it on older kernels.
func onBoth(t *testing.T, test func(t *testing.T, d *door)) {
	t.Helper()
	t.Run("openat2", func(t *testing.T) { test(t, newDoor(t)) })
	t.Run("walk", func(t *testing.T) {
		d := newDoor(t)
		d.roots.open = func(int, string, uint64) (int, error) { return -1, unix.ENOSYS }
		test(t, d)
	})
}

func TestRead(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		d.File(t, "notes/board.md", "one\ntwo\nthree\n")
		d.File(t, "crlf.txt", "a\r\nb\r\n")
		d.File(t, "bom.txt", "\ufeffhello\n")
		d.File(t, "empty.txt", "")
		d.File(t, "open.txt", "no newline")
		d.File(t, "latin.txt", "caf\xe9\n")
		d.File(t, "board.png", "\x89PNG\r\n\x1a\n\x00\x00")
		d.File(t, "fw.bin", "\x00\x01\x02")
		d.File(t, "long.txt", strings.Repeat("x", 20_000)+"\nsecond\n")
		d.File(t, "lines.txt", numbered(500))
		d.File(t, "skills/mic/SKILL.md", "---\nname: mic\n---\nLook.\n")
		for _, c := range []struct {
			args, want string
			outcome    tools.Outcome
		}{
			{`{"path":"notes/board.md"}`, "one\ntwo\nthree\n", tools.OK},
			{`{"path":"./notes//board.md"}`, "one\ntwo\nthree\n", tools.OK},
			{`{"path":"notes/../notes/board.md"}`, "one\ntwo\nthree\n", tools.OK},
			{`{"path":"DIR/notes/board.md"}`, "one\ntwo\nthree\n", tools.OK},
			{`{"path":"notes/board.md","offset":2,"limit":1}`, "two\n[lines 2-2 of 3; go on with offset 3]", tools.OK},
			{`{"path":"notes/board.md","offset":3}`, "three\n[lines 3-3 of 3]", tools.OK},
			{`{"path":"notes/board.md","offset":null,"limit":null}`, "one\ntwo\nthree\n", tools.OK}, // case 011
			{`{"path":"notes/board.md","offset":9}`, "[notes/board.md has 3 lines, offset 9 is behind its end]", tools.OK},
			{`{"path":"notes/board.md","offset":-1}`, `invalid arguments for read: "offset" and "limit" count lines and can't be below 0. Nothing was done; correct them and call again.`, tools.Invalid},
			{`{"path":"crlf.txt"}`, "a\nb\n[lines end in CRLF; write and edit keep that]", tools.OK},
			{`{"path":"bom.txt"}`, "hello\n[begins with a byte order mark, not shown]", tools.OK},
			{`{"path":"empty.txt"}`, "[empty.txt is empty]", tools.OK},
			{`{"path":"open.txt"}`, "no newline", tools.OK},
			{`{"path":"latin.txt"}`, "caf\uFFFD\n[bytes that are no UTF-8 are shown as \uFFFD]", tools.OK},
			{`{"path":"board.png"}`, "failed: board.png is a picture (PNG, 10 bytes) and read hands on text only, so that it can't be looked at; ask the person what it shows, or use a program that turns it into text", tools.Failed}, // case 041
			{`{"path":"fw.bin"}`, "binary, 3 bytes, starting 00 01 02\n[fw.bin holds no text; use exec with a program that knows it]", tools.OK},
			{`{"path":"long.txt"}`, strings.Repeat("x", 8192) + "\n[lines 1-1 of 2; go on with offset 2 (limit exec.output_bytes = 8192); line 1 is longer than exec.output_bytes = 8192 and is cut]", tools.OK},
			{`{"path":"lines.txt","offset":301}`, strings.Join(strings.SplitAfter(numbered(500), "\n")[300:], ""), tools.OK},
			{`{"path":"notes"}`, "board.md\n[folder notes, 1 entries]", tools.OK},
			{`{"path":"note.md"}`, "failed: there is no file note.md; list the folder to see what there is", tools.Failed},
			{`{"path":"skills/mic/SKILL.md"}`, "---\nname: mic\n---\nLook.\n[sha256 f1fd038baa51]", tools.OK},
			{`{"path":"skills/mic/SKILL.md","offset":4,"limit":1}`, "Look.\n[lines 4-4 of 4; sha256 f1fd038baa51]", tools.OK},
			{`{"path":"line.txt"}`, "failed: there is no file line.txt; nearest: lines.txt; list the folder to see what there is", tools.Failed},
			{`{"path":"gone/a.md"}`, "failed: there is no gone/a.md: its folder gone does not exist; list the folders that do", tools.Failed},
			{`{"path":"open.txt/x"}`, "failed: open.txt is no folder, so there is no open.txt/x; look at the folder first", tools.Failed},
			{`{"path":""}`, `invalid arguments for read: "path" is empty; name a file, relative to the workspace. Nothing was done; correct them and call again.`, tools.Invalid},
			{`{"path":"a\u0000b"}`, `invalid arguments for read: "path" holds a zero byte; name a file. Nothing was done; correct them and call again.`, tools.Invalid},
		} {
			got := d.Do(t, "read", strings.ReplaceAll(c.args, "DIR", d.Dir))
			want := c.want
			if strings.Contains(c.args, "301") {
				want += "[lines 301-500 of 500]"
			}
			toolstest.Diff(t, c.args, []any{got.Outcome, got.Text}, []any{c.outcome, want})
		}
		got := d.Do(t, "read", `{"path":"lines.txt"}`)
		toolstest.Diff(t, "cut", got.Cut, "lines 1-200 of 500; go on with offset 201 (limit exec.output_lines = 200)")
	})
}

func TestReadMasksAndRefusesWhatIsNoFile(t *testing.T) {
	d := newDoor(t)
	d.File(t, "key.txt", "key=s3cr3t-zz\n")
	toolstest.Diff(t, "redacted", d.Do(t, "read", `{"path":"key.txt"}`).Text, "key=[secret LAB_KEY]\n")
	if err := syscall.Mkfifo(filepath.Join(d.Dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	// A pipe that nobody writes to would hold the turn for ever.
	toolstest.Diff(t, "pipe", d.Do(t, "read", `{"path":"pipe"}`).Text, "failed: pipe is a pipe, no file; read a file")
	toolstest.Diff(t, "write to it", d.Do(t, "write", `{"path":"pipe","content":"x"}`).Outcome, tools.Refused)
}

// A skill comes in one piece, whatever the limits of output; one that is no longer
// a page or two comes like any file.
func TestASkillIsReadInWhole(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		page := numbered(4000)
		d.File(t, "skills/long/SKILL.md", page[:skillWhole])
		d.File(t, "skills/book/SKILL.md", page[:skillWhole+1])
		d.File(t, "skills/long/page.md", page[:skillWhole])
		got := d.Do(t, "read", `{"path":"skills/long/SKILL.md"}`)
		if !strings.HasPrefix(got.Text, page[:skillWhole]+"\n[sha256 ") || got.Cut != "" {
			t.Errorf("%d bytes, cut: %q, end %q", len(got.Text), got.Cut, got.Text[max(0, len(got.Text)-60):])
		}
		for _, path := range []string{"skills/book/SKILL.md", "skills/long/page.md"} {
			got := d.Do(t, "read", fmt.Sprintf(`{"path":%q}`, path))
			if !strings.Contains(got.Cut, "go on with offset 201") || !strings.Contains(got.Cut, "exec.output_lines = 200") {
				t.Errorf("%s: cut: %q", path, got.Cut)
			}
		}
		part := d.Do(t, "read", `{"path":"skills/long/SKILL.md","offset":2}`)
		if !strings.HasPrefix(part.Text, page[strings.Index(page, "\n")+1:][:100]) || !strings.Contains(part.Cut, "go on with offset 202") {
			t.Errorf("a part: cut %q", part.Cut)
		}
	})
}

func TestLinksInsideWorkAndOutsideAreNamed(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		outside := t.TempDir()
		if err := os.WriteFile(filepath.Join(outside, "hostname"), []byte("LEAKED"), 0o644); err != nil {
			t.Fatal(err)
		}
		d.File(t, "sub/real.txt", "inside\n")
		d.Link(t, "sub/real.txt", "rel.txt")
		d.Link(t, filepath.Join(d.Dir, "sub"), "abs")
		d.Link(t, "../sub", "sub/up")
		d.Link(t, outside, "etc")
		d.Link(t, filepath.Join(outside, "hostname"), "file")
		d.Link(t, "../../../../../../etc", "climb")
		d.Link(t, "loop", "loop")
		d.Link(t, "etc", "twice")
		for path, want := range map[string]string{
			"rel.txt":                "inside\n",
			"abs/real.txt":           "inside\n",
			"sub/up/up/real.txt":     "inside\n",
			"sub/up/../sub/real.txt": "inside\n",
			d.Dir + "/abs/real.txt":  "inside\n",
			"etc/hostname":           "refused: etc/hostname leads out of the folders that file tools may use: the link etc leads to " + outside,
			"file":                   "refused: file leads out of the folders that file tools may use: the link file leads to " + outside + "/hostname",
			"climb/hostname":         "refused: climb/hostname leads out of the folders that file tools may use: the link climb leads to ../../../../../../etc",
			"twice/hostname":         "refused: twice/hostname leads out of the folders that file tools may use: the link etc leads to " + outside,
			"loop":                   "refused: loop leads out of the folders that file tools may use: more than 40 links, the last is loop",
			"../outside":             "refused: ../outside leads out of the folders that file tools may use: \"..\" goes above " + d.Dir,
			"sub/../../x":            "refused: sub/../../x leads out of the folders that file tools may use: \"..\" goes above " + d.Dir,
			outside + "/hostname":    "refused: " + outside + "/hostname leads out of the folders that file tools may use",
			d.Dir + "x/file":         "refused: " + d.Dir + "x/file leads out of the folders that file tools may use",
			d.Dir + "/../x":          "refused: " + d.Dir + "/../x leads out of the folders that file tools may use: \"..\" goes above " + d.Dir,
			"/proc/self/root/etc/os": "refused: /proc/self/root/etc/os leads out of the folders that file tools may use",
			"gone/../sub/real.txt":   "failed: gone/../sub/real.txt goes through gone, which does not exist; write the path without \"..\"",
		} {
			got := d.Do(t, "read", fmt.Sprintf(`{"path":%q}`, path))
			if !strings.HasPrefix(got.Text, want) || strings.Contains(got.Text, "LEAKED") {
				t.Errorf("%s: %q, want it to begin with %q", path, got.Text, want)
			}
		}
	})
}

func TestCase134And136And137_NothingIsMadeOutside(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		outside := t.TempDir()
		d.Link(t, filepath.Join(outside, "not-yet"), "draft.txt")
		d.Link(t, outside, "out")
		d.Link(t, "inside-not-yet", "own.txt")
		d.File(t, "a/x", "")
		for _, path := range []string{"draft.txt", "out/new/deep/a.txt", "out/a.txt", "a/../../b", "own.txt", "../b", outside + "/b", "out/../b"} {
			for _, call := range [][2]string{
				{"write", fmt.Sprintf(`{"path":%q,"content":"x"}`, path)}, {"edit", fmt.Sprintf(`{"path":%q,"old":"a","new":"b"}`, path)},
			} {
				if got := d.Do(t, call[0], call[1]); got.Outcome != tools.Refused || !strings.HasPrefix(got.Text, "refused: "+path+" ") {
					t.Errorf("%s %s: %+v", call[0], path, got)
				}
			}
		}
		if left, _ := os.ReadDir(outside); len(left) != 0 {
			t.Errorf("made outside: %v", left)
		}
		if _, err := os.Lstat(filepath.Join(d.Dir, "inside-not-yet")); err == nil {
			t.Error("wrote through a link")
		}
		for _, r := range d.Auditor.Records {
			if r.Verdict != "deny" || !strings.HasPrefix(r.Rule, "files.") {
				t.Errorf("record %+v", r)
			}
		}
		toolstest.Diff(t, "records", len(d.Auditor.Records), 16)
	})
}

func TestWrite(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		d.File(t, "run.sh", "old")
		if err := os.Chmod(filepath.Join(d.Dir, "run.sh"), 0o750); err != nil {
			t.Fatal(err)
		}
		d.File(t, "dir/x", "")
		d.Link(t, "dir", "way")
		for _, c := range [][3]string{
			{"run.sh", "new\n", "wrote run.sh, 4 bytes, 1 lines"},
			{"new/deep/a.txt", "x", "created new/deep/a.txt, 1 bytes, 1 lines"},
			{"way/b.txt", "", "created way/b.txt, 0 bytes, 0 lines"},
			{d.Dir + "/c.txt", "c", "created " + d.Dir + "/c.txt, 1 bytes, 1 lines"},
		} {
			got := d.Do(t, "write", fmt.Sprintf(`{"path":%q,"content":%q}`, c[0], c[1]))
			toolstest.Diff(t, c[0], got.Text, c[2])
		}
		toolstest.Diff(t, "content", []string{d.Content(t, "run.sh"), d.Content(t, "new/deep/a.txt"), d.Content(t, "dir/b.txt")}, []string{"new\n", "x", ""})
		info, err := os.Stat(filepath.Join(d.Dir, "run.sh"))
		if err != nil {
			t.Fatal(err)
		}
		toolstest.Diff(t, "mode kept", info.Mode(), fs.FileMode(0o750))
		for _, c := range [][2]string{{"dir", `"dir" is a folder; name a file in it`}, {".", `"." names a folder; name a file in it`}, {"run.sh/x", "run.sh is no folder"}} {
			if got := d.Do(t, "write", fmt.Sprintf(`{"path":%q,"content":"x"}`, c[0])); !strings.Contains(got.Text, c[1]) {
				t.Errorf("%s: %q", c[0], got.Text)
			}
		}
		noTemps(t, d.Dir)
	})
}

// noTemps fails when a half-written file was left behind.
func noTemps(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, ".hardshell-") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEdit(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		const text = "alpha\nbeta\n  gamma delta\nbeta two\n"
		for _, c := range []struct{ name, file, before, after, want, content string }{
			{"once", text, "alpha", "ALPHA", "edited f.txt at line 1: 5 bytes became 5", "ALPHA\nbeta\n  gamma delta\nbeta two\n"},
			{"over lines", text, "alpha\nbeta\n", "", "edited f.txt at line 1: 11 bytes became 0", "  gamma delta\nbeta two\n"},
			{"twice", text, "beta", "x", "failed: the old text stands 2 times in f.txt (lines 2, 4); nothing was changed; take more of the text around the one you mean", text},
			{"never", text, "omega", "x", "failed: the old text does not stand in f.txt; nothing was changed; read the file and copy the text exactly", text},
			{"other blanks", text, "gamma  delta", "x", "failed: the old text does not stand in f.txt like that, only with other blanks at line 3; nothing was changed; read that line and copy it exactly", text},
			{"CRLF kept", "a\r\nb\r\nc\r\n", "a\nb", "a\nB\nbb", "edited f.txt at line 1: 4 bytes became 8", "a\r\nB\r\nbb\r\nc\r\n"},
			{"CRLF within a line", "a\r\nb\r\n", "b", "x\ny", "edited f.txt at line 2: 1 bytes became 4", "a\r\nx\r\ny\r\n"},
			{"BOM kept", "\ufeffa\n", "a", "b", "edited f.txt at line 1: 1 bytes became 1", "\ufeffb\n"},
			{"no text", "a\x00b", "a", "x", "failed: f.txt is no text file; change it with a program that knows it", "a\x00b"},
			{"same", text, "alpha", "alpha", `invalid arguments for edit: "new" is the same as "old"; give the changed text. Nothing was done; correct them and call again.`, text},
			{"empty", text, "", "x", `invalid arguments for edit: "old" is empty; copy the text to replace, or use write for a new file. Nothing was done; correct them and call again.`, text},
		} {
			d.File(t, "f.txt", c.file)
			got := d.Do(t, "edit", jsonOf(t, map[string]string{"path": "f.txt", "old": c.before, "new": c.after}))
			toolstest.Diff(t, c.name, []string{got.Text, d.Content(t, "f.txt")}, []string{c.want, c.content})
		}
		toolstest.Diff(t, "missing", d.Do(t, "edit", `{"path":"no.txt","old":"a","new":"b"}`).Outcome, tools.Failed)
		noTemps(t, d.Dir)
	})
}

func TestFactsOfAFileTellWhereItLeads(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		d.File(t, "sub/real.txt", "x")
		d.Link(t, "sub/real.txt", "l.txt")
		d.Link(t, "sub", "s")
		for _, path := range []string{"l.txt", "s/real.txt", "s/new.txt", "s/n/m.txt", "sub", "."} {
			d.Do(t, "read", fmt.Sprintf(`{"path":%q}`, path))
		}
		got := map[string]any{}
		for _, f := range d.Policy.Facts {
			for path, p := range f.Paths {
				got[path] = []any{strings.TrimPrefix(p.Abs, d.Dir), strings.TrimPrefix(p.Real, d.Dir), p.Exists, p.Link, p.Kind}
			}
		}
		toolstest.Diff(t, "facts", got, map[string]any{
			"l.txt":      []any{"/l.txt", "/sub/real.txt", true, true, "file"},
			"s/real.txt": []any{"/s/real.txt", "/sub/real.txt", true, false, "file"},
			"s/new.txt":  []any{"/s/new.txt", "/sub/new.txt", false, false, ""},
			"s/n/m.txt":  []any{"/s/n/m.txt", "/sub/n/m.txt", false, false, ""},
			"sub":        []any{"/sub", "/sub", true, false, "dir"},
			".":          []any{"", "", true, false, "dir"},
		})
	})
}

// TestMoreRoots: a root has a short name, which nothing in the workspace can take
// over, and is reached by its folder as well. No way leads out of it, and policy is
// asked about the place itself.
func TestMoreRoots(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		docs, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
		for name, text := range map[string]string{docs + "/guide.md": "guide\n", docs + "/sub/a.md": "a\n", secret: "secret\n"} {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for name, to := range map[string]string{"out": secret, "up": "../secret", "in": "guide.md"} {
			if err := os.Symlink(to, filepath.Join(docs, name)); err != nil {
				t.Fatal(err)
			}
		}
		d.roots.list = append(d.roots.list, Root{Name: "docs", Dir: docs}, Root{Name: "gone", Dir: docs + "/gone"})
		d.File(t, "docs:guide.md", "a file of the workspace\n")
		d.File(t, "docs:/guide.md", "a file in a folder of that name\n")
		d.File(t, "docs/guide.md", "a folder of the workspace\n")
		d.Link(t, docs+"/guide.md", "manual")
		for path, want := range map[string][]any{
			docs + "/guide.md":        {tools.OK, "guide\n"},
			"docs:guide.md":           {tools.OK, "guide\n"},
			"docs:/guide.md":          {tools.OK, "guide\n"},
			"docs:sub/../in":          {tools.OK, "guide\n"},
			"docs:sub/a.md":           {tools.OK, "a\n"},
			"docs:":                   {tools.OK, "guide.md\nin\nout\nsub/\nup\n[folder docs:, 5 entries]"},
			"workspace:docs/guide.md": {tools.OK, "a folder of the workspace\n"},
			"docs/guide.md":           {tools.OK, "a folder of the workspace\n"},
			"./docs:guide.md":         {tools.OK, "a file of the workspace\n"},
			"DOCS:guide.md":           {tools.Failed, "failed: there is no file DOCS:guide.md; nearest: docs:guide.md; list the folder to see what there is"},
			"docs:gide.md":            {tools.Failed, "failed: there is no file docs:gide.md; nearest: guide.md; list the folder to see what there is"},
			"gone:x":                  {tools.Failed, "failed: the folder " + docs + "/gone (gone) can't be opened: no such file or directory; ask the operator"},
			"manual":                  {tools.Refused, ""},
			"docs:out":                {tools.Refused, ""},
			"docs:up":                 {tools.Refused, ""},
			"docs:../secret":          {tools.Refused, ""},
			"docs:sub/../../secret":   {tools.Refused, ""},
			"docs:" + secret:          {tools.Failed, ""},
			secret:                    {tools.Refused, ""},
		} {
			got := d.Do(t, "read", fmt.Sprintf(`{"path":%q}`, path))
			if want[1] == "" {
				got.Text = ""
			}
			toolstest.Diff(t, path, []any{got.Outcome, got.Text}, want)
		}
		if got := d.Do(t, "read", `{"path":"/etc/passwd"}`); !strings.Contains(got.Text, "use a path in "+d.Dir+", or one that begins with docs: or gone:") {
			t.Error(got.Text)
		}
		d.Policy.Judge = func(a policy.Action, f policy.Facts) policy.Decision {
			toolstest.Diff(t, "what policy judges", []any{a.Kind.(*policy.File).Path, f.Paths[a.Kind.(*policy.File).Path]},
				[]any{docs + "/in", policy.Path{Abs: docs + "/in", Real: docs + "/guide.md", Exists: true, Link: true, Kind: "file"}})
			return policy.Decision{Verdict: policy.Deny, Rule: "test.deny"}
		}
		toolstest.Diff(t, "a denied name", d.Do(t, "read", `{"path":"docs:sub/../in"}`).Outcome, tools.Refused)
	})
	if _, err := NewRoots("relative"); err == nil {
		t.Error("a relative root was taken")
	}
}

// numbered gives n lines, each with its number.
func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestCase008And010_FilesHoldWhatWasGiven(t *testing.T) {
	d := newDoor(t)
	d.Do(t, "write", `{"path":"serial.txt","content":"0042"}`)
	toolstest.Diff(t, "serial.txt", d.Content(t, "serial.txt"), "0042")
	d.Do(t, "write", `{"path":"uart.json","content":{"rate":9600,"parity":"N"}}`)
	toolstest.Diff(t, "uart.json", d.Content(t, "uart.json"), `{"rate":9600,"parity":"N"}`)
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
