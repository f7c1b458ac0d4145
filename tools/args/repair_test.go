package args

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const pulse = `{"type":"object","properties":{"pin":{"type":"string"},"ms":{"type":"integer","minimum":1,"maximum":60000},"duty":{"type":"number"},"invert":{"type":"boolean"},"edge":{"enum":["rising","falling"]},"argv":{"type":"array","items":{"type":"string"}},"env":{"type":"object","additionalProperties":{"type":"string"}},"patch":{"type":"object"}},"required":["pin"]}`

// repaired is what Repair gave, as one value.
func repaired(schema, args string) string {
	out, notes, err := Repair(json.RawMessage(schema), json.RawMessage(args))
	if err != nil {
		var arg *Error
		if !errors.As(err, &arg) {
			return "NO ARGUMENT ERROR: " + err.Error()
		}
		return fmt.Sprintf("error %s: %s", arg.Field, arg.Message)
	}
	return fmt.Sprintf("%s %d", out, len(notes))
}

func TestRepair(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"as it should be", `{"pin":"J7","ms":5}`, `{"pin":"J7","ms":5} 0`},
		{"in the order of the schema", `{"ms":5,"pin":"J7"}`, `{"pin":"J7","ms":5} 0`},
		{"Case007 quoted number and boolean", `{"pin":"J15","ms":"250","invert":"true"}`, `{"pin":"J15","ms":250,"invert":true} 2`},
		{"Case007 soon", `{"pin":"J15","ms":"soon"}`, `error ms: "ms" must be a whole number, not the text "soon"`},
		{"Case007 2.5", `{"pin":"J15","ms":"2.5"}`, `error ms: "ms" must be a whole number, not the text "2.5"`},
		{"2.5 unquoted", `{"pin":"J15","ms":2.5}`, `error ms: "ms" must be a whole number, not the number 2.5`},
		{"2.5 where a number is wanted", `{"pin":"J15","duty":"2.5"}`, `{"pin":"J15","duty":2.5} 1`},
		{"whole with a point", `{"pin":"J15","ms":250.0}`, `{"pin":"J15","ms":250} 0`},
		{"blanks around a number", `{"pin":"J15","ms":" 250"}`, `error ms: "ms" must be a whole number, not the text " 250"`},
		{"plus sign", `{"pin":"J15","ms":"+250"}`, `error ms: "ms" must be a whole number, not the text "+250"`},
		{"leading zero", `{"pin":"J15","ms":"0250"}`, `error ms: "ms" must be a whole number, not the text "0250"`},
		{"hex", `{"pin":"J15","ms":"0x10"}`, `error ms: "ms" must be a whole number, not the text "0x10"`},
		{"empty text for a number", `{"pin":"J15","ms":""}`, `error ms: "ms" must be a whole number, not the text ""`},
		{"boolean for a number", `{"pin":"J15","ms":true}`, `error ms: "ms" must be a whole number, not true`},
		{"number for a boolean", `{"pin":"J15","invert":1}`, `error invert: "invert" must be true or false, not the number 1`},
		{"True", `{"pin":"J15","invert":"True"}`, `error invert: "invert" must be true or false, not the text "True"`},
		{"yes", `{"pin":"J15","invert":"yes"}`, `error invert: "invert" must be true or false, not the text "yes"`},
		{"below the range", `{"pin":"J15","ms":0}`, `error ms: "ms" must be 1 or more, not 0`},
		{"beyond the range", `{"pin":"J15","ms":"60001"}`, `error ms: "ms" must be 60000 or less, not 60001`},
		{"beyond all numbers", `{"pin":"J15","ms":99999999999999999999}`, `error ms: "ms" must be a whole number, not the number 99999999999999999999`},
		{"far beyond", `{"pin":"J15","ms":1e400}`, `error ms: "ms" must be a whole number, not the number 1e400`},
		{"Case008 text that looks like a number", `{"pin":"0042"}`, `{"pin":"0042"} 0`},
		{"text that looks like JSON", `{"pin":"{\"a\":1}"}`, `{"pin":"{\"a\":1}"} 0`},
		{"text with every kind of character", `{"pin":"<a href='x'>& \u00e9\n\t\u2028 null"}`, "{\"pin\":\"<a href='x'>& é\\n\\t\\u2028 null\"} 0"},
		{"Case010 object for text", `{"pin":{"rate":9600,"parity":"N","x":1.50}}`, `{"pin":"{\"rate\":9600,\"parity\":\"N\",\"x\":1.50}"} 1`},
		{"number for text, as it was written", `{"pin":0.50}`, `{"pin":"0.50"} 1`},
		{"boolean for text", `{"pin":true}`, `{"pin":"true"} 1`},
		{"Case011 null for what is optional", `{"pin":"J7","ms":null,"argv":null}`, `{"pin":"J7"} 0`},
		{"Case011 null for what is required", `{"pin":null}`, `error pin: "pin" is null; it must be a text`},
		{"missing", `{"ms":1}`, `error pin: "pin" is missing; it must be a text`},
		{"nothing at all", ``, `error pin: "pin" is missing; it must be a text`},
		{"null at all", ` null `, `error pin: "pin" is missing; it must be a text`},
		{"Case016 a field that is none", `{"pin":"J7","note":"attempt A"}`, `{"pin":"J7"} 1`},
		{"another case is another field", `{"PIN":"J8","pin":"J7"}`, `{"pin":"J7"} 1`},
		{"given twice", `{"pin":"J7","pin":"J8"}`, `error : the arguments are no JSON object: the field "pin" is given twice; give it once`},
		{"given twice, deep", `{"pin":"J7","env":{"A":"1","A":"2"}}`, `error : the arguments are no JSON object: the field "A" is given twice; give it once`},
		{"given twice by an escape", `{"pin":"J7","p\u0069n":"J8"}`, `error : the arguments are no JSON object: the field "pin" is given twice; give it once`},
		{"list", `{"pin":"J7","argv":["a",2,true]}`, `{"pin":"J7","argv":["a","2","true"]} 2`},
		{"list in text", `{"pin":"J7","argv":"[\"ls\",\"-l\"]"}`, `{"pin":"J7","argv":["ls","-l"]} 1`},
		{"text for a list is never split", `{"pin":"J7","argv":"ls -l"}`, `error argv: "argv" must be a list, not the text "ls -l"`},
		{"null in a list", `{"pin":"J7","argv":["a",null]}`, `error argv[1]: "argv[1]" must be a text, not null`},
		{"free names", `{"pin":"J7","env":{"B":"1","A":2}}`, `{"pin":"J7","env":{"A":"2","B":"1"}} 1`},
		{"free object as it is", `{"pin":"J7","patch":{"z":1,"a":{"b":null}}}`, `{"pin":"J7","patch":{"z":1,"a":{"b":null}}} 0`},
		{"one of a few", `{"pin":"J7","edge":"both"}`, `error edge: "edge" must be one of rising, falling, not the text "both"`},
		{"all in text", `"{\"pin\":\"J7\"}"`, `{"pin":"J7"} 1`},
		{"a list instead", `["J7"]`, `error : the arguments must be an object, not a list`},
		{"text instead", `"J7"`, `error : the arguments must be an object, not the text "J7"`},
		{"no JSON", `{pin:J7}`, `error : the arguments are no JSON object: they are no valid JSON (invalid character 'p'); send one JSON object`},
		{"cut off", `{"pin":"J7"`, `error : the arguments are no JSON object: they end too early to be JSON; send the whole object`},
		{"something behind", `{"pin":"J7"}{}`, `error : the arguments are no JSON object: something follows the JSON object; send one object alone`},
		{"no UTF-8", "{\"pin\":\"J7\xff\"}", `error : the arguments are no JSON object: they hold bytes that are no UTF-8; write them as text`},
		{"half a character", `{"pin":"a\ud83db"}`, `error : the arguments are no JSON object: they hold \ud83d, half of a character; write the whole character`},
		{"a whole one", `{"pin":"\ud83d\ude00"}`, `{"pin":"😀"} 0`},
		{"an escaped backslash", `{"pin":"\\ud83d"}`, `{"pin":"\\ud83d"} 0`},
		{"too deep", `{"pin":"J7","patch":` + strings.Repeat(`{"a":`, 80) + `1` + strings.Repeat(`}`, 80) + `}`, `error : the arguments are no JSON object: they nest deeper than 64 levels; make them flatter`},
	} {
		t.Run(c.name, func(t *testing.T) { same(t, c.args, repaired(pulse, c.args), c.want) })
	}
}

