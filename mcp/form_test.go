package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// A form is flat: other types and schemas are errors before anything is asked.
func TestFormQuestion_Flat(t *testing.T) {
	type address struct {
		Street string `json:"street"`
	}
	form := func(_ mcp.Question, err error) string { return errorText(err) }
	for name, tc := range map[string]struct{ got, want string }{
		"scalars": {form(mcp.FormQuestion[struct {
			Name  string        `json:"name" jsonschema:"minLength=1,format=email"`
			Age   int           `json:"age,omitempty" jsonschema:"minimum=0,default=3"`
			Share float64       `json:"share"`
			Sure  bool          `json:"sure"`
			Kind  string        `json:"kind" jsonschema:"enum=a,enum=b"`
			Tags  []string      `json:"tags" jsonschema:"enum=a,enum=b,maxItems=2"`
			When  time.Time     `json:"when"`
			Wait  time.Duration `json:"wait"`
			Note  *string       `json:"note"`
		}]("k", "?")), ""},
		"no field":  {form(mcp.FormQuestion[struct{}]("k", "?")), ""},
		"a struct":  {form(mcp.FormQuestion[struct{ Address address }]("k", "?")), `the field "Address": it is an object`},
		"a pointer": {form(mcp.FormQuestion[struct{ Address *address }]("k", "?")), `the field "Address": it is an object`},
		"a map":     {form(mcp.FormQuestion[struct{ M map[string]string }]("k", "?")), `the field "M": it is an object`},
		"a list":    {form(mcp.FormQuestion[struct{ Names []string }]("k", "?")), `the field "Names": it is a list`},
		"numbers": {form(mcp.FormQuestion[struct {
			N []int `jsonschema:"enum=1"`
		}]("k", "?")), `the field "N": it is a list`},
		"anything":   {form(mcp.FormQuestion[struct{ Any any }]("k", "?")), `the field "Any": it has no type`},
		"a root map": {form(mcp.FormQuestion[map[string]string]("k", "?")), "use a struct"},

		"a raw form":             {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]},"b":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}},"required":["a"]}`))), ""},
		"a raw object":           {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"object","properties":{"a":{"type":"object"}}}`))), `the field "a": it is an object`},
		"a raw list":             {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`))), `the field "a": it is a list`},
		"a raw union":            {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"object","properties":{"a":{"type":["string","null"]}}}`))), `the field "a": it has no type`},
		"a raw string":           {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"string"}`))), "a form is an object"},
		"a raw form without any": {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"object"}`))), "a form lists its fields as properties"},
		"a missing field":        {form(mcp.RawFormQuestion("k", "?", json.RawMessage(`{"type":"object","properties":{},"required":["a"]}`))), `the field "a" is required and has no schema`},
	} {
		if (tc.got == "") != (tc.want == "") || !strings.Contains(tc.got, tc.want) {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
	_, err := mcp.Elicit[struct{ Address address }](t.Context(), "k", "?")
	if !strings.Contains(errorText(err), "it is an object") {
		t.Errorf("Elicit: %v", err)
	}
}
