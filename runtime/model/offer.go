package model

import (
	"encoding/json"
	"fmt"

	"github.com/ollama/ollama/api"

	"hardshell/runtime/message"
)

// Ollama's API carries a part of JSON Schema: at the top type, properties,
// required, items and $defs; in a property type, description, enum, anyOf, items
// and nested properties. Within items anything passes. The server decodes a
// request into the same Go types, so sending more would not bring more to the
// model. What does not pass is never needed for safety, since tools checks every
// call against the whole schema; it is a hint that the model does not get, and
// the tool's description should say it in words.

// offers turns tools into what the API carries, in their order.
func offers(ts []message.Offer) (api.Tools, error) {
	var out api.Tools
	for _, t := range ts {
		p, err := parameters(t.Schema)
		if err != nil {
			return nil, badRequest(fmt.Sprintf("the schema of tool %s: %v", quoted(t.Name), err), "repair the tool's schema, or take the tool out of the policy's offer")
		}
		out = append(out, api.Tool{
			Type:     "function",
			Function: api.ToolFunction{Name: t.Name, Description: t.Description, Parameters: p},
		})
	}
	return out, nil
}

// Carried is the schema of a tool's arguments as the API carries it: what a model
// can see of it, and what it weighs in the prompt. The error is of a schema that
// can't be offered at all.
func Carried(schema json.RawMessage) (json.RawMessage, error) {
	p, err := parameters(schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// parameters turns the schema of a tool's arguments.
func parameters(raw json.RawMessage) (api.ToolFunctionParameters, error) {
	p := api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()}
	if len(raw) == 0 {
		return p, nil
	}
	fs, err := fields(raw)
	if err != nil {
		return p, err
	}
	for _, f := range fs {
		switch f.key {
		case "type":
			err = json.Unmarshal(f.raw, &p.Type)
		case "required":
			err = json.Unmarshal(f.raw, &p.Required)
		case "items":
			p.Items = f.raw
		case "$defs":
			p.Defs = f.raw
		case "properties":
			p.Properties, err = properties(f.raw)
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	if p.Type != "object" {
		return p, fmt.Errorf("its type is %q and has to be object", p.Type)
	}
	return p, nil
}

// properties keeps the order in which the schema names them.
func properties(raw json.RawMessage) (*api.ToolPropertiesMap, error) {
	fs, err := fields(raw)
	if err != nil {
		return nil, err
	}
	m := api.NewToolPropertiesMap()
	for _, f := range fs {
		p, err := property(f.raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.key, err)
		}
		m.Set(f.key, p)
	}
	return m, nil
}

// property turns one property. Values that the API types as "any" stay raw, so
// that their inner order and their numbers are kept.
func property(raw json.RawMessage) (api.ToolProperty, error) {
	var p api.ToolProperty
	if string(raw) == "true" {
		return p, nil // the schema that takes anything
	}
	fs, err := fields(raw)
	if err != nil {
		return p, err
	}
	for _, f := range fs {
		switch f.key {
		case "type":
			err = json.Unmarshal(f.raw, &p.Type)
		case "description":
			err = json.Unmarshal(f.raw, &p.Description)
		case "items":
			p.Items = f.raw
		case "enum":
			var vs []json.RawMessage
			err = json.Unmarshal(f.raw, &vs)
			for _, v := range vs {
				p.Enum = append(p.Enum, v)
			}
		case "properties":
			p.Properties, err = properties(f.raw)
		case "anyOf":
			p.AnyOf, err = anyOf(f.raw)
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	return p, nil
}

// anyOf turns the alternatives of a property.
func anyOf(raw json.RawMessage) ([]api.ToolProperty, error) {
	var vs []json.RawMessage
	if err := json.Unmarshal(raw, &vs); err != nil {
		return nil, err
	}
	var out []api.ToolProperty
	for _, v := range vs {
		p, err := property(v)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
