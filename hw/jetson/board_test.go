package jetson

import (
	"context"
	"errors"
	"io/fs"
	goruntime "runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
	"hardshell/hw/hwtest"
)

// milli makes a temperature of thousandths of a degree.
func milli(n int64) physic.Temperature {
	return physic.ZeroCelsius + physic.Temperature(n)*physic.MilliKelvin
}

// supply makes a rail of millivolts and milliamperes.
func supply(name string, mv, ma int64) hw.Rail {
	return hw.Rail{
		Name: name, Voltage: physic.ElectricPotential(mv) * physic.MilliVolt, Current: physic.ElectricCurrent(ma) * physic.MilliAmpere,
		Power: physic.Power(mv*ma) * physic.MicroWatt,
	}
}

// superR36 is what stands in testdata/orin-nano-super-r36 with the blocks off.
func superR36() hw.Readings {
	const off = "offline: its block is switched off"
	return hw.Readings{
		Temps: []hw.Temp{
			{Name: "cpu-thermal", Value: milli(46000)},
			{Name: "cv0-thermal", Off: off},
			{Name: "cv1-thermal", Off: off},
			{Name: "cv2-thermal", Off: off},
			{Name: "gpu-thermal", Value: milli(45437)},
			{Name: "soc0-thermal", Value: milli(44906)},
			{Name: "soc1-thermal", Value: milli(45281)},
			{Name: "soc2-thermal", Value: milli(44500)},
			{Name: "tj-thermal", Value: milli(46000)},
		},
		Rails:    []hw.Rail{supply("VDD_CPU_GPU_CV", 4976, 88), supply("VDD_IN", 4984, 1856), supply("VDD_SOC", 4976, 228)},
		Counters: []hw.Counter{{Name: "over-current-average"}, {Name: "over-current-instant", Count: 37}, {Name: "under-voltage"}},
		Fan:      hw.Fan{Drive: 24, RPM: 2140},
		Memory:   hw.Memory{Total: 7620000 << 10, Available: 5240112 << 10},
		Mode:     "MAXN_SUPER",
	}
}

func TestConformance(t *testing.T) {
	hwtest.TestBoard(t, func(t *testing.T) hw.Board { return board(t, r36, blocksOff()) })
	hwtest.TestBoard(t, func(t *testing.T) hw.Board { return board(t, r39, nil) })
	hwtest.TestBoard(t, func(t *testing.T) hw.Board { return board(t, none, nil) })
}

func TestRecordedBoards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board(t, r36, blocksOff())
		if d := cmp.Diff("NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super", b.String()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(superR36(), read(t, b)); d != "" {
			t.Errorf("R36 (-want +got):\n%s", d)
		}
		want := hw.Readings{
			Temps: []hw.Temp{
				{Name: "cpu-thermal", Value: milli(51250)},
				{Name: "gpu-thermal", Off: "unavailable: the kernel says -256000, which stands for no value"},
				{Name: "tj-thermal", Value: milli(51500)},
			},
			Rails:  []hw.Rail{supply("VDD_IN", 5010, 1400)},
			Fan:    hw.Fan{RPMOff: "unavailable: this board does not have it"},
			Memory: hw.Memory{Total: 7741204 << 10, Available: 6010000 << 10},
			Mode:   hw.Unknown, ModeOff: "mode 3 has no name in /etc/nvpmodel.conf",
		}
		if d := cmp.Diff(want, read(t, board(t, r39, nil))); d != "" {
			t.Errorf("R39 (-want +got):\n%s", d)
		}
		const off = "unavailable: this board does not have it"
		want = hw.Readings{
			Temps: []hw.Temp{{Name: "thermal", Off: off}}, Rails: []hw.Rail{{Name: "rails", Off: off}},
			Fan:    hw.Fan{DriveOff: off, RPMOff: off},
			Memory: hw.Memory{Total: 8000000 << 10, Available: 7000000 << 10},
			Mode:   hw.Unknown, ModeOff: off,
		}
		if d := cmp.Diff(want, read(t, board(t, none, nil))); d != "" {
			t.Errorf("no Jetson (-want +got):\n%s", d)
		}
	})
}

