package labday

import (
	"fmt"
	"html"
	"strings"
)

// Sizes of the picture in pixels.
const (
	plotWidth  = 900.0
	plotHeight = 420.0
	left       = 64.0
	right      = 16.0
	top        = 64.0
	bottom     = 92.0
)

// plotStyle gives the colours; a reader in the dark gets lighter ones.
const plotStyle = `<style>
text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#6e7781}
.title{font-size:15px;font-weight:600}
.grid{stroke:#8b949e;stroke-opacity:.3}
.ours{fill:#1f7a4d}
.theirs{fill:#c9822b;fill-opacity:.75}
@media (prefers-color-scheme:dark){text{fill:#c9d1d9}.ours{fill:#3fb37f}.theirs{fill:#e0a458}}
</style>
`

// bar is one request in both days.
type bar struct {
	label        string
	ours, theirs int
}

// bars are our requests, each beside the one in its place on the other day; what is
// read ahead of need has none there.
func bars(ours, peers []Request) []bar {
	theirs := byTurn(peers)
	var out []bar
	for _, r := range ours {
		one := bar{label: r.At.Format("15:04 ") + r.Kind, ours: r.Evaluated}
		if r.Sub && r.Kind != "sub-agent" {
			one.label = r.At.Format("15:04 ") + "sub seed"
		}
		if list := theirs[key(r)]; len(list) > 0 {
			theirs[key(r)], one.theirs = list[1:], list[0].Evaluated
		}
		out = append(out, one)
	}
	return out
}

// Plot draws the evaluated tokens of each request, ours beside the habits'.
func Plot(ours, peers []Request) string {
	all := bars(ours, peers)
	most := 1
	for _, b := range all {
		most = max(most, b.ours, b.theirs)
	}
	step := 2000
	for most/step > 8 {
		step *= 2
	}
	limit := float64((most/step + 1) * step)
	high := plotHeight - top - bottom
	y := func(n int) float64 { return top + high*(1-float64(n)/limit) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="Evaluated tokens of each request of a lab day">`+"\n", plotWidth, plotHeight)
	b.WriteString(plotStyle)
	fmt.Fprintf(&b, `<text class="title" x="%.0f" y="22">Prompt tokens that the server had to read, request by request of one lab day</text>`+"\n", left)
	fmt.Fprintf(&b, `<rect class="ours" x="%.0f" y="36" width="12" height="12"/><text x="%.0f" y="46">hardshell</text>`+"\n", left, left+18)
	fmt.Fprintf(&b, `<rect class="theirs" x="%.0f" y="36" width="12" height="12"/><text x="%.0f" y="46">the same day with a clock and the run kind in the system text, no seeding</text>`+"\n", left+100, left+118)
	for n := 0; float64(n) <= limit; n += step {
		fmt.Fprintf(&b, `<line class="grid" x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f"/><text x="%.0f" y="%.1f" text-anchor="end">%d</text>`+"\n",
			left, plotWidth-right, y(n), y(n), left-8, y(n)+4, n)
	}
	wide := (plotWidth - left - right) / float64(max(1, len(all)))
	for i, r := range all {
		x := left + wide*float64(i)
		half := wide * 0.4
		if r.theirs > 0 {
			fmt.Fprintf(&b, `<rect class="theirs" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, x+wide*0.1+half, y(r.theirs), half, max(1, y(0)-y(r.theirs)))
		}
		fmt.Fprintf(&b, `<rect class="ours" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, x+wide*0.1, y(r.ours), half, max(1, y(0)-y(r.ours)))
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="end" transform="rotate(-45 %.1f %.1f)">%s</text>`+"\n",
			x+wide/2, y(0)+14, x+wide/2, y(0)+14, html.EscapeString(r.label))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
