package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Launcher runs commands, each in a sandbox of its own. It may be used from several
// goroutines.
type Launcher struct {
	cfg Config
	// pinned are the folders of the workspace above what is hidden from all commands.
	pinned []string

	mu     sync.Mutex
	weaker string // why the full sandbox does not work here; "" until it is known not to
	sure   bool   // the full sandbox has worked

	spare spare

	// start, groups and noLandlock stand for other kernels in tests.
	start      func(ctx context.Context, j job, s Spec, h hold) (outcome, error)
	groups     func() *groups
	noLandlock bool
}

// New makes a launcher. It starts nothing.
func New(cfg Config) (*Launcher, error) {
	real, err := filepath.EvalSymlinks(cfg.Workspace)
	if err != nil || !filepath.IsAbs(real) {
		return nil, fmt.Errorf("the workspace %q of commands can't be used (%v); make the folder and name it by its absolute path", cfg.Workspace, err)
	}
	cfg.Workspace = real
	for _, s := range append(systemTrees(), "/proc", "/dev", "/sys") {
		if real == "/" || s == real || strings.HasPrefix(s, real+"/") {
			return nil, fmt.Errorf("the workspace %s holds %s, which commands must not write; choose a folder of its own", real, s)
		}
	}
	cfg.Hidden = slices.Clone(cfg.Hidden)
	for i, h := range cfg.Hidden {
		if r, err := filepath.EvalSymlinks(h); err == nil {
			cfg.Hidden[i] = r
		}
		if h = cfg.Hidden[i]; h == real || strings.HasPrefix(real, h+"/") {
			return nil, fmt.Errorf("the workspace %s lies in %s, which must be hidden from commands; keep them apart", real, h)
		}
	}
	var pinned []string
	for _, h := range cfg.Hidden {
		for up := filepath.Dir(h); strings.HasPrefix(up, real+"/"); up = filepath.Dir(up) {
			pinned = append(pinned, up)
		}
	}
	cfg.Limits = cfg.Limits.orDefault()
	if cfg.MaxOutput <= 0 {
		cfg.MaxOutput = 256 << 20
	}
	return &Launcher{cfg: cfg, pinned: pinned, start: start, groups: ourGroups}, nil
}

// job is a command as the sandbox is told of it.
func (l *Launcher) job(s Spec, b *box) job {
	return job{
		Path: s.Path, Argv: s.Argv, Dir: s.Dir, Env: withEnv(environment("/tmp"), s.Env),
		System: systemTrees(), Workspace: l.cfg.Workspace, Read: append(slices.Clone(l.cfg.Read), s.Read...),
		Devices: s.Devices, Hidden: l.cfg.Hidden, Secret: s.Hidden, Pinned: append(slices.Clone(l.pinned), s.Pinned...), Locked: s.Locked, WritableRun: s.WritableRun, Limits: l.cfg.Limits,
		Seconds: int64(s.Timeout/time.Second) + 2, Namespaces: b.namespaces, Group: b.group != nil, Stdin: s.Stdin != "" || s.Open, Supervised: s.Judge != nil, Landlock: !l.noLandlock,
	}
}

// withEnv puts variables in the place of those of the same name, since programs look
// at the first or at the last of two.
func withEnv(fixed, more []string) []string {
	name := func(v string) string {
		n, _, _ := strings.Cut(v, "=")
		return n
	}
	out := slices.DeleteFunc(fixed, func(f string) bool {
		return slices.ContainsFunc(more, func(m string) bool { return name(m) == name(f) })
	})
	return append(out, more...)
}

