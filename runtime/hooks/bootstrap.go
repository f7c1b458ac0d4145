package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hardshell/assembly"
)

// bootstrapInput is what a hook of Bootstrap reads.
type bootstrapInput struct {
	about
	Files []bootstrapFile `json:"files"`
}

// bootstrapFile is a workspace file as it stands now. Its text is not told: the
// program can read the workspace.
type bootstrapFile struct {
	Name    string `json:"name"`
	Bytes   int    `json:"bytes"`
	Hash    string `json:"sha256,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	Hook    string `json:"hook,omitempty"` // that gave it before this one
}

// bootstrapReply is what it may write.
type bootstrapReply struct {
	Files []struct {
		Name    string  `json:"name"`
		Content *string `json:"content"`
	} `json:"files"`
}

// kept are workspace files that no hook gives: the notes of heartbeat turns, which
// no prompt carries, and the rite of a new workspace, which never comes back.
var kept = []string{assembly.HeartbeatFile, "BOOTSTRAP.md"}

// names are the files that a hook may give, as they are written.
func names() []string {
	return slices.DeleteFunc(assembly.WorkspaceFiles(), func(n string) bool { return slices.Contains(kept, n) })
}

// Files asks the hooks of Bootstrap, one after the other, and gives the workspace
// files with theirs in place.
func Files(ctx context.Context, all []Hook, a About, files []assembly.File) ([]assembly.File, error) {
	files = slices.Clone(files)
	for _, h := range of(all, Bootstrap) {
		in := bootstrapInput{about: a.wire(Bootstrap), Files: []bootstrapFile{}}
		for _, f := range files {
			in.Files = append(in.Files, told(f))
		}
		var reply bootstrapReply
		if err := h.ask(ctx, a, in, &reply); err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, f := range reply.Files {
			if f.Content == nil {
				return nil, h.failed(fmt.Sprintf("the file %s has no content", quoted(f.Name)))
			}
			name, err := fileName(f.Name)
			if err == nil && seen[name] {
				err = fmt.Errorf("the file %s is there twice", name)
			}
			if err == nil {
				err = plain("the file "+name, strings.ReplaceAll(*f.Content, "\r\n", "\n"))
			}
			if err != nil {
				return nil, h.failed(err.Error())
			}
			seen[name] = true
			files = put(files, assembly.File{Name: name, Data: []byte(*f.Content), Hook: h.Name})
		}
	}
	return files, nil
}

// told is a file as a hook is told of it.
func told(f assembly.File) bootstrapFile {
	out := bootstrapFile{Name: f.Name, Bytes: len(f.Data), Missing: f.Missing, Hook: f.Hook}
	if !f.Missing && f.Problem == "" {
		sum := sha256.Sum256(f.Data)
		out.Hash = hex.EncodeToString(sum[:])
	}
	return out
}

// fileName is the workspace file that a hook names.
func fileName(name string) (string, error) {
	for _, n := range names() {
		if strings.EqualFold(n, name) {
			return n, nil
		}
	}
	return "", fmt.Errorf("it gave the file %s, and a hook may give %s only", quoted(name), strings.Join(names(), ", "))
}

// put puts a file in the place of the one of its name, or behind all.
func put(files []assembly.File, f assembly.File) []assembly.File {
	for i := range files {
		if strings.EqualFold(files[i].Name, f.Name) {
			f.Name = files[i].Name
			files[i] = f
			return files
		}
	}
	return append(files, f)
}

// quoted is a foreign name in quotes, harmless and short.
func quoted(s string) string { return fmt.Sprintf("%q", head(s)) }
