package ollama

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// Slot is one request's use of the server's prompt cache, as its debug log has
// it. All figures are tokens.
type Slot struct {
	ID int
	// Cache is what the slot held before, Prompt what was asked for, Used what
	// could be reused of it, Remaining what had to be evaluated.
	Cache, Prompt, Used, Remaining int
}

// slotLine is how the server's runners log a slot.
var slotLine = regexp.MustCompile(`msg="loading cache slot" id=(\d+) cache=(\d+) prompt=(\d+) used=(\d+) remaining=(\d+)`)

// Slots reads, in order, what the requests so far reused.
func (s *Server) Slots() ([]Slot, error) {
	f, err := os.Open(s.Log)
	if err != nil {
		return nil, fmt.Errorf("log of the server: %w", err)
	}
	defer f.Close()
	var slots []Slot
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20) // a debug line can hold a whole prompt
	for lines.Scan() {
		if slot, ok := parseSlot(lines.Text()); ok {
			slots = append(slots, slot)
		}
	}
	return slots, lines.Err()
}

// parseSlot reads one line of the log.
func parseSlot(line string) (Slot, bool) {
	m := slotLine.FindStringSubmatch(line)
	if m == nil {
		return Slot{}, false
	}
	var n [5]int
	for i := range n {
		v, err := strconv.Atoi(m[i+1])
		if err != nil { // longer than an int: no count of tokens
			return Slot{}, false
		}
		n[i] = v
	}
	return Slot{ID: n[0], Cache: n[1], Prompt: n[2], Used: n[3], Remaining: n[4]}, true
}