// With no mode set the mode is unknown and everything else is as ever.
func TestCase158_NoModeIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			answers map[string]func() ([]byte, error)
			off     string
		}{
			{map[string]func() ([]byte, error){modeStatus: fails(syscall.ENOENT)}, "unavailable: this board does not have it"},
			{map[string]func() ([]byte, error){modeStatus: says("")}, "the status file names no mode"},
			{map[string]func() ([]byte, error){modeStatus: says("pmode:-1")}, `"pmode:-1" names no mode`},
			{map[string]func() ([]byte, error){modeStatus: fails(syscall.EACCES)}, "unavailable: this user may not read it"},
			{map[string]func() ([]byte, error){modeConf: says("no mode at all\n")}, "mode 2 has no name in /etc/nvpmodel.conf"},
			{map[string]func() ([]byte, error){modeConf: fails(syscall.ENOENT)}, "mode 2 has no name: /etc/nvpmodel.conf: this board does not have it"},
		} {
			answers := blocksOff()
			for k, v := range tt.answers {
				answers[k] = v
			}
			want := superR36()
			want.Mode, want.ModeOff = hw.Unknown, tt.off
			if d := cmp.Diff(want, read(t, board(t, r36, answers))); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.off, d)
			}
		}
	})
}

// A zone that blocks for ever costs one look less than a second and later ones
// nothing; a thousand of them leave one goroutine out, not a thousand.
func TestCase160_BlockingZoneIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		answers := blocksOff()
		asked := 0
		answers[zone("3")] = func() ([]byte, error) {
			asked++
			<-never
			return []byte("47000\n"), nil
		}
		b := board(t, r36, answers)
		want := superR36()
		want.Temps[2] = hw.Temp{Name: "cv1-thermal", Off: "offline: it does not answer"}

		began := time.Now()
		if d := cmp.Diff(want, read(t, b)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if took := time.Since(began); took != limit || took >= time.Second {
			t.Errorf("the first look took %v, want %v", took, limit)
		}
		synctest.Wait()
		before, began := goruntime.NumGoroutine(), time.Now()
		for range 1000 {
			if d := cmp.Diff(want, read(t, b)); d != "" {
				t.Fatalf("(-want +got):\n%s", d)
			}
		}
		synctest.Wait()
		const others = 10 // the count is of the whole process; a leak would be a thousand
		if after, took := goruntime.NumGoroutine(), time.Since(began); after > before+others || took != 0 || asked != 1 {
			t.Errorf("%d goroutines before 1,000 looks and %d after, which waited %v and asked %d times; want no more, 0s, 1", before, after, took, asked)
		}
		close(never) // the block wakes up: the zone is there again
		synctest.Wait()
		want.Temps[2] = hw.Temp{Name: "cv1-thermal", Value: milli(47000)}
		if d := cmp.Diff(want, read(t, b)); d != "" {
			t.Errorf("after it came back (-want +got):\n%s", d)
		}
	})
}

// Even folders and names that don't answer are bounded.
func TestCase160_BlockingFoldersAndNames(t *testing.T) {
	for _, file := range []string{
		thermalClass, hwmonClass, thermalClass + "/thermal_zone0/type", hwmonClass + "/hwmon1/name", hwmonClass + "/hwmon1/in1_label",
		hwmonClass + "/hwmon1/curr1_input", hwmonClass + "/hwmon3/pwm1", hwmonClass + "/hwmon0/oc1_event_cnt", "proc/meminfo", modeStatus, modeConf,
	} {
		synctest.Test(t, func(t *testing.T) {
			never := make(chan struct{})
			defer close(never)
			answers := blocksOff()
			answers[file] = func() ([]byte, error) {
				<-never
				return nil, syscall.EIO
			}
			began := time.Now()
			r := read(t, board(t, r36, answers))
			if took := time.Since(began); took != limit {
				t.Errorf("%s: %v", file, took)
			}
			if p := hwtest.Problems(r); p != nil {
				t.Errorf("%s: %v", file, p)
			}
		})
	}
}

// A person who leaves waits for nothing, and what was out does not count as stuck.
func TestLeavingDoesNotCountAsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		answers := blocksOff()
		answers[zone("0")] = func() ([]byte, error) {
			<-slow
			return []byte("46000"), nil
		}
		b := board(t, r36, answers)
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Millisecond)
			cancel(gone)
		}()
		if _, err := b.Sensors(ctx); !errors.Is(err, gone) {
			t.Errorf("error %v", err)
		}
		go func() {
			time.Sleep(time.Millisecond)
			close(slow)
		}()
		if d := cmp.Diff(superR36(), read(t, b)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func TestCase161_SentinelIsNoTemperature(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for text, off := range map[string]string{
			"-256000\n":           "unavailable: the kernel says -256000, which stands for no value",
			"-2147483648":         "unavailable: the kernel says -2147483648, which stands for no value",
			"":                    "unavailable: the kernel says nothing",
			"\n":                  "unavailable: the kernel says nothing",
			"4600O":               `unavailable: the kernel says "4600O", which is no number`,
			"9223372036854775808": `unavailable: the kernel says "9223372036854775808", which is no number`,
		} {
			answers := blocksOff()
			answers[zone("1")] = says(text)
			want := superR36()
			want.Temps[4] = hw.Temp{Name: "gpu-thermal", Off: off}
			got := read(t, board(t, r36, answers))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q (-want +got):\n%s", text, d)
			}
			if top, _ := got.Hottest(); top.Name != "cpu-thermal" {
				t.Errorf("%q: the hottest is %+v", text, top)
			}
			if !got.Above("gpu-thermal", milli(200_000)) {
				t.Errorf("%q: a rule takes the missing sensor for cool", text)
			}
		}
	})
}

