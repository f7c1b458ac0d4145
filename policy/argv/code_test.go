package argv

import "testing"

// TestSmallLanguages tries program texts of awk, sed and jq.
func TestSmallLanguages(t *testing.T) {
	tests := []struct {
		language string
		yes, no  []string
	}{
		{
			"awk",
			[]string{"{print $1}", "NR==1", "$3 > 100", "$3>=5 && $2<7 {n++} END{print n}", "{s += $1} END {printf \"%d\\n\", s}", "a || b", "/fan/ {print}", "{print ($1 > 5)}", "{print $1; if ($2 > 3) n++}", "{if ($2 > 3) print}", "{print length($0)}"},
			[]string{
				"BEGIN{system(\"x\")}", "{print > \"f\"}", "{print >> \"f\"}", "{print > $1}", "{print | \"sh\"}", "{\"date\" | getline}", "{getline < \"f\"}", "{print |& \"x\"}", "BEGIN{ARGV[1]=1}", "@load \"x\"",
				"{print ENVIRON[\"A\"]}", "{print > 5 \"/x\"}", "{print > 1.5\"x\"}", "{close(\"x\")}", "BEGIN{ARGC=1}", "{print >\n\"x\"}", "{x=\"\\163ystem\"}", "a |", "{SYMTAB[\"ARGV\"]}", "{print > 5x}", "{print > 5}", "{print $1 > 5}", "{print($1) > 5}", "{printf \"x\" > 5}", "{print \"(\" > 5}", "{print \"a;\" > 5}", "{if (1) print > 5}", "{print /(/ > 5}",
			},
		},
		{
			"sed",
			[]string{"p", "1p", "$p", "1,5p", "/a/d", "/a/,/b/p", "s/a/b/", "s/a/b/gI", "s|a|b|g", "s,a,b,2", "1,3s/a//g;5q", "2!d", "s/[0-9]*x//", "s/[[:space:]]*$//", "=", "s/\\./x/", "/a/,+3p"},
			[]string{"", " ", "e", "1e ls", "w f", "s/a/b/w f", "s/a/b/e", "s/a/b/ge", "r /etc/passwd", "R f", "W f", "s/a\\/b/c/", "s/[/]/x/", "a text", "i\\", "c x", "y/a/b/w", "{p}", "p;w f", "s/a/b/;e", "s/a/b/\nw f", "b", ":a", "s/a/b", "p}", "F", "z", "1~2p w"},
		},
		{
			"jq",
			[]string{".", ".a", ".items[] | .id", "map(.x) | add", "length", "[.[] | select(.on)]", ".environment"},
			[]string{"env", "$ENV.PATH", "env.HOME", "import \"x\" as $x; .", "include \"x\"; .", "input_filename", "$__prog_args", ". | env"},
		},
	}
	for _, tt := range tests {
		for _, s := range tt.yes {
			if !(&slot{name: tt.language}).fits(s) {
				t.Errorf("%s %q must pass", tt.language, s)
			}
		}
		for _, s := range tt.no {
			if (&slot{name: tt.language}).fits(s) {
				t.Errorf("%s %q must be refused", tt.language, s)
			}
		}
	}
	if (&slot{name: "perl"}).fits("1") {
		t.Error("a language that nobody checks is not harmless")
	}
}