// Run runs one command and returns when nothing of it is alive. An error means that
// it did not start.
func (l *Launcher) Run(ctx context.Context, s Spec) (Exit, error) {
	if s.Timeout <= 0 {
		s.Timeout = time.Minute
	}
	if s.Dir == "" {
		s.Dir = l.cfg.Workspace
	}
	began := time.Now()
	namespaces, why := l.level()
	if told := s.Started; told != nil {
		s.Started = func(r *Running) {
			r.Weaker = why
			told(r)
		}
	}
	got, err := l.held(ctx, s, namespaces)
	var missing *missingLayer
	if errors.As(err, &missing) && namespaces {
		if why, err = l.settle(missing); err == nil {
			got, err = l.held(ctx, s, false)
		}
	} else if err == nil && namespaces {
		l.mu.Lock()
		l.sure = true
		l.mu.Unlock()
	}
	if err != nil {
		return Exit{}, err
	}
	x := got.exit
	if why != "" && len(s.Hidden) > 0 {
		why += "; they can also read " + strings.Join(s.Hidden, ", ")
	}
	if why != "" && len(s.Locked) > 0 {
		why += "; they can also change " + strings.Join(s.Locked, ", ")
	}
	x.Weaker, x.Took = why, time.Since(began)
	return x, nil
}

// held runs one command in a box: the one that is ready, or a new one.
func (l *Launcher) held(ctx context.Context, s Spec, namespaces bool) (outcome, error) {
	if b := l.spare.take(namespaces); b != nil {
		got, err := l.in(ctx, b, s)
		var broke *brokenBox
		if !errors.As(err, &broke) {
			return got, err
		}
		// It ended while it waited, as when memory was short, and nothing ran.
	}
	b, err := l.box(namespaces)
	if err != nil {
		return outcome{}, err
	}
	return l.in(ctx, b, s)
}

// in runs one command in a box, which ends with it.
func (l *Launcher) in(ctx context.Context, b *box, s Spec) (outcome, error) {
	defer func() {
		b.close()
		if l.cfg.Spare {
			l.spare.refill(func() (*box, error) { return l.box(b.namespaces) })
		}
	}()
	got, err := l.start(ctx, l.job(s, b), s, hold{b, l.cfg.MaxOutput})
	got.exit.Struck = b.group.struck()
	if got.crowded {
		got.exit.Struck = append(got.exit.Struck, fmt.Sprintf("it was ended because it had more processes than exec.processes lets it have, %d", l.cfg.Limits.Processes))
	}
	return got, err
}

// box makes a box, in a group of its own where there are groups.
func (l *Launcher) box(namespaces bool) (*box, error) {
	g, err := l.groups().command(l.cfg.Limits)
	if err != nil {
		return nil, err
	}
	return newBox(namespaces, g)
}

// Close ends the sandbox that is ready, if there is one. Commands that run go on.
func (l *Launcher) Close() { l.spare.close() }

// level says how to start: with namespaces unless they are known not to work here.
func (l *Launcher) level() (namespaces bool, weaker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.weaker == "", l.weaker
}

// settle decides what follows from a layer that this kernel does not have: nothing
// runs, or, where the operator chose so, everything runs without namespaces from now
// on and says so. Where the full sandbox has worked this kernel has every layer, and
// no command that makes one fail gets a weaker one by it.
func (l *Launcher) settle(m *missingLayer) (weaker string, err error) {
	l.mu.Lock()
	sure := l.sure
	l.mu.Unlock()
	if !l.cfg.WeakerOK || !m.namespace() || sure {
		return "", m
	}
	j := l.job(Spec{}, &box{})
	if h := hiddenInside(&j); h != "" {
		return "", fmt.Errorf("%w; it can't run weaker either, since %s lies where commands can read: keep it out of the workspace", m, h)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.weaker = "no namespaces (" + m.Why + "): commands see other processes and the network"
	return l.weaker, nil
}

// missingLayer is the error of a sandbox that lacks a mandatory layer. Nothing ran.
type missingLayer struct{ Why string }

func (e *missingLayer) Error() string {
	return "the sandbox lacks a layer that it must have (" + e.Why + "); let the agent make user namespaces (deploy/jetson/README.md), or the operator sets sandbox.weaker_ok"
}

// namespace reports whether it is one that the weaker sandbox does without.
func (e *missingLayer) namespace() bool {
	return strings.HasPrefix(e.Why, "namespaces") || strings.HasPrefix(e.Why, layerMount)
}
