package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/dougu-go/dougu/mcp/schema"
)

type (
	// span describes itself in a way that only the reference validator checks.
	span struct {
		From int           `json:"from"`
		To   int           `json:"to"`
		Wait time.Duration `json:"wait,omitempty"`
	}
	even   struct{ n int }
	either struct{ Text string }
	lazy   struct{ Depth int }
)

func (span) JSONSchemaExtend(s *jsonschema.Schema) {
	s.Not = &jsonschema.Schema{Required: []string{"never"}}
}

var errOdd = errors.New("odd numbers are not welcome")

func (e *even) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &e.n); err != nil {
		return err
	}
	switch {
	case e.n == 13:
		panic("thirteen")
	case e.n%2 != 0:
		return errOdd
	}
	return nil
}

func (either) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "object"}}}
}

func (e *either) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		type plain either
		return json.Unmarshal(data, (*plain)(e))
	}
	return json.Unmarshal(data, &e.Text)
}

func (lazy) JSONSchemaAlias() any { return struct{ Depth int }{} }

func TestInput_SchemaMethods(t *testing.T) {
	t.Parallel()
	type args struct {
		Span   span   `json:"span"`
		Even   even   `json:"even" jsonschema:"description=An even number"`
		Either either `json:"either,omitzero"`
		Lazy   lazy   `json:"lazy,omitzero"`
	}
	s := mustInput[args](t)
	want := `{"span":{"type":"object","properties":{"from":{"type":"integer"},"to":{"type":"integer"},"wait":{"type":"string","pattern":"^-?([0-9.]+(ns|us|ms|s|m|h))+$"}},` +
		`"required":["from","to"],"additionalProperties":false,"not":{"required":["never"]}},"even":{"description":"An even number"},` +
		`"either":{"oneOf":[{"type":"string"},{"type":"object"}]},"lazy":{"type":"object","properties":{"Depth":{"type":"integer"}},"required":["Depth"],"additionalProperties":false}}`
	if got := string(s.JSON()); !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, tc := range []struct{ in, want string }{
		{`{"span":{"from":1.0,"to":2,"wait":"2s"},"even":2,"either":{"Text":"a"},"lazy":{"Depth":3.0}}`, `{"span":{"from":1,"to":2,"wait":2000000000},"even":2,"either":{"Text":"a"},"lazy":{"Depth":3}}`},
		{`{"span":{"from":1,"to":2,"wait":5},"even":4,"either":"b"}`, `{"span":{"from":1,"to":2,"wait":5},"even":4,"either":"b"}`},
		{`{"span":{"from":1,"to":2,"wait":-5e0},"even":4}`, `{"span":{"from":1,"to":2,"wait":-5},"even":4}`},
	} {
		got, err := s.Prepare([]byte(tc.in))
		if err != nil || string(got) != tc.want {
			t.Errorf("got %s, %v\nwant %s", got, err, tc.want)
		}
		var v args
		if err := json.Unmarshal(got, &v); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	for in, want := range map[string]string{
		`{"span":{"from":1,"to":2},"even":3}`:                                       "even: cannot be read: odd numbers are not welcome, got 3",
		`{"span":{"from":1,"to":2},"even":"x"}`:                                     `even: does not fit int, got "x"`,
		`{"span":{"from":1,"to":2},"even":13}`:                                      "even: cannot be read, got 13",
		`{"span":{"from":1,"to":2},"even":2,"either":{"Text":1}}`:                   "either: does not fit string, got an object",
		`{"span":{"from":1,"to":2},"even":2,"either":1}`:                            "either: must be a string or an object, got 1",
		`{"span":{"from":1,"to":2},"even":2,"lazy":{"Depth":99999999999999999999}}`: "lazy: does not fit int, got an object",
	} {
		if _, err := s.Prepare([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", in, err, want)
		}
	}
	if out, err := schema.OutputFor[args](); err != nil || !strings.Contains(string(out.JSON()), `"even":{"type":"object"`) {
		t.Errorf("in results the type is a plain struct: %s, %v", out.JSON(), err)
	}
}
