package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Memory is the memory of the machine in bytes: what programs may still take, and all
// that is installed. 0 is not known.
type Memory struct{ Free, Total int64 }

// Lister tells what a server has and what it holds in memory. *Client is one.
type Lister interface {
	List(ctx context.Context) ([]Info, error)
	Show(ctx context.Context, name string) (Info, error)
	Running(ctx context.Context) ([]Loaded, error)
}

// Settled is a choice as it is kept, with all that may change it.
type Settled struct {
	Model  string `json:"model"`
	Digest string `json:"digest"`
	// Models is a hash of what the server had to choose from; empty where the model
	// was named.
	Models string `json:"models,omitempty"`
	Window int    `json:"window"`
	// Configured is model.num_ctx, 0 when it was not set.
	Configured int    `json:"configured,omitempty"`
	Installed  int64  `json:"installed"` // memory of the machine in bytes
	Why        string `json:"why,omitempty"`
}

// Choices keeps what was settled, by a key.
type Choices interface {
	Settled(key string) (s Settled, ok bool)
	Settle(key string, s Settled) error
}

// Chooser settles on a model and its window. What it has settled stays as long as the
// model, the configuration and the installed memory do: the memory that is free just
// now says little, since the model itself takes most of it.
type Chooser struct {
	Server  string // its address: another server is another choice
	Catalog Lister
	Memory  func() Memory // nil: not known
	NumCtx  int           // configured window in tokens; 0: by model and memory
	Kept    Choices       // nil keeps nothing
}

// Choice is a model and its window.
type Choice struct {
	Info   Info
	NumCtx int
	Why    string // why this one, when nobody named it
	// Changed says why it is another one than before; empty when it is not.
	Changed string
}

// Choose settles on the model that is named, or on the best one of the server where
// none is, and keeps it. A choice that can't be kept holds all the same, and is made
// again by the next process.
func (c Chooser) Choose(ctx context.Context, name string) (Choice, error) {
	was, had := c.kept(name)
	mem := c.memory()
	loaded, err := c.Catalog.Running(ctx)
	var e *Error
	switch {
	case errors.As(err, &e) && e.Code == Unreachable, ctx.Err() != nil:
		return Choice{}, err
	case err != nil:
		loaded = nil // a server that does not tell
	}
	now := Settled{Configured: c.NumCtx, Installed: mem.Total}
	info, err := c.find(ctx, name, was, &now, mem, loaded)
	if err != nil {
		return Choice{}, err
	}
	now.Model, now.Digest = info.Name, info.Digest
	if now.Digest == "" && was.Model == now.Model {
		now.Digest = was.Digest // not told just now
	}
	now.Window = was.Window
	if !had || !was.holds(now) {
		now.Window = c.window(info, mem, loaded)
	}
	if now != was && c.Kept != nil {
		_ = c.Kept.Settle(c.key(name), now) // see above
	}
	out := Choice{Info: info, NumCtx: now.Window, Why: now.Why}
	if had && (was.Model != now.Model || was.Window != now.Window) {
		out.Changed = was.differs(now)
	}
	return out, nil
}

// Last is the window that Choose would most likely give, without asking the server.
func (c Chooser) Last(name string) int {
	if was, ok := c.kept(name); ok && was.Configured == c.NumCtx {
		return was.Window
	}
	return numCtx(Info{}, c.NumCtx, c.memory().Free)
}

// find is the model to take. Where none is named it stays the one that was settled,
// unless the server lost it, has others now of which a bigger one fits, or the
// machine has another memory.
func (c Chooser) find(ctx context.Context, name string, was Settled, now *Settled, mem Memory, loaded []Loaded) (Info, error) {
	if name != "" {
		info, err := c.Catalog.Show(ctx, name)
		if err == nil {
			err = Answers(info)
		}
		return info, err
	}
	list, err := c.Catalog.List(ctx)
	if err != nil {
		return Info{}, err
	}
	now.Models, now.Why = choosable(list), was.Why
	at := slices.IndexFunc(list, func(i Info) bool { return was.Model != "" && i.Name == was.Model })
	if at >= 0 && was.Models == now.Models && !another(was.Installed, mem.Total) {
		return list[at], nil
	}
	best, why, err := Best(list, mem.Free, loaded...)
	switch {
	case at >= 0 && !another(was.Installed, mem.Total) && (err != nil || best.Size <= list[at].Size):
		return list[at], nil
	case err != nil:
		return Info{}, err
	}
	now.Why = why
	return best, nil
}

// window is the window for a model: as numCtx has it, counting the memory of what is
// loaded as free since the server makes room with it, and not less than the model
// itself is loaded with.
func (c Chooser) window(info Info, mem Memory, loaded []Loaded) int {
	n := numCtx(info, c.NumCtx, roomFor(mem.Free, loaded))
	if c.NumCtx > 0 {
		return n
	}
	for _, l := range loaded {
		if sameName(l.Name, info.Name) {
			n = max(n, l.Window)
		}
	}
	if info.Window > 0 {
		n = min(n, info.Window)
	}
	return n
}

// holds reports whether the window that was settled is that of the model as it is now.
func (was Settled) holds(now Settled) bool {
	return was.Model == now.Model && was.Digest == now.Digest && was.Configured == now.Configured && !another(was.Installed, now.Installed)
}

// differs says what of a choice's reasons is another than before; empty when nothing is.
func (was Settled) differs(now Settled) string {
	switch {
	case was.Configured != now.Configured:
		return fmt.Sprintf("model.num_ctx is %s, until now %s", byMemory(now.Configured), byMemory(was.Configured))
	case another(was.Installed, now.Installed):
		return fmt.Sprintf("the machine has %s of memory, until now %s", size(now.Installed), size(was.Installed))
	case was.Model == now.Model && was.Digest != now.Digest:
		return "the server has another version of " + quoted(now.Model)
	case was.Models != now.Models:
		return "the server has other models than before"
	}
	return ""
}

// byMemory is a configured window in words.
func byMemory(numCtx int) string {
	if numCtx <= 0 {
		return "not set"
	}
	return fmt.Sprint(numCtx)
}

// another reports whether a machine has another memory than before. A kernel keeps a
// little more or less for itself from one start to the next.
func another(was, now int64) bool {
	return was > 0 && now > 0 && (now-was > was/10 || was-now > was/10)
}

// choosable is a hash of the models that a choice is made from.
func choosable(list []Info) string {
	var b strings.Builder
	for _, i := range list {
		if i.Can("tools") && i.Remote == "" && Answers(i) == nil {
			fmt.Fprintln(&b, i.Name, i.Digest)
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// kept is what was settled for a name before.
func (c Chooser) kept(name string) (Settled, bool) {
	if c.Kept == nil {
		return Settled{}, false
	}
	return c.Kept.Settled(c.key(name))
}

// key is under what a choice is kept.
func (c Chooser) key(name string) string { return c.Server + " " + name }

// memory is that of the machine.
func (c Chooser) memory() Memory {
	if c.Memory == nil {
		return Memory{}
	}
	return c.Memory()
}