// What fails is told reading by reading; the others stay.
func TestFaultsStayWhereTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const io = "unavailable: input/output error"
		in, rails := hwmonClass+"/hwmon1/", func(r *hw.Readings, i int, off string) { r.Rails[i] = hw.Rail{Name: r.Rails[i].Name, Off: off} }
		for _, tt := range []struct {
			file   string
			answer func() ([]byte, error)
			change func(r *hw.Readings)
		}{
			{zone("0"), fails(syscall.EIO), func(r *hw.Readings) { r.Temps[0] = hw.Temp{Name: "cpu-thermal", Off: io} }},
			{zone("0"), fails(errors.New("odd")), func(r *hw.Readings) { r.Temps[0] = hw.Temp{Name: "cpu-thermal", Off: "unavailable: it can't be read"} }},
			{in + "curr1_input", fails(syscall.EIO), func(r *hw.Readings) { rails(r, 1, io) }},
			{in + "in1_input", fails(fs.ErrNotExist), func(r *hw.Readings) { rails(r, 1, "unavailable: this board does not have it") }},
			{in + "in1_input", says("5 V"), func(r *hw.Readings) { rails(r, 1, `unavailable: the kernel says "5 V", which is no number`) }},
			{in + "curr1_input", says("32767000"), func(r *hw.Readings) {
				rails(r, 1, "unavailable: the kernel says 32767000, which stands for no value")
			}},
			{in + "curr1_input", fails(fs.ErrNotExist), func(r *hw.Readings) { r.Rails = []hw.Rail{r.Rails[0], r.Rails[2]} }},
			{hwmonClass + "/hwmon2/rpm", fails(syscall.EIO), func(r *hw.Readings) { r.Fan.RPM, r.Fan.RPMOff = 0, io }},
			{hwmonClass + "/hwmon3/pwm1", says("256"), func(r *hw.Readings) {
				r.Fan.Drive, r.Fan.DriveOff = 0, "unavailable: the kernel says 256, which stands for no value"
			}},
			{hwmonClass + "/hwmon0/oc3_event_cnt", says("-1"), func(r *hw.Readings) {
				r.Counters[1] = hw.Counter{Name: "over-current-instant", Off: "unavailable: the kernel says -1, which stands for no value"}
			}},
			{hwmonClass + "/hwmon0/oc3_event_cnt", fails(syscall.EIO), func(r *hw.Readings) {
				r.Counters[1] = hw.Counter{Name: "over-current-instant", Off: io}
			}},
			{"proc/meminfo", says("MemTotal: 1 kB\n"), func(r *hw.Readings) {
				r.Memory = hw.Memory{Off: "unavailable: /proc/meminfo has no MemAvailable"}
			}},
			{"proc/meminfo", fails(syscall.EIO), func(r *hw.Readings) { r.Memory = hw.Memory{Off: io} }},
		} {
			answers := blocksOff()
			answers[tt.file] = tt.answer
			want := superR36()
			tt.change(&want)
			if d := cmp.Diff(want, read(t, board(t, r36, answers))); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.file, d)
			}
		}
	})
}

// Zones and rails without a name of their own don't vanish.
func TestNamelessNodesAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := blocksOff()
		answers[thermalClass+"/thermal_zone0/type"] = fails(syscall.EIO)
		answers[hwmonClass+"/hwmon1/in1_label"] = fails(syscall.EIO)
		want := superR36()
		want.Temps = append(want.Temps[1:8:8], hw.Temp{Name: "thermal_zone0", Off: "unavailable: it does not say its name"}, want.Temps[8])
		want.Rails = []hw.Rail{want.Rails[0], want.Rails[2], {Name: "hwmon1/in1", Off: "unavailable: it does not say its name"}}
		if d := cmp.Diff(want, read(t, board(t, r36, answers))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func TestOpenWantsFilesAndName(t *testing.T) {
	for _, b := range []func() (*Board, error){
		func() (*Board, error) { return Open(nil, "Jetson") },
		func() (*Board, error) { return Open(Tree("/"), "") },
	} {
		if got, err := b(); got != nil || err == nil || err.Error() != "a Jetson needs its files and its name; hw.Open finds both" {
			t.Errorf("%v, %v", got, err)
		}
	}
}
