package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"hardshell/assembly"
	"hardshell/runtime/session"
)

// Files are the workspace files that a form's prompt may carry, without secret values.
// They are redacted before anything is cut, as the prompt holds them, so that a changed
// secret is no changed file.
func (m *Maker) Files(f Form) []assembly.File {
	files := m.redacted(m.cfg.Files())
	if f.Mode != assembly.Minimal {
		return files
	}
	return forSub(files)
}

// forSub are those of the workspace files that sub-agents get.
func forSub(files []assembly.File) []assembly.File {
	return slices.DeleteFunc(slices.Clone(files), func(f assembly.File) bool { return !assembly.ForSub(f.Name) })
}

// Stale names the files that are newer than the prompt of a session. files are those of
// the whole form as they are today.
func Stale(id string, frozen session.Prefix, files []assembly.File) []assembly.Changed {
	if session.IsSub(id) {
		files = forSub(files)
	}
	return changed(frozen.Files, files)
}

// redacted are files without secret values.
func (m *Maker) redacted(files []assembly.File) []assembly.File {
	files = slices.Clone(files)
	for i, f := range files {
		files[i].Data = []byte(m.cfg.Redactor.Redact(string(f.Data)))
	}
	return files
}

// skills are skills without secret values.
func (m *Maker) skills(skills []assembly.Skill) []assembly.Skill {
	skills = slices.Clone(skills)
	for i, s := range skills {
		skills[i].Description = m.cfg.Redactor.Redact(s.Description)
	}
	return skills
}

// frozenFiles are the hashes of the files that a prefix carries.
func frozenFiles(files []assembly.File) []session.FrozenFile {
	var out []session.FrozenFile
	for _, f := range files {
		if assembly.IsHeartbeat(f.Name) {
			continue
		}
		out = append(out, session.FrozenFile{Name: f.Name, Hash: fileHash(f)})
	}
	return out
}

// fileHash is the sha-256 of a workspace file in hex, "missing" where there is
// none.
func fileHash(f assembly.File) string {
	switch {
	case f.Missing:
		return "missing"
	case f.Problem != "":
		return "unreadable"
	}
	sum := sha256.Sum256(f.Data)
	return hex.EncodeToString(sum[:])
}

// changed names the files that differ from the frozen ones, in the order of
// today's files, vanished ones last.
func changed(frozen []session.FrozenFile, files []assembly.File) []assembly.Changed {
	was := map[string]string{}
	for _, f := range frozen {
		was[f.Name] = f.Hash
	}
	var out []assembly.Changed
	seen := map[string]bool{}
	for _, f := range frozenFiles(files) {
		seen[f.Name] = true
		before, known := was[f.Name]
		if !known {
			before = "missing"
		}
		if before != f.Hash {
			out = append(out, assembly.Changed{Name: f.Name, Frozen: before, Now: f.Hash})
		}
	}
	for _, f := range frozen {
		if !seen[f.Name] && f.Hash != "missing" {
			out = append(out, assembly.Changed{Name: f.Name, Frozen: f.Hash, Now: "missing"})
		}
	}
	return out
}
