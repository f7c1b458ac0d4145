package command

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"hardshell/tools/secret"
	"hardshell/tools/text"
)

// ringBytes is the newest text of a command that is kept in memory.
const ringBytes = 64 << 10

// output keeps what a command in the background writes: cleaned and redacted across
// reads, its newest text in memory, its first bytes in a file. What falls between
// the two is counted.
type output struct {
	mu    sync.Mutex
	got   *text.Capture
	tail  []byte // the newest text, at most twice ringBytes
	total int64  // bytes of text so far
	lines int    // newlines so far
	seen  int64  // bytes that the model was told of
	news  chan struct{}
	say   func(string) // the person's view while the call waits; nil afterwards

	file  *os.File
	filed int64 // bytes in it
	full  int64 // most bytes of the text's start in it
	fault error // why nothing more goes into it
}

// newOutput keeps the start of the text, at most full bytes of it, in a file.
func newOutput(l text.Limits, m *secret.Redactor, file *os.File, full int64, say func(string)) *output {
	o := &output{file: file, full: full, news: make(chan struct{}), say: say}
	o.got = text.NewCapture(l, m, o.take)
	return o
}

// Write takes what the command wrote.
func (o *output) Write(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.got.Total
	o.got.Write(p)
	if o.got.Total > before {
		o.rouse()
	}
}

// rouse wakes whoever waits for news.
func (o *output) rouse() {
	close(o.news)
	o.news = make(chan struct{})
}

// take keeps a piece of text.
func (o *output) take(s string) {
	if o.say != nil {
		o.say(s)
	}
	o.total += int64(len(s))
	o.lines += strings.Count(s, "\n")
	if o.tail = append(o.tail, s...); len(o.tail) > 2*ringBytes {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-ringBytes:]...)
	}
	if room := o.full - o.filed; o.fault == nil && room > 0 {
		n, err := o.file.WriteString(s[:min(int64(len(s)), room)])
		o.filed, o.fault = o.filed+int64(n), err
	}
}

// quiet ends the person's view: the call that started the command is over.
func (o *output) quiet() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.say = nil
}

// fresh gives the text that the model was not told of yet, cut to the limits, and
// counts it as told.
func (o *output) fresh() (shown, cut string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.got.Binary() {
		return o.got.Summary(), ""
	}
	n := min(o.total-o.seen, int64(len(o.tail)))
	lost := o.total - o.seen - n
	rest := string(o.tail[int64(len(o.tail))-n:])
	o.seen = o.total
	if lost == 0 {
		return text.Shorten(rest, o.got.Limits())
	}
	_, rest = text.WholeLines("", rest)
	shown, cut = text.Shorten(rest, o.got.Limits())
	mark := fmt.Sprintf("%d bytes before this are in the log (action log)", lost)
	return "[… " + mark + " …]\n" + shown, strings.TrimPrefix(cut+"; "+mark, "; ")
}

// waiting reports whether there is text that the model was not told of, and gives
// what closes when more comes.
func (o *output) waiting() (news bool, more <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total > o.seen, o.news
}

// end closes the stream and gives the whole as a foreground call would show it.
func (o *output) end() (shown, cut, note string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	shown, cut, note = o.got.Text()
	o.rouse()
	return shown, cut, note
}

// last is the end of the text, for whoever is told that the command ended.
func (o *output) last(l text.Limits) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.got.Binary() {
		return o.got.Summary()
	}
	return text.Tail(string(o.tail), l)
}

// size is what was written so far.
func (o *output) size() (bytes int64, binary bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int64(o.got.Total), o.got.Binary()
}

// keptText is what is kept of a text: its start, its end, and how much fell out
// between the two.
type keptText struct {
	head, tail string
	gap        int64 // bytes
	gapLines   int
	fault      string // why the start is shorter than it may be; empty when it is not
}

// kept reads everything that is kept.
func (o *output) kept() (keptText, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.readKept()
}

func (o *output) readKept() (keptText, error) {
	if o.got.Binary() {
		return keptText{head: o.got.Summary()}, nil
	}
	b := make([]byte, o.filed)
	if _, err := o.file.ReadAt(b, 0); err != nil && o.filed > 0 {
		return keptText{}, fmt.Errorf("the kept output can't be read: %w", err)
	}
	k := keptText{head: string(b)}
	tail := o.tail[max(0, len(o.tail)-ringBytes):]
	start := o.total - int64(len(tail)) // where the ring begins
	if start <= o.filed {
		k.head += string(tail[o.filed-start:])
		return k, nil
	}
	k.head, k.tail = text.WholeLines(k.head, string(tail))
	k.gap = o.total - int64(len(k.head)+len(k.tail))
	if o.fault != nil {
		k.fault = o.fault.Error()
	}
	k.gapLines = o.lines - strings.Count(k.head, "\n") - strings.Count(k.tail, "\n")
	return k, nil
}

// settle puts the end of the text behind its start in the file, so that the file
// alone holds what is kept, and closes it. The output is over.
func (o *output) settle() (keptText, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k, err := o.readKept()
	if err == nil {
		at := min(o.filed, int64(len(k.head)))
		if o.got.Binary() {
			at = 0
		}
		err = o.file.Truncate(at)
		if err == nil {
			_, err = o.file.WriteAt([]byte(k.head[at:]+k.tail), at)
		}
	}
	return k, errors.Join(o.fault, err, o.file.Close())
}
