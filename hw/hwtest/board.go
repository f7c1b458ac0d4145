package hwtest

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
)

// TestBoard runs the suite on boards that open gives, each part by a clock that moves
// only while everything waits: how busy the machine is never counts against a board.
func TestBoard(t *testing.T, open func(t *testing.T) hw.Board) {
	for _, part := range []struct {
		name string
		run  func(t *testing.T, b hw.Board)
	}{
		{"Name", testName},
		{"Readings", testReadings},
		{"TwoLooksAgree", testTwoLooks},
		{"ManyAtOnce", testMany},
		{"Canceled", testCanceled},
		{"NothingStaysBehind", testGoroutines},
		{"Halt", testHalt},
	} {
		t.Run(part.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { part.run(t, open(t)) })
		})
	}
}

// look reads the board and holds the reading to the rules.
func look(t *testing.T, b hw.Board) hw.Readings {
	t.Helper()
	began := time.Now()
	r, err := b.Sensors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("the look took %v, the most is 1s", took)
	}
	for _, p := range Problems(r) {
		t.Error(p)
	}
	return r
}

// Problems tells what is wrong with readings by the rules of package hw.
func Problems(r hw.Readings) []string {
	var p problems
	p.names(r)
	p.values(r)
	p.board(r)
	return p
}

// problems is what was found so far.
type problems []string

// add notes what is wrong, and of which name where it is about one.
func (p *problems) add(wrong bool, what string, name ...string) {
	if wrong {
		*p = append(*p, strings.Join(append([]string{what}, name...), ": "))
	}
}

// names checks what the lists are called and how they are sorted.
func (p *problems) names(r hw.Readings) {
	names := Names(r)
	for i, n := range names {
		p.add(n == "" || strings.ContainsAny(n, " \t\n"), "a name is empty or has blanks", n)
		p.add(slices.Contains(names[:i], n), "a name stands twice", n)
	}
	sorted := slices.IsSortedFunc(r.Temps, func(a, b hw.Temp) int { return strings.Compare(a.Name, b.Name) }) &&
		slices.IsSortedFunc(r.Rails, func(a, b hw.Rail) int { return strings.Compare(a.Name, b.Name) }) &&
		slices.IsSortedFunc(r.Counters, func(a, b hw.Counter) int { return strings.Compare(a.Name, b.Name) })
	p.add(!sorted, "a list is not sorted by name")
}

// values checks the lists' values against their units and each other.
func (p *problems) values(r hw.Readings) {
	for _, x := range r.Temps {
		c := x.Value.Celsius()
		p.add(x.Off != "" && x.Value != 0, "a temperature is off and has a value", x.Name)
		p.add(x.Off == "" && (c < -60 || c > 200), "a temperature is not plausible", x.Name)
	}
	for _, x := range r.Rails {
		p.add(x.Off != "" && (x.Voltage != 0 || x.Current != 0 || x.Power != 0), "a rail is off and has a value", x.Name)
		microwatts := int64(x.Voltage/physic.MilliVolt) * int64(x.Current/physic.MilliAmpere)
		d := int64(x.Power/physic.MicroWatt) - microwatts
		p.add(d < -100_000 || d > 100_000, "a rail's power is not voltage times current", x.Name)
	}
	for _, x := range r.Counters {
		p.add(x.Count < 0 || x.Off != "" && x.Count != 0, "a counter is negative, or off and has a value", x.Name)
	}
}

// board checks what a board has one of.
func (p *problems) board(r hw.Readings) {
	p.add(r.Mode == "" || (r.Mode == hw.Unknown) != (r.ModeOff != ""), "the mode is empty, or unknown without a reason, or known with one", r.Mode)
	f, m := r.Fan, r.Memory
	p.add(f.Drive < 0 || f.Drive > 100 || f.DriveOff != "" && f.Drive != 0 || f.RPMOff != "" && f.RPM != 0, "the fan is out of range, or off and has a value")
	p.add(m.Off == "" && (m.Total <= 0 || m.Available < 0 || m.Available > m.Total) || m.Off != "" && m.Total != 0, "the memory does not add up")
}

// Names lists the names of temperatures, rails and counters.
func Names(r hw.Readings) []string {
	var out []string
	for _, x := range r.Temps {
		out = append(out, x.Name)
	}
	for _, x := range r.Rails {
		out = append(out, x.Name)
	}
	for _, x := range r.Counters {
		out = append(out, x.Name)
	}
	return out
}

func testName(t *testing.T, b hw.Board) {
	n := b.String()
	if n == "" || strings.TrimSpace(n) != n || strings.ContainsAny(n, "\n\x00") || n != b.String() {
		t.Errorf("the board's name %q is empty, not on one line or not the same each time", n)
	}
}

func testReadings(t *testing.T, b hw.Board) {
	r := look(t, b)
	if len(r.Temps) == 0 || len(r.Rails) == 0 {
		t.Errorf("no temperatures or no rails: %+v; what can't be read is listed with its reason", r)
	}
}

// testTwoLooks: names don't come and go.
func testTwoLooks(t *testing.T, b hw.Board) {
	if one, two := Names(look(t, b)), Names(look(t, b)); !slices.Equal(one, two) {
		t.Errorf("two looks name different readings: %v and %v", one, two)
	}
}

func testMany(t *testing.T, b hw.Board) {
	want := Names(look(t, b))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r, err := b.Sensors(t.Context())
			if err != nil || !slices.Equal(Names(r), want) || len(Problems(r)) > 0 {
				t.Errorf("one of many looks: %v, %v, %v", Names(r), Problems(r), err)
			}
		})
	}
	wg.Wait()
}

func testCanceled(t *testing.T, b hw.Board) {
	gone := errors.New("the person left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if r, err := b.Sensors(ctx); !errors.Is(err, gone) || len(Names(r)) != 0 {
		t.Errorf("a look for nobody gives %v, %v; want nothing and the reason", Names(r), err)
	}
}

// testGoroutines: looks leave nothing running.
func testGoroutines(t *testing.T, b hw.Board) {
	look(t, b)
	synctest.Wait() // one that has said all it had to say may still be about to go
	before := goruntime.NumGoroutine()
	for range 100 {
		look(t, b)
	}
	synctest.Wait()
	if after := goruntime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines before 100 looks, %d after", before, after)
	}
}

func testHalt(t *testing.T, b hw.Board) {
	for range 2 {
		if err := b.Halt(); err != nil {
			t.Error(err)
		}
	}
	look(t, b)
}
