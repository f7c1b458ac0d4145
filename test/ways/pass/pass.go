// Package pass notes which functions a marked value passes. Only the program that
// test/ways builds has it.
package pass

import (
	"fmt"
	"os"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"time"
)

// file is where notes go. It is set when the program is linked. Beside it lies a
// file with the mark that is looked for now.
var file string

// How deep a value is looked into, and at how many parts of it.
const (
	argumentDepth = 7
	receiverDepth = 3
	mostParts     = 4000
)

// Note writes the function that calls it down when its receiver or arguments hold
// the mark.
func Note(receiver any, arguments ...any) {
	mark := currentMark()
	if mark == "" || !holds(mark, receiverDepth, receiver) && !holds(mark, argumentDepth, arguments...) {
		return
	}
	var pcs [64]uintptr
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(2, pcs[:])])
	var passed, caller goruntime.Frame
	for {
		f, more := frames.Next()
		switch ours := strings.HasPrefix(f.File, "hardshell/"); {
		case ours && passed.Function == "":
			passed = f
		case ours && caller.Function == "":
			caller = f
		}
		if !more || caller.Function != "" {
			break
		}
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return // a confined process can't
	}
	defer out.Close()
	fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\n", time.Now().UnixNano(), passed.File, passed.Function, caller.File, caller.Function)
}

// mark is what the file beside the notes said at a time.
type mark struct {
	text string
	read time.Time
}

var last atomic.Pointer[mark]

// currentMark reads the mark, at most once in two milliseconds.
func currentMark() string {
	now := time.Now()
	if m := last.Load(); m != nil && now.Sub(m.read) < 2*time.Millisecond {
		return m.text
	}
	b, _ := os.ReadFile(file + ".mark")
	m := &mark{strings.TrimSpace(string(b)), now}
	last.Store(m)
	return m.text
}

// holds reports whether one of several values holds the mark.
func holds(mark string, depth int, values ...any) (found bool) {
	defer func() { _ = recover() }() // a value that changes while it is read is no find
	l := look{mark: mark, seen: map[uintptr]bool{}}
	for _, v := range values {
		if v != nil && l.in(reflect.ValueOf(v), depth) {
			return true
		}
	}
	return false
}

// look is one search.
type look struct {
	mark  string
	parts int
	seen  map[uintptr]bool
}

// says reports whether a text is the mark or has it: a short mark only as a word in quotes.
func (l *look) says(text string) bool {
	if len(l.mark) < 6 {
		return text == l.mark || strings.Contains(text, `"`+l.mark+`"`)
	}
	return strings.Contains(text, l.mark)
}

func (l *look) in(v reflect.Value, depth int) bool {
	if l.parts++; depth < 0 || l.parts > mostParts {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return l.says(v.String())
	case reflect.Pointer:
		if v.IsNil() || l.seen[v.Pointer()] {
			return false
		}
		l.seen[v.Pointer()] = true
		return l.in(v.Elem(), depth)
	case reflect.Interface:
		return !v.IsNil() && l.in(v.Elem(), depth)
	case reflect.Struct:
		if path := v.Type().PkgPath(); path != "" && path != "main" && !strings.HasPrefix(path, "hardshell") {
			return false
		}
		for i := range v.NumField() {
			if l.in(v.Field(i), depth-1) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Kind() == reflect.Slice && l.says(string(v.Bytes()))
		}
		for i := range min(v.Len(), 200) {
			if l.in(v.Index(i), depth-1) {
				return true
			}
		}
	case reflect.Map:
		if v.Len() > 40 {
			return false
		}
		for it := v.MapRange(); it.Next(); {
			if l.in(it.Value(), depth-1) {
				return true
			}
		}
	}
	return false
}