func TestRepairGoesByOtherSchemas(t *testing.T) {
	for _, c := range []struct{ name, schema, args, want string }{
		{"no properties", `{"type":"object","properties":{}}`, `{"x":1}`, `{} 1`},
		{"type or null", `{"type":"object","properties":{"n":{"type":["null","integer"]}}}`, `{"n":"5"}`, `{"n":5} 1`},
		{"keyword that only the whole schema knows", `{"type":"object","properties":{"n":{"type":"string","pattern":"^a"}}}`, `{"n":"abc"}`, `{"n":"abc"} 0`},
		{"number of an enum", `{"type":"object","properties":{"level":{"type":"integer","enum":[0,1]}}}`, `{"level":"1"}`, `{"level":1} 1`},
		{"object in text", `{"type":"object","properties":{"o":{"type":"object"}}}`, `{"o":"{\"a\":1}"}`, `{"o":{"a":1}} 1`},
	} {
		same(t, c.name, repaired(c.schema, c.args), c.want)
	}
	if got := repaired(`{"type":"object","properties":{"n":{"type":"string","pattern":"^a"}}}`, `{"n":"b"}`); !strings.HasPrefix(got, "error ") {
		t.Errorf("the pattern was not asked: %s", got)
	}
	if got := repaired(`{`, `{}`); !strings.HasPrefix(got, "NO ARGUMENT ERROR: the tool's schema can't be read") {
		t.Errorf("broken schema: %s", got)
	}
}

