package policy

import "testing"

// benchFacts are complete facts for an action, as the tools hand them in.
func benchFacts(b *testing.B, p *Policy, a Action) Facts {
	b.Helper()
	w := labWorld()
	f := Facts{Roots: w.roots, Programs: map[string]Program{}, Paths: map[string]Path{}, Globs: map[string][]string{}}
	_, s := p.Try(a, Facts{})
	for _, word := range s.Programs {
		f.Programs[word] = Program{Path: "/usr/bin/" + word, Real: "/usr/bin/" + word}
	}
	for _, text := range s.Paths {
		f.Paths[text] = w.look(text)
	}
	return f
}

func benchDecide(b *testing.B, a Action) {
	p := labPolicy(b)
	f := benchFacts(b, p, a)
	if d := p.Decide(a, f); d.Verdict != Allow {
		b.Fatalf("%+v", d)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(a, f)
	}
}

func BenchmarkDecideArgv(b *testing.B) { benchDecide(b, argvAction("grep", "-n", "fan", "log.txt")) }

func BenchmarkDecideScript(b *testing.B) {
	benchDecide(b, scriptAction("grep fan log.txt | sort | uniq -c | head -n 3 > res.txt"))
}

func BenchmarkSubjectsArgv(b *testing.B) {
	p := labPolicy(b)
	a := argvAction("grep", "-n", "fan", "log.txt")
	for b.Loop() {
		p.Try(a, Facts{})
	}
}
