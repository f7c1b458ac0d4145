package policy

import (
	"testing"
)

// TestProfilesOnlyNarrow tries every ordinary command and every bypass under the
// profiles of the lab policy: none may get a milder verdict than without.
func TestProfilesOnlyNarrow(t *testing.T) {
	p := labPolicy(t)
	forms := append(readForms(t, "testdata/ordinary.tsv"), readForms(t, "testdata/bypass.tsv")...)
	for _, name := range p.profileNames() {
		q, err := p.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		allowed := 0
		for _, f := range forms {
			w := labWorld()
			w.attended, w.confined = true, true
			wide, narrow := w.decide(t, p, f.action), w.decide(t, q, f.action)
			if narrow.Verdict > wide.Verdict {
				t.Errorf("%s under %s is %s, without it %s", f.name, name, narrow.Verdict, wide.Verdict)
			}
			if narrow.Verdict == Allow {
				allowed++
			}
		}
		t.Logf("%s: %d of %d allowed", name, allowed, len(forms))
	}
	if _, err := p.Profile("labb"); err == nil || err.Error() != `the policy lab has no profile "labb" (did you mean lab?); it has: lab, read-only, research` {
		t.Error(err)
	}
}

func TestNoProfiles(t *testing.T) {
	if _, err := Builtin().Profile("lab"); err == nil || err.Error() != `the policy builtin has no profile "lab", and none at all` {
		t.Error(err)
	}
}

func TestProfilesCombine(t *testing.T) {
	p := smallPolicyParsed(t)
	q, err := p.Profile("read-only")
	if err != nil {
		t.Fatal(err)
	}
	both, err := q.Profile("few")
	if err != nil {
		t.Fatal(err)
	}
	few, err := p.Profile("few")
	if err != nil {
		t.Fatal(err)
	}
	other, err := few.Profile("read-only")
	if err != nil {
		t.Fatal(err)
	}
	w := labWorld()
	w.attended = true
	wider, err := Parse("wider.toml", []byte(smallPolicy+`
[[profile]]
name = "two"
why = "two programs"
exec = ["exec.look", "exec.cat"]
[[profile]]
name = "quiet"
why = "no questions"
ask = false
`))
	if err != nil {
		t.Fatal(err)
	}
	under := func(names ...string) *Policy {
		q := wider
		for _, n := range names {
			if q, err = q.Profile(n); err != nil {
				t.Fatal(err)
			}
		}
		return q
	}
	look, plan := argvAction("look", "/dev/video0"), fileAction(Write, "plans/today.md")
	for _, tt := range []struct {
		p    *Policy
		a    Action
		want Verdict
	}{
		{under("two"), look, Allow},
		{under("two", "few"), look, Deny},
		{under("few", "two"), look, Deny},
		{under("few", "two"), argvAction("cat", "a.txt"), Allow},
		{under("two"), plan, Ask},
		{under("quiet"), plan, Deny},
		{under("quiet", "two"), plan, Deny},
		{under("two", "quiet"), plan, Deny},
		{p, fileAction(Write, "a.txt"), Allow},
		{q, fileAction(Write, "a.txt"), Deny},
		{q, fileAction(Read, "a.txt"), Allow},
		{p, argvAction("frob"), Ask},
		{q, argvAction("frob"), Deny},
		{both, argvAction("cat", "a.txt"), Allow},
		{both, argvAction("look", "/dev/video0"), Deny},
		{few, fileAction(Write, "a.txt"), Allow},
		{other, Action{Tool: "edit", Kind: &File{Write, "a.txt"}}, Deny},
		{other, argvAction("look", "/dev/video0"), Deny},
		{other, argvAction("cat", "a.txt"), Allow},
		{both, fileAction(Write, "a.txt"), Deny},
		{both, argvAction("nice", "cat", "a.txt"), Deny},
		{q, argvAction("nice", "cat", "a.txt"), Allow},
		{both, argvAction("cat", "-n", "a.txt"), Allow},
	} {
		if d := w.decide(t, tt.p, tt.a); d.Verdict != tt.want {
			t.Errorf("%s: %s by %s, want %s", tt.a.Subject(), d.Verdict, d.Rule, tt.want)
		}
	}
	if p.Offers("write") == false || q.Offers("write") || q.Offers("gpio") || !q.Offers("read") || p.Offers("") {
		t.Error("the tool lists and the profile's must both hold")
	}
}

// TestProfileThatWritesNothingBuildsNothing: what a build writes stands in no word of
// the command, and the sandbox shows it the workspace.
func TestProfileThatWritesNothingBuildsNothing(t *testing.T) {
	p := labPolicy(t)
	q, err := p.Profile("read-only")
	if err != nil {
		t.Fatal(err)
	}
	w := labWorld()
	w.attended, w.confined = true, true
	for _, a := range []Action{argvAction("make"), argvAction("make", "all"), argvAction("gcc", "-c", "a.c"), argvAction("nice", "make"), scriptAction("ls; make"), scriptAction("cat log.txt && gcc -c a.c")} {
		wide, narrow := w.decide(t, p, a), w.decide(t, q, a)
		if wide.Verdict != Allow || narrow.Verdict != Deny || narrow.Rule != "profile.read-only" || narrow.Hint == "" {
			t.Errorf("%s: %s without the profile; %s by %s under it: %s", text(a), wide.Verdict, narrow.Verdict, narrow.Rule, narrow.Reason)
		}
	}
	for _, a := range []Action{argvAction("git", "log"), scriptAction("ls | sort")} {
		if d := w.decide(t, q, a); d.Verdict != Allow {
			t.Errorf("%s: %s by %s", text(a), d.Verdict, d.Rule)
		}
	}
}

// What a profile refuses names the profile, not a policy that would have no rule.
func TestProfileSaysWhatItRefuses(t *testing.T) {
	p := smallPolicyParsed(t)
	w := labWorld()
	w.attended = true
	for _, tt := range []struct {
		profile string
		a       Action
		want    [3]string
	}{
		{"few", argvAction("look"), [3]string{"profile.few", `the profile few leaves out the policy's rules for "look"`, "use a program that the profile keeps; the operator can add rules of the policy to its exec list, such as exec.look"}},
		{"few", argvAction("frob"), [3]string{"unlisted", `the policy has no rule for "frob"`, "use a program that the policy lists; the operator can add a rule"}},
		{"read-only", Action{Kind: &File{Write, "plans/today.md"}}, [3]string{"profile.read-only", `"plans/today.md": under the profile read-only nothing is written`, "do without it, or ask the operator"}},
		{"read-only", argvAction("frob"), [3]string{"unlisted", `frob: the policy has no rule for "frob"; under the profile read-only nothing is asked`, "do without it, or ask the operator for another profile"}},
	} {
		q, err := p.Profile(tt.profile)
		if err != nil {
			t.Fatal(err)
		}
		d := w.decide(t, q, tt.a)
		if d.Verdict != Deny || [3]string{d.Rule, d.Reason, d.Hint} != tt.want {
			t.Errorf("%s: %s by %s: %s; %s, want %q", tt.profile, d.Verdict, d.Rule, d.Reason, d.Hint, tt.want)
		}
	}
}
