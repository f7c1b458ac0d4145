package jetson

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"hardshell/hw"
)

// limit is how long one look at all sensors may take.
const limit = 800 * time.Millisecond

// Files that say the power mode, and where the names of modes stand.
const (
	modeStatus = "var/lib/nvpmodel/status"
	modeConf   = "etc/nvpmodel.conf"
)

// The counters of the over-current monitor, by the number in their file's name.
// The names say what the board's manual calls them.
var counters = []struct{ file, name string }{
	{"oc1_event_cnt", "under-voltage"},
	{"oc2_event_cnt", "over-current-average"},
	{"oc3_event_cnt", "over-current-instant"},
}

// Board is a Jetson seen through its kernel's files.
type Board struct {
	fsys  fs.FS
	model string
	gate  gate
}

var _ hw.Board = (*Board)(nil)

// Fits reports whether a machine is a Jetson, by what its device tree calls it.
func Fits(model string) bool { return strings.Contains(model, "Jetson") }

// Open gives the Jetson whose files are those of fsys, Tree("/") for this machine;
// model is its name for itself.
func Open(fsys fs.FS, model string) (*Board, error) {
	if fsys == nil || model == "" {
		return nil, errors.New("a Jetson needs its files and its name; hw.Open finds both")
	}
	return &Board{fsys: fsys, model: model}, nil
}

// String is the board's name for itself.
func (b *Board) String() string { return b.model }

// Halt has nothing to make inert: this driver only reads.
func (*Board) Halt() error { return nil }

// Sensors looks at everything at once.
func (b *Board) Sensors(ctx context.Context) (hw.Readings, error) {
	look, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var r hw.Readings
	parts := []func(){
		func() { r.Temps = b.temps(look) },
		func() { b.monitors(look, &r) },
		func() { r.Mode, r.ModeOff = b.mode(look) },
		func() {
			text, err := b.text(look, "proc/meminfo")
			if r.Memory = memory(text); err != nil {
				r.Memory = hw.Memory{Off: why(err)}
			}
		},
	}
	each(len(parts), func(i int) { parts[i]() })
	if ctx.Err() != nil {
		return hw.Readings{}, context.Cause(ctx)
	}
	r.Sort()
	return r, nil
}

// temps reads the thermal zones. A zone that does not even say its name can't be
// told by it and goes by its folder, so that it does not vanish.
func (b *Board) temps(ctx context.Context) []hw.Temp {
	zones, err := b.nodes(ctx, thermalClass, "thermal_zone", "type")
	if err != nil {
		return []hw.Temp{{Name: "thermal", Off: why(err)}}
	}
	out := make([]hw.Temp, len(zones))
	each(len(zones), func(i int) {
		z := zones[i]
		out[i].Name = z.name
		if z.err != nil || z.name == "" {
			out[i].Name, out[i].Off = path.Base(z.dir), "unavailable: it does not say its name"
			return
		}
		text, err := b.text(ctx, z.dir+"/temp")
		if err != nil {
			out[i].Off = why(err)
			return
		}
		if out[i].Value, err = temperature(text); err != nil {
			out[i].Off = err.Error()
		}
	})
	return out
}

// monitors reads what hangs on the hwmon class: rails, fan, counters.
func (b *Board) monitors(ctx context.Context, r *hw.Readings) {
	nodes, err := b.nodes(ctx, hwmonClass, "hwmon", "name")
	if err != nil {
		off := why(err)
		r.Rails, r.Fan = []hw.Rail{{Name: "rails", Off: off}}, hw.Fan{DriveOff: off, RPMOff: off}
		return
	}
	parts := []func(){
		func() { r.Rails = b.rails(ctx, named(nodes, "ina3221")) },
		func() { r.Counters = b.counters(ctx, named(nodes, "soctherm_oc")) },
		func() { r.Fan.Drive, r.Fan.DriveOff = b.number(ctx, named(nodes, "pwmfan"), "pwm1", drive) },
		func() {
			r.Fan.RPM, r.Fan.RPMOff = b.number(ctx, named(nodes, "pwm_tach"), "rpm", func(s string) (int, error) {
				n, err := within(s, 0, 100_000)
				return int(n), err
			})
		},
	}
	each(len(parts), func(i int) { parts[i]() })
}

// rails reads the channels of the rail monitors that measure a current; the sum of
// the shunts has none.
func (b *Board) rails(ctx context.Context, dirs []string) []hw.Rail {
	const channels = 8 // of which the chip has three and the driver adds a sum
	found := make([]*hw.Rail, len(dirs)*channels)
	each(len(found), func(i int) {
		dir, n := dirs[i/channels], i%channels+1
		found[i] = b.channel(ctx, dir, n)
	})
	var out []hw.Rail
	for _, r := range found {
		if r != nil {
			out = append(out, *r)
		}
	}
	if len(out) == 0 {
		return []hw.Rail{{Name: "rails", Off: why(fs.ErrNotExist)}}
	}
	return out
}

// channel reads one channel, nil when there is none.
func (b *Board) channel(ctx context.Context, dir string, n int) *hw.Rail {
	label, err := b.text(ctx, fmt.Sprintf("%s/in%d_label", dir, n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	id := name(label)
	if err != nil || id == "" {
		return &hw.Rail{Name: fmt.Sprintf("%s/in%d", path.Base(dir), n), Off: "unavailable: it does not say its name"}
	}
	amp, err := b.text(ctx, fmt.Sprintf("%s/curr%d_input", dir, n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	volt, err2 := b.text(ctx, fmt.Sprintf("%s/in%d_input", dir, n))
	if err = errors.Join(err, err2); err != nil {
		return &hw.Rail{Name: id, Off: why(err)}
	}
	r, err := rail(volt, amp)
	if err != nil {
		r.Off = err.Error()
	}
	r.Name = id
	return &r
}

// counters reads the over-current monitor; a board without one has no counters.
func (b *Board) counters(ctx context.Context, dirs []string) []hw.Counter {
	if len(dirs) == 0 {
		return nil
	}
	out := make([]hw.Counter, len(counters))
	each(len(counters), func(i int) {
		out[i].Name = counters[i].name
		text, err := b.text(ctx, path.Join(dirs[0], counters[i].file))
		if err != nil {
			out[i].Off = why(err)
			return
		}
		if out[i].Count, err = within(text, 0, 1<<62); err != nil {
			out[i].Off = err.Error()
		}
	})
	return out
}

// number reads one number of the first of some nodes, or says why there is none.
func (b *Board) number(ctx context.Context, dirs []string, file string, parse func(string) (int, error)) (int, string) {
	if len(dirs) == 0 {
		return 0, why(fs.ErrNotExist)
	}
	text, err := b.text(ctx, path.Join(dirs[0], file))
	if err != nil {
		return 0, why(err)
	}
	n, err := parse(text)
	if err != nil {
		return 0, err.Error()
	}
	return n, ""
}

// mode looks up the name of the power mode in the board's own list.
func (b *Board) mode(ctx context.Context) (mode, off string) {
	text, err := b.text(ctx, modeStatus)
	if err != nil {
		return hw.Unknown, why(err)
	}
	id, err := status(text)
	if err != nil {
		return hw.Unknown, err.Error()
	}
	conf, err := b.text(ctx, modeConf)
	if err != nil {
		return hw.Unknown, fmt.Sprintf("mode %d has no name: /%s: %s", id, modeConf, strings.TrimPrefix(why(err), "unavailable: "))
	}
	if n, ok := modes(conf)[id]; ok {
		return n, ""
	}
	return hw.Unknown, fmt.Sprintf("mode %d has no name in /%s", id, modeConf)
}
