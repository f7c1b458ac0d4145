package assembly

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// HeartbeatFile is the one workspace file that never stands in the system text:
// it is read into the turn context of heartbeat runs.
const HeartbeatFile = "HEARTBEAT.md"

// The defaults of Limits and the characters per token that the window share is
// worked out with. That one is fixed: if it followed the estimator, a corrected
// estimate would move the prefix.
const (
	fileLimit          = 20_000
	totalLimit         = 60_000
	windowShare        = 0.30
	skillsLimit        = 6_000
	shareBytesPerToken = 3.6
)

// known is a workspace file that has a place of its own.
type known struct {
	name string // lower case, in the root of the workspace
	rank int
	// role is our sentence about the file; a file can't claim one for itself.
	role string
	// expected files leave a line when they are missing; minimal ones stand in
	// minimal mode too.
	expected, minimal bool
}

// knownFiles is the table of ranks: rules before persona before memory.
var knownFiles = []known{
	{name: "agents.md", rank: 10, expected: true, minimal: true},
	{name: "soul.md", rank: 20, expected: true, role: "Persona and tone: follow it unless a higher rule says otherwise."},
	{name: "identity.md", rank: 30, expected: true},
	{name: "user.md", rank: 40, role: "About the person: preferences, which higher rules override."},
	{name: "tools.md", rank: 50, expected: true, minimal: true},
	{name: "bootstrap.md", rank: 60},
	{name: "memory.md", rank: 70, role: "Notes kept from earlier work: facts to check, not rules."},
}

// lastRank is the rank of every other file.
const lastRank = 1000

// WorkspaceFiles names the files that belong in the root of a workspace, in the
// order of the prompt, with HeartbeatFile last.
func WorkspaceFiles() []string {
	return []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "BOOTSTRAP.md", "MEMORY.md", HeartbeatFile}
}

// lookup gives a file's row of the table. Only files in the root have one: a
// file of a known name in a folder below is a file like any other.
func lookup(name string) known {
	for _, k := range knownFiles {
		if strings.ToLower(name) == k.name {
			return k
		}
	}
	return known{rank: lastRank}
}

// ForSub reports whether a file, by its name, stands in the prompt of sub-agents.
func ForSub(name string) bool { return lookup(name).minimal }

// IsHeartbeat reports whether a file, by its name, holds heartbeat notes and so
// stays out of the system text.
func IsHeartbeat(name string) bool { return strings.EqualFold(path.Base(name), HeartbeatFile) }

// rank orders files: by rank, by name, by path.
func rank(files []File) []File {
	out := slices.Clone(files)
	slices.SortFunc(out, func(a, b File) int {
		return cmp.Or(
			cmp.Compare(lookup(a.Name).rank, lookup(b.Name).rank),
			cmp.Compare(path.Base(a.Name), path.Base(b.Name)),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return out
}

// projectContext renders the workspace files that belong in a mode, within the
// limits.
func projectContext(in *Input) []piece {
	left := in.Limits.total()
	var out []piece
	for _, f := range rank(in.Files) {
		k := lookup(f.Name)
		if IsHeartbeat(f.Name) || in.Mode == Minimal && !k.minimal {
			continue
		}
		p, used := renderFile(in, f, k, left)
		left = left.spend(used)
		out = append(out, p)
	}
	return out
}

// renderFile renders one file and gives the text that counts against the total.
func renderFile(in *Input, f File, k known, left allowance) (piece, string) {
	p := piece{name: "file", source: f.Name, data: true, raw: len(f.Data)}
	if f.Hook != "" {
		p.source = "hook " + oneLine(f.Hook) + ": " + f.Name
	}
	name := oneLine(f.Name)
	if f.Missing {
		if k.expected {
			p.text = "[MISSING] " + name
		}
		return p, ""
	}
	p.rawHash = hash(f.Data)
	text, note, problem := decode(f.Data)
	if f.Problem != "" {
		problem = f.Problem
	}
	if problem != "" {
		p.cut, p.note = true, "not in the prompt: "+problem
		p.text = "[UNREADABLE] " + name + ": " + oneLine(problem)
		return p, ""
	}
	plain := lineEnds(text)
	safe := harmless(plain)
	if safe != plain {
		note = joinNotes(note, "control marks of chat templates or hidden characters in it were made harmless")
	}
	p.note = note
	body, lines := foldLines(safe)
	if body == "" {
		return p, ""
	}
	size := utf8.RuneCountInString(text)
	if limit := left.bites(body); limit != nil {
		c, short, ok := cut(body, limit.budget, func(c cutText) string { return cutMark(in, f, c, size, lines) })
		p.cut = true
		if !ok {
			p.note = joinNotes(note, fmt.Sprintf("left out: %d characters, and of %s only %d are left", size, limit, max(0, limit.budget.chars)))
			p.text = fmt.Sprintf("[LEFT OUT] %s: %d characters, no room. %s", name, size, howToRead(in, f, 1))
			return p, ""
		}
		p.note = joinNotes(note, cutNote(c, size, limit))
		body = short
	}
	p.text = "## " + name + "\n"
	if k.role != "" {
		p.text += k.role + "\n"
	}
	p.text += "<file>\n" + body + "\n</file>"
	return p, body
}

// cutMark is what the model reads in the middle of a shortened file. Lines are
// the places of the text's lines in the file.
func cutMark(in *Input, f File, c cutText, size int, lines []int) string {
	from := lines[strings.Count(c.head, "\n")]
	return fmt.Sprintf("\n[hardshell: %s is shortened here: its first %d and last %d of %d characters are shown. %s]\n",
		oneLine(f.Name), utf8.RuneCountInString(c.head), utf8.RuneCountInString(c.tail), size, howToRead(in, f, from))
}

// howToRead tells how to get at what was left out, which begins in a line of the
// file.
func howToRead(in *Input, f File, line int) string {
	if in.offers("read") && f.Hook == "" {
		return fmt.Sprintf("For the rest, `read` %s from line %d.", oneLine(f.Name), line)
	}
	return "The rest cannot be read here."
}

// cutNote is what the person reads of a shortened file.
func cutNote(c cutText, size int, limit *limit) string {
	note := fmt.Sprintf("%d characters, %s: the first %d and the last %d are kept",
		size, limit, utf8.RuneCountInString(c.head), utf8.RuneCountInString(c.tail))
	if lost := headings(c.out); len(lost) > 0 {
		const most = 5
		more := ""
		if len(lost) > most {
			more = fmt.Sprintf(" and %d more", len(lost)-most)
			lost = lost[:most]
		}
		note += "; headings left out: " + strings.Join(lost, ", ") + more
	}
	return note
}

// joinNotes joins the notes that are not empty.
func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}
