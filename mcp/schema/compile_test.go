package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

func TestCompile_KeepsText(t *testing.T) {
	t.Parallel()
	text := ` { "$schema" : "https://json-schema.org/draft/2020-12/schema" , "z":1.50, "type":"object", "properties":{"b":true,"a":{"x-unknown":[1, 2]}}, "$anchor":"top" } `
	s, err := schema.Compile([]byte(text), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"$schema":"https://json-schema.org/draft/2020-12/schema","z":1.50,"type":"object","properties":{"b":true,"a":{"x-unknown":[1,2]}},"$anchor":"top"}`
	if got := string(s.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.JSON()[0] = 'x'
	if got := string(s.JSON()); got != want {
		t.Error("the schema was changed through what JSON returned")
	}
}

// Each schema is followed by values and the errors of Check, "" for valid ones.
func TestCompile_Check(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		schema string
		values map[string]string
	}{
		{`{"type":["string","null"]}`, map[string]string{`"a"`: "", `null`: "", `1`: "must be a string or null, got 1"}},
		{`{"type":"number","minimum":9007199254740993}`, map[string]string{`9007199254740993`: "", `9007199254740992`: "must be at least 9007199254740993, got 9007199254740992", `9.1e15`: ""}},
		{`{"type":"integer"}`, map[string]string{`1`: "", `1.0`: "", `1e2`: "", `1.5`: "must be an integer, got 1.5", `123456789012345678901234567890`: ""}},
		{`{"const":"a"}`, map[string]string{`"a"`: "", `"\u0061"`: "", `"b"`: `must be "a", got "b"`, `1`: "must be a string, got 1"}},
		{`{"enum":[1,"a",null,true,2.5]}`, map[string]string{`1.0`: "", `"a"`: "", `null`: "", `true`: "", `25e-1`: "", `false`: `must be one of 1, "a", null, true, 2.5, got false`, `[]`: "must be a string or a number or true or false or null, got an array"}},
		{`{"anyOf":[{"type":"string","maxLength":1},{"type":"null"}]}`, map[string]string{`"a"`: "", `null`: "", `"ab"`: "must have at most 1 character, got 2", `1`: "must be a string or null, got 1"}},
		{`{"oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`, map[string]string{`"a"`: "", `"c"`: `must be one of "a", "b", got "c"`}},
		{`{"oneOf":[{"const":1},{"const":1.0}]}`, map[string]string{`1`: "must match exactly one of the allowed forms, but matches several", `2`: "must match one of the allowed forms: (must be 1, got 2) or (must be 1.0, got 2)"}},
		{`{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"object","required":["b"]}]}`,
			map[string]string{`{"a":1}`: "", `{"b":1}`: "", `{}`: "must match one of the allowed forms: (a: required) or (b: required)"}},
		{`{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, map[string]string{`["a",1]`: "", `["a",1,2]`: "[2]: is not allowed, got 2", `[1]`: "[0]: must be a string, got 1"}},
		{`{"type":"array","uniqueItems":true}`, map[string]string{`[{"a":1},{"a":1.0}]`: "items 0 and 1 are equal, they must differ", `[{"a":1},{"a":2}]`: ""}},
		{`{"type":"array","items":{"type":"number"},"uniqueItems":true}`, map[string]string{`[1,2]`: "", `[1,1.0]`: "items 0 and 1 are equal, they must differ", `[0,1,2,3,4,5,6,7,8,0.1e2,1e1]`: "items 9 and 10 are equal, they must differ"}},
		{`{"type":"object","patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`, map[string]string{`{"x1":1}`: "", `{"x1":"a"}`: `x1: must be an integer, got "a"`, `{"y":1,"a'b":2}`: "unknown property \"y\"\nunknown property \"a'b\""}},
		{`{"propertyNames":{"maxLength":1}}`, map[string]string{`{"a":1}`: "", `{"ab":1}`: `name "ab" must have at most 1 character, got 2`}},
		{`{"type":"object","required":["a","b"]}`, map[string]string{`{"a":1,"b":2}`: "", `{"a":1}`: "b: required", `{}`: "a: required\nb: required"}},
		{`{"required":["a"],"properties":{"b":{}},"type":"object"}`, map[string]string{`{"a":1}`: "", `{"b":1}`: "a: required"}},
		{`{"allOf":[{"required":["a"]},{"properties":{"a":{"minimum":1}}}]}`, map[string]string{`{"a":1}`: "", `{}`: "a: required", `{"a":0}`: "a: must be at least 1, got 0"}},
		{`{"not":{"type":"string"}}`, map[string]string{`1`: "", `"a"`: "has a form that is not allowed"}},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, map[string]string{`{"a":1,"b":1}`: "", `{"a":1}`: "b: required", `{}`: "c: required"}},
		{`{"contains":{"const":1},"minContains":2}`, map[string]string{`[1,1]`: "", `[1]`: "must contain more items of the required form"}},
		{`{"dependentRequired":{"a":["b"]}}`, map[string]string{`{"a":1,"b":1}`: "", `{"a":1}`: "b: required"}},
		{`{"type":"object","properties":{"child":{"$ref":"#"},"v":{"type":"integer"}},"additionalProperties":false}`, map[string]string{`{"child":{"child":{"v":1}}}`: "", `{"child":{"child":{"v":"x"}}}`: `child.child.v: must be an integer, got "x"`}},
		{`{"$defs":{"a/b":{"type":"string"}},"$ref":"#/$defs/a~1b","maxLength":1}`, map[string]string{`"a"`: "", `"ab"`: "must have at most 1 character, got 2", `1`: "must be a string, got 1"}},
		{`{"$defs":{"s":{"$anchor":"here","type":"string"}},"properties":{"x":{"$ref":"#here"}}}`, map[string]string{`{"x":"a"}`: "", `{"x":1}`: "x: must be a string, got 1"}},
		{`{"$ref":"#/prefixItems/1","prefixItems":[{},{"type":["array"]}]}`, map[string]string{`[1]`: "", `1`: "must be an array, got 1"}},
		{`{"items":[{"type":"string"}],"$schema":"http://json-schema.org/draft-07/schema#"}`, map[string]string{`["a",1]`: "", `[1]`: "[0]: must be a string, got 1"}},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/s","maxLength":1}},"definitions":{"s":{"type":"string"}}}`, map[string]string{`{"a":"long"}`: "", `{"a":1}`: "a: must be a string, got 1"}},
		{`{"$schema":"http://json-schema.org/draft-07/schema","contentEncoding":"base64"}`, map[string]string{`"aGk="`: "", `"*"`: "value is not base64 encoded"}},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","prefixItems":[{"type":"string"}]}`, map[string]string{`[1]`: ""}},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","format":"date-time"}`, map[string]string{`"2026-08-21T10:00:00Z"`: "", `"today"`: `must be a date-time such as "2006-01-02T15:04:05Z", got "today"`}},
		{`{"allOf":[{"format":"ipv4"}]}`, map[string]string{`"127.0.0.1"`: "", `"127.0.0"`: `must be an IPv4 address, got "127.0.0"`}},
		{`{"pattern":"^(?!secret)"}`, map[string]string{`"secret"`: "", `"x"`: ""}},
		{`{"patternProperties":{"(?=a)":{"type":"string"}},"additionalProperties":false}`, map[string]string{`{"a":1}`: ""}},
		{`{"properties":{"x":false,"y":true}}`, map[string]string{`{"y":1}`: "", `{"x":1}`: "x: is not allowed, got 1"}},
		{`{"unevaluatedProperties":false,"properties":{"a":{}}}`, map[string]string{`{"a":1}`: "", `{"b":1}`: "b: is not allowed"}},
		{`{"enum":[{"a":1},[1]]}`, map[string]string{`{"a":1.0}`: "", `[1]`: "", `{}`: "must be one of an object, an array, got an object"}},
		{`{"minProperties":1,"maxProperties":1}`, map[string]string{`{"a":1}`: "", `{}`: "must have at least 1 property, got 0", `{"a":1,"b":1}`: "must have at most 1 property, got 2"}},
	} {
		s, err := schema.Compile([]byte(tc.schema), schema.Options{Reference: reference.Validator})
		if err != nil {
			t.Errorf("%s: %v", tc.schema, err)
			continue
		}
		for value, want := range tc.values {
			got := ""
			if err := s.Check([]byte(value)); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s\n%s\ngot  %s\nwant %s", tc.schema, value, got, want)
			}
		}
	}
}

func TestCompile_Prepare(t *testing.T) {
	t.Parallel()
	// The combination goes to the reference validator; the rest does not depend on it.
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string","default":"x"},"tag":{"type":"string"}},"not":{"required":["bad"]}}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Prepare([]byte(`{"id":3.0,"tag":null}`))
	if want := `{"id":3,"name":"x"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for in, want := range map[string]string{
		`{"bad":1}`:             "has a form that is not allowed",
		`{"bad":1,"id":"a"}`:    "id: must be an integer, got \"a\"\nhas a form that is not allowed",
		`{"ID":1}`:              `unknown argument "ID" (did you mean "id"?)`,
		`{"id":1e1000001}`:      "id: the number 1e1000001 is out of bounds",
		`{"other":1,"other":2}`: `argument "other" is given twice`,
		`{"other":`:             "not valid JSON: unexpected end of input at byte 9",
	} {
		if _, err := s.Prepare([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", in, err, want)
		}
	}
	if err := s.Check([]byte(`{"ID":1,"id":2}`)); err != nil {
		t.Errorf("Check cares for case: %v", err)
	}
}

func TestCompile_InvalidSchemas(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		var b strings.Builder
		for k := range n {
			fmt.Fprintf(&b, `"p%d":{},`, k)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for text, want := range map[string]string{
		``:                        "unexpected end of input",
		`[]`:                      "must be a JSON object",
		`{"type":"object"`:        "expected ',' or '}'",
		`{"type":1}`:              "unknown type 1",
		`{"type":"a","type":"b"}`: `name "type" is given twice`,
		`{"title":"\ud800"}`:      "not valid Unicode",
		`{"maximum":1e999}`:       "number 1e999 is out of bounds",
		`{"maximum":"1"}`:         "maximum must be a number",
		`{"multipleOf":0}`:        "multipleOf must be more than 0",
		`{"minLength":-1}`:        "minLength must be a whole number, 0 or more",
		`{"minItems":1.5}`:        "minItems must be a whole number, 0 or more",
		`{"maxProperties":"a"}`:   "maxProperties must be a whole number",
		`{"pattern":1}`:           "pattern must be a string",
		`{"properties":[]}`:       "properties must be an object",
		`{"properties":{"a":[]}}`: "a: a schema must be an object, got an array",
		`{"items":{"type":"x"}}`:  `[]: unknown type "x"`,
		`{"required":"a"}`:        "required must be an array of strings",
		`{"required":[1]}`:        "required must be an array of strings",
		`{"enum":1}`:              "enum must be an array",
		`{"anyOf":{}}`:            "anyOf must be an array",
		`{"allOf":{}}`:            "allOf must be an array",
		`{"$ref":"#"}`:            "$ref leads back to itself",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`: "$ref leads back to itself",
		`{"$ref":"#/$defs/a"}`:                                             `$ref "#/$defs/a" leads nowhere`,
		`{"$ref":"#/prefixItems/9","prefixItems":[]}`:                      "leads nowhere",
		`{"$ref":"#/%zz"}`:                                                 "leads nowhere",
		`{"$ref":"#nowhere"}`:                                              "nowhere",
		`{"$ref":"file:///etc/passwd"}`:                                    `$ref "file:///etc/passwd" leads outside the schema`,
		`{"$defs":{"x":{"$ref":"https://example.com/s.json"}}}`:            "leads outside the schema",
		`{"$id":"https://example.com/a","$ref":"https://example.com/b"}`:   "leads outside the schema",
		`{"properties":{"a":{"$dynamicRef":"other.json"}}}`:                `$dynamicRef "other.json" leads outside the schema`,
		`{"$schema":"http://json-schema.org/draft-04/schema#"}`:            `unsupported dialect "http://json-schema.org/draft-04/schema#"`,
		`{"$schema":1}`:                                                    "unsupported dialect 1",
		`{"properties":{"a":{"$schema":"https://example.com/mine"}}}`:      "unsupported dialect",
		`{"pattern":"(?=a)","not":{}}`:                                     `pattern "(?=a)" is not in RE2 syntax, and cannot be left out`,
		strings.Repeat(`{"items":`, 200) + `{}` + strings.Repeat(`}`, 200): "nested deeper",
		`{"description":"` + strings.Repeat("x", 300<<10) + `"}`:           "is larger than 262144 bytes",
		`{"properties":{` + many(6000) + `}}`:                              "has more than 5000 subschemas",
	} {
		_, err := schema.Compile([]byte(text), schema.Options{Reference: reference.Validator})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s:\ngot  %v\nwant %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "mem:") {
			t.Errorf("%.80s: the error speaks of an internal address: %v", text, err)
		}
	}
}

func TestReference_CostLimit(t *testing.T) {
	t.Parallel()
	// Every level doubles the work of a validator that tries all branches.
	s, err := schema.Compile([]byte(`{"anyOf":[{"properties":{"x":{"$ref":"#"}},"required":["x"]},{"properties":{"x":{"$ref":"#"}},"required":["y"]}]}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat(`{"x":`, 100) + `{}` + strings.Repeat(`}`, 100)
	if err := s.Check([]byte(deep)); err == nil || !strings.Contains(err.Error(), "too complex") {
		t.Errorf("got %v", err)
	}
	if err := s.Check([]byte(`{"x":{"y":1}}`)); err != nil {
		t.Errorf("after a hopeless value: %v", err)
	}
}

func TestPrepare_CaseFoldedNames(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"sketch":{},"größe":{}}}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"SKETCH":1}`:           `unknown argument "SKETCH" (did you mean "sketch"?)`,
		`{"\u017fket\u0063h":1}`: `unknown argument "\u017fket\u0063h" (did you mean "sketch"?)`,
		"{\"s\u212Aetch\":1}":    "unknown argument \"s\u212Aetch\" (did you mean \"sketch\"?)",
		`{"GRÖßE":1}`:            `unknown argument "GRÖßE" (did you mean "größe"?)`,
		`{"GRÖSSE":1,"x":2}`:     ``,
	} {
		_, err := s.Prepare([]byte(in))
		if got := fmt.Sprint(err); got != want && !(want == "" && err == nil) {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestCheck_LargeEnumerations(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for k := range 1000 {
		fmt.Fprintf(&b, `%d,"v%d",`, k, k)
	}
	s, err := schema.Compile([]byte(`{"enum":[`+b.String()+`null]}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{`7`, `7.0`, `"v999"`, `"\u00760"`, `null`} {
		if err := s.Check([]byte(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	if err := s.Check([]byte(`1000`)); err == nil || !strings.HasSuffix(err.Error(), "or 1989 others, got 1000") {
		t.Errorf("got %v", err)
	}
}

func TestPatterns_CostLimit(t *testing.T) {
	t.Parallel()
	costly, err := schema.Compile([]byte(`{"type":"string","pattern":"^(a?){1000}$"}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	if err := costly.Check([]byte(`"` + strings.Repeat("a", 1<<20) + `"`)); err == nil || !strings.Contains(err.Error(), "too long to be matched") {
		t.Errorf("got %v", err)
	}
	partial, err := schema.Compile([]byte(`{"allOf":[{"pattern":"^(a?){1000}$"}]}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	if err := partial.Check([]byte(`"` + strings.Repeat("a", 1<<20) + `"`)); err == nil || !strings.Contains(err.Error(), "too long to be matched") {
		t.Errorf("got %v", err)
	}
	huge, err := schema.Compile([]byte(`{"type":"string","pattern":"(abcdefghijkl){1000}"}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Check([]byte(`"x"`)); err != nil {
		t.Errorf("a pattern of excessive size was enforced: %v", err)
	}
	many := `{"allOf":[{"pattern":"a{1000}"}` + strings.Repeat(`,{"pattern":"a{1000}"}`, 300) + `]}`
	if _, err := schema.Compile([]byte(many), schema.Options{Reference: reference.Validator}); err == nil || !strings.Contains(err.Error(), "the patterns are too large") {
		t.Errorf("got %v", err)
	}
}

func TestCompile_EmbeddedResources(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(`{"$ref":"https://example.com/b","$defs":{"b":{"$id":"https://example.com/b","type":"string"}}}`), schema.Options{Reference: reference.Validator})
	if err != nil {
		t.Fatal(err)
	}
	if s.Check([]byte(`"x"`)) != nil || s.Check([]byte(`1`)) == nil {
		t.Error("the reference to an embedded schema was not followed")
	}
}
