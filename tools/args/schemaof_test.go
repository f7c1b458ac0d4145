package args

import "testing"

func TestSchemaOfEnumAndMap(t *testing.T) {
	type args struct {
		Action string            `json:"action" enum:"list,kill"`
		Env    map[string]string `json:"env,omitempty"`
		Names  []string          `json:"names,omitempty"`
	}
	want := `{"type":"object","properties":{"action":{"enum":["list","kill"]},"env":{"type":"object","additionalProperties":{"type":"string"}},"names":{"type":"array","items":{"type":"string"}}},"required":["action"]}`
	same(t, "schema", string(SchemaOf[args]()), want)
}