// FuzzRepair: never panics; what comes out fits and is not repaired again; text is
// never touched.
func FuzzRepair(f *testing.F) {
	for _, seed := range []string{
		`{"pin":"J7","ms":"250"}`, `{"pin":{"a":[1,2,{"b":null}]}}`, `{"pin":"J7","argv":"[1]"}`, `"{\"pin\":\"x\"}"`, `{"pin":"\ud83d"}`,
		`{"pin":"J7","ms":1e3,"duty":"-0.5e-7"}`, `[[[[`, `{"pin":"J7","env":{"":""}}`, "{\"pin\":\"\\u0000\"}", `{"pin":"J7","edge":"rising"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		out, _, err := Repair(json.RawMessage(pulse), json.RawMessage(args))
		if err != nil {
			return
		}
		again, notes, err := Repair(json.RawMessage(pulse), out)
		if err != nil || string(again) != string(out) || len(notes) != 0 {
			t.Fatalf("%s gave %s, and that gave %s %v %v", args, out, again, notes, err)
		}
		var in, fit struct {
			Pin any `json:"pin"`
		}
		if json.Unmarshal([]byte(args), &in) != nil || json.Unmarshal(out, &fit) != nil {
			return
		}
		if text, ok := in.Pin.(string); ok && strings.Count(strings.ToLower(args), "pin") == 1 && text != fit.Pin {
			t.Fatalf("text %q became %q", text, fit.Pin)
		}
	})
}

func BenchmarkRepair(b *testing.B) {
	for b.Loop() {
		if _, _, err := Repair(json.RawMessage(pulse), json.RawMessage(`{"pin":"J15","ms":"250","invert":true}`)); err != nil {
			b.Fatal(err)
		}
	}
}
