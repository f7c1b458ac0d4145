package assembly

import "fmt"

// limit is one bound of the project context, with the key that sets it.
type limit struct {
	key    string
	value  string // as configured
	budget budget
}

// String names a limit as a person finds it in the config.
func (l *limit) String() string { return l.key + " = " + l.value }

// allowance is what files may still take: a file alone, all files, and their
// share of the window.
type allowance struct{ file, total, window limit }

// total is the allowance before the first file.
func (l Budget) total() allowance {
	file, total, share := l.File, l.Total, l.WindowShare
	if file == 0 {
		file = fileLimit
	}
	if total == 0 {
		total = totalLimit
	}
	if share == 0 {
		share = windowShare
	}
	window := unbounded
	if l.Window > 0 {
		window = int(share * float64(l.Window) * shareBytesPerToken)
	}
	return allowance{
		file:   limit{"prompt.bootstrap_max_chars", fmt.Sprint(file), budget{file, unbounded}},
		total:  limit{"prompt.bootstrap_total_max_chars", fmt.Sprint(total), budget{total, unbounded}},
		window: limit{"prompt.bootstrap_window_share", fmt.Sprintf("%g of %d tokens, about %d characters", share, l.Window, window), budget{window, window}},
	}
}

// spend takes a file's text off what all files share.
func (a allowance) spend(text string) allowance {
	a.total.budget = a.total.budget.spend(text)
	a.window.budget = a.window.budget.spend(text)
	return a
}

// bites gives the tightest limit that a text breaks, with a budget that obeys
// all three; nil when it breaks none.
func (a allowance) bites(text string) *limit {
	var tightest *limit
	all := budget{unbounded, unbounded}
	for _, l := range []*limit{&a.file, &a.total, &a.window} {
		all.chars = min(all.chars, l.budget.chars)
		all.bytes = min(all.bytes, l.budget.bytes)
		if !l.budget.holds(text) && (tightest == nil || min(l.budget.chars, l.budget.bytes) < min(tightest.budget.chars, tightest.budget.bytes)) {
			tightest = l
		}
	}
	if tightest == nil {
		return nil
	}
	return &limit{tightest.key, tightest.value, all}
}
