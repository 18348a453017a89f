package reference_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// validate validates a value against a schema and returns the violations.
func validate(t *testing.T, document, value string) string {
	t.Helper()
	v, err := reference.Validator([]byte(document))
	if err != nil {
		return "schema: " + err.Error()
	}
	var all []string
	for _, violation := range v.Validate([]byte(value)) {
		all = append(all, violation.String())
	}
	return strings.Join(all, "; ")
}

func TestValidator(t *testing.T) {
	for _, tc := range []struct{ document, value, want string }{
		{`{"type":"object","required":["a","b"]}`, `{}`, `a: required; b: required`},
		{`{"type":["string","null"]}`, `1`, `must be a string or null, got 1`},
		{`{"enum":[1,"a",[2]]}`, `3`, `must be one of 1, "a", an array, got 3`},
		{`{"const":{"a":1}}`, `3`, `must be an object, got 3`},
		{`{"minimum":1}`, `0`, `must be at least 1, got 0`},
		{`{"maximum":1}`, `2`, `must be at most 1, got 2`},
		{`{"exclusiveMinimum":1}`, `1`, `must be more than 1, got 1`},
		{`{"exclusiveMaximum":1}`, `1`, `must be less than 1, got 1`},
		{`{"multipleOf":2}`, `3`, `must be a multiple of 2, got 3`},
		{`{"minLength":2}`, `"a"`, `must have at least 2 characters, got "a"`},
		{`{"maxLength":1}`, `"ab"`, `must have at most 1 character, got "ab"`},
		{`{"pattern":"^a"}`, `"b"`, `must match the pattern ^a, got "b"`},
		{`{"format":"date"}`, `"b"`, `must be a date such as "2006-01-02", got "b"`},
		{`{"minItems":2}`, `[1]`, `must have at least 2 items, got an array`},
		{`{"maxItems":1}`, `[1,2]`, `must have at most 1 item, got an array`},
		{`{"uniqueItems":true}`, `[{"a":[1,null,true,"x"]},{"a":[1.0,null,true,"x"]}]`, `items 0 and 1 are equal, they must differ`},
		{`{"uniqueItems":true}`, `[1,2,"1",[1],{"a":1},{"b":1},null,true,false]`, ""},
		{`{"contains":{"const":1}}`, `[2]`, `must contain more items of the required form`},
		{`{"minProperties":1}`, `{}`, `must have at least 1 property, got an object`},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, `must have at most 1 property, got an object`},
		{`{"additionalProperties":false,"properties":{"a":{}}}`, `{"b":1,"c":2}`, `unknown property "b", "c"`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `property 'b' is required, if 'a' property exists`},
		{`{"not":{"type":"string"}}`, `"a"`, `has a form that is not allowed`},
		{`{"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]}`, `1`, `must match one of the allowed forms: (must be a string, got 1) or (must be an object, got 1)`},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `must match exactly one of the allowed forms, but matches several`},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `0`, `must match one of the allowed forms: (must be at least 1, got 0) or (must be at least 2, got 0)`},
		{`{"if":{"minimum":1},"then":{"maximum":2}}`, `3`, `must be at most 2, got 3`},
		{`{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"b":1}`, `b: is not allowed`},
		{`{"unevaluatedItems":false,"prefixItems":[{}]}`, `[1,2]`, `[1]: is not allowed`},
		{`{"properties":{"a":{"items":{"type":"integer"}}}}`, `{"a":[1,"x",2.5]}`, `a[1]: must be an integer, got "x"; a[2]: must be an integer, got 2.5`},
		{`{"properties":{"a/b":{"properties":{"c~d":{"type":"integer"}}}}}`, `{"a/b":{"c~d":"x"}}`, `a/b.c~d: must be an integer, got "x"`},
		{`{"$dynamicRef":"#node","$defs":{"n":{"$dynamicAnchor":"node","type":"string"}}}`, `1`, `must be a string, got 1`},
		{`{"properties":{"x":false}}`, `{"x":1}`, `x: not allowed`},
		{`{"type":"integer"}`, `1e400`, `the number 1e400 is out of bounds`},
		{`{"type":"integer"}`, `{`, `not valid JSON: expected a string at byte 1`},
		{`{"type":"array"}`, strings.Repeat("[", 200) + strings.Repeat("]", 200), `not valid JSON: nested too deeply at byte 128`},
		{`{"type":"intger"}`, `1`, `schema: is not a valid schema: type: must match one of the allowed forms: (type: must be one of "array", "boolean", "integer", "null", "number", "object", "string") or (type: must be an array)`},
		{`{"pattern":"(?=a)"}`, `"b"`, "schema: pattern \"(?=a)\": error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
		{`{"$ref":"file:///etc/passwd"}`, `1`, `schema: file:///etc/passwd leads outside the schema`},
		{`{"$ref":"https://example.com/schema"}`, `1`, `schema: https://example.com/schema leads outside the schema`},
		{`{"$ref":"#/$defs/none"}`, `1`, `schema: #/$defs/none not found`},
		{`{"$schema":"http://json-schema.org/draft-03/schema#"}`, `1`, `schema: http://json-schema.org/draft-03/schema leads outside the schema`},
		{`{`, `1`, `schema: not valid JSON: expected a string at byte 1`},
		{`[]`, `1`, `schema: must be a JSON object`},
	} {
		if got := validate(t, tc.document, tc.value); got != tc.want {
			t.Errorf("%s\n%.80s\ngot  %s\nwant %s", tc.document, tc.value, got, tc.want)
		}
	}
}
