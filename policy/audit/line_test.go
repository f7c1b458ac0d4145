package audit

import (
	"reflect"
	"testing"
	"time"
)

// TestChainValueCoversEveryField changes one field at a time: each must change
// the value, except Chain, which is the value.
func TestChainValueCoversEveryField(t *testing.T) {
	base := Line{Seq: 1, Time: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC), Kind: "decision", Prev: "aa"}
	key := []byte("key")
	want := ChainValue(key, "aa", base)
	for i := range reflect.TypeFor[Line]().NumField() {
		changed := base
		name := reflect.TypeFor[Line]().Field(i).Name
		switch f := reflect.ValueOf(&changed).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Uint64:
			f.SetUint(f.Uint() + 1)
		case reflect.Int64:
			f.SetInt(f.Int() + 1)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Struct:
			f.Set(reflect.ValueOf(base.Time.Add(time.Nanosecond)))
		default:
			t.Fatalf("%s: teach this test about %s", name, f.Kind())
		}
		same := ChainValue(key, "aa", changed) == want
		if same != (name == "Chain") {
			t.Errorf("changing %s: value unchanged is %v", name, same)
		}
	}
	if ChainValue(key, "ab", base) == want || ChainValue([]byte("other"), "aa", base) == want {
		t.Error("another predecessor or another key must give another value")
	}
}
