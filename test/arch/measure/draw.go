package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Map is where the drawing of the house stands, from the tree's root.
const Map = "docs/house.svg"

// wing is a top folder of the product as the map draws it.
type wing struct {
	folder, says string
	x, y, w      int
	rooms        []string
}

// The sizes of the map, in its own units.
const (
	roomHeight = 24
	roomGap    = 6
	letter     = 7 // width of one
	wingHead   = 26
)

// wings are the places of the folders: who imports stands above whom it imports.
func wings() []*wing {
	return []*wing{
		{folder: "cmd/agent", says: "commands, the terminal, the wiring", x: 10, y: 10, w: 860},
		{folder: "runtime", says: "an agent: turns, sessions, store, model", x: 10, w: 620},
		{folder: "assembly", says: "the prompt", x: 10, w: 160},
		{folder: "tools", says: "the tools and the one door to the world", x: 190, w: 440},
		{folder: "policy", says: "decisions", x: 190, w: 270},
		{folder: "hw", says: "boards", x: 480, w: 190},
		{folder: "sandbox", says: "runs commands", x: 690, w: 180},
	}
}

// floors tells which wings stand side by side, from the top down.
var floors = [][]string{{"cmd/agent"}, {"runtime"}, {"assembly", "tools"}, {"policy", "hw", "sandbox"}}

// Draw gives the map of the house as SVG: each folder of the product with its packages,
// and an arrow for each import between folders that no other way down implies.
func (t *Tree) Draw() string {
	all := map[string]*wing{}
	for _, w := range wings() {
		all[w.folder] = w
	}
	imports := map[string]map[string]bool{}
	for _, p := range t.Packages {
		from := folderOf(p.Path, all)
		if from == "" || Helper(p.Path) {
			continue
		}
		all[from].rooms = append(all[from].rooms, strings.TrimPrefix(strings.TrimPrefix(p.Path, from), "/"))
		for _, i := range p.Types.Imports() {
			path, ours := ownPath(i.Path())
			if to := folderOf(path, all); ours && to != "" && to != from {
				if imports[from] == nil {
					imports[from] = map[string]bool{}
				}
				imports[from][to] = true
			}
		}
	}
	var b strings.Builder
	y := 10
	for _, floor := range floors {
		tall := 0
		for _, name := range floor {
			all[name].y = y
			tall = max(tall, all[name].height())
		}
		y += tall + 44
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 %d" font-family="sans-serif" font-size="12">`+"\n", y-34)
	b.WriteString(`<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, `<rect width="880" height="%d" fill="#fff"/>`+"\n", y-34)
	for _, w := range wings() {
		all[w.folder].draw(&b)
	}
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		for _, to := range slices.Sorted(maps.Keys(imports[from])) {
			if !implied(imports, from, to) {
				arrow(&b, all[from], all[to])
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// folderOf gives the wing that a package stands in, empty for none.
func folderOf(path string, all map[string]*wing) string {
	for name := range all {
		if path == name || strings.HasPrefix(path, name+"/") {
			return name
		}
	}
	return ""
}

// implied reports whether an import follows from another one's.
func implied(imports map[string]map[string]bool, from, to string) bool {
	for by := range imports[from] {
		if by != to && imports[by][to] {
			return true
		}
	}
	return false
}

// room is a package and where it stands.
type room struct {
	x, y, w int
	name    string
}

// places lays the rooms of a wing out in rows, itself first.
func (w *wing) places() []room {
	var out []room
	x, y := w.x+8, w.y+wingHead
	for _, r := range w.rooms {
		if r == "" {
			r = w.folder[strings.LastIndexByte(w.folder, '/')+1:]
		}
		width := len(r)*letter + 12
		if x+width > w.x+w.w-8 {
			x, y = w.x+8, y+roomHeight+roomGap
		}
		out = append(out, room{x, y, width, r})
		x += width + roomGap
	}
	return out
}

func (w *wing) height() int {
	p := w.places()
	if len(p) == 0 {
		return wingHead + roomHeight
	}
	return p[len(p)-1].y - w.y + roomHeight + 8
}

func (w *wing) draw(b *strings.Builder) {
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#f4f4f0" stroke="#555"/>`+"\n", w.x, w.y, w.w, w.height())
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="#111"><tspan font-weight="bold">%s</tspan> <tspan fill="#555">%s</tspan></text>`+"\n", w.x+8, w.y+17, w.folder, w.says)
	for _, p := range w.places() {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="3" fill="#fff" stroke="#999"/><text x="%d" y="%d" text-anchor="middle" fill="#111">%s</text>`+"\n",
			p.x, p.y, p.w, roomHeight, p.x+p.w/2, p.y+16, p.name)
	}
}

// arrow draws an import from one wing down to another, straight where they overlap.
func arrow(b *strings.Builder, from, to *wing) {
	low, high := max(from.x, to.x), min(from.x+from.w, to.x+to.w)
	x1, x2 := (low+high)/2, (low+high)/2
	if low > high {
		x1, x2 = from.x+from.w/2, to.x+to.w/2
	}
	fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#555" stroke-width="1.5" marker-end="url(#a)"/>`+"\n", x1, from.y+from.height(), x2, to.y-2)
}
