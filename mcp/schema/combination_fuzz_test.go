package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema"
)

// bytesOf hands out small numbers from the fuzzer's bytes; when they are used
// up, zeros.
type bytesOf []byte

func (b *bytesOf) next(n int) int {
	if len(*b) == 0 {
		return 0
	}
	c := (*b)[0]
	*b = (*b)[1:]
	return int(c) % n
}

func (b *bytesOf) pick(list ...string) string { return list[b.next(len(list))] }

// schemaText writes a schema of the keywords that apply schemas to values. With
// depth 0 it refers to no other.
func (b *bytesOf) schemaText(depth int) string {
	inner := func() string { return b.schemaText(depth - 1) }
	list := func() string {
		parts := make([]string, 1+b.next(3))
		for k := range parts {
			parts[k] = inner()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	var keywords []string
	seen := map[string]bool{}
	for range 1 + b.next(3) {
		kinds := 12
		if depth > 0 {
			kinds = 32
		}
		keyword := ""
		switch b.next(kinds) {
		case 0:
			keyword = `"type":` + b.pick(`"integer"`, `"string"`, `"object"`, `"array"`, `"null"`, `"number"`, `["object","null"]`, `["string","integer"]`)
		case 1:
			keyword = `"required":` + b.pick(`["a"]`, `["b"]`, `["a","c"]`, `[]`)
		case 2:
			keyword = `"const":` + b.value(1)
		case 3:
			keyword = `"enum":[` + b.value(1) + "," + b.value(1) + `]`
		case 4:
			keyword = `"minimum":` + b.pick("0", "2", "1.5")
		case 5:
			keyword = `"maxLength":` + b.pick("0", "1", "2")
		case 6:
			keyword = `"pattern":` + b.pick(`"^a"`, `"b$"`)
		case 7:
			keyword = `"uniqueItems":` + b.pick("true", "false")
		case 8:
			keyword = `"minProperties":` + b.pick("1", "2")
		case 9:
			keyword = `"maxItems":` + b.pick("1", "2")
		case 10:
			keyword = `"dependentRequired":{"a":["b"],"c":[]}`
		case 11:
			keyword = `"$ref":` + b.pick(`"#/$defs/x"`, `"#/$defs/y"`)
		case 12, 13:
			keyword = `"allOf":` + list()
		case 14, 15, 16:
			keyword = `"anyOf":` + list()
		case 17, 18, 19:
			keyword = `"oneOf":` + list()
		case 20, 21:
			keyword = `"not":` + inner()
		case 22:
			keyword = `"if":` + inner() + `,"then":` + inner() + `,"else":` + inner()
		case 23:
			keyword = `"dependentSchemas":{"a":` + inner() + `}`
		case 24:
			keyword = `"contains":` + inner() + b.pick(``, `,"minContains":0`, `,"minContains":2`, `,"maxContains":1`)
		case 25:
			keyword = `"patternProperties":{"^a":` + inner() + `,"b$":` + inner() + `}`
		case 26, 27:
			keyword = `"additionalProperties":` + b.pick("false", "true", inner())
		case 28, 29:
			keyword = `"properties":{"a":` + inner() + `,"b":` + inner() + `}`
		case 30:
			keyword = `"items":` + inner()
		case 31:
			keyword = `"propertyNames":` + inner()
		}
		if name, _, _ := strings.Cut(keyword, ":"); !seen[name] {
			seen[name] = true
			keywords = append(keywords, keyword)
		}
	}
	return "{" + strings.Join(keywords, ",") + "}"
}

// value writes a small value.
func (b *bytesOf) value(depth int) string {
	kinds := 9
	if depth > 0 {
		kinds = 16
	}
	switch k := b.next(kinds); {
	case k < 9:
		return [...]string{`1`, `"a"`, `null`, `1.0`, `2`, `"ab"`, `true`, `1.5`, `""`}[k]
	case k < 12:
		parts := make([]string, b.next(4))
		for k := range parts {
			parts[k] = b.value(depth - 1)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	var parts []string
	for _, name := range []string{"a", "b", "c", "ab"} {
		if b.next(2) == 1 {
			parts = append(parts, fmt.Sprintf("%q:%s", name, b.value(depth-1)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func FuzzCombinationsAgreeWithTheReference(f *testing.F) {
	for k := range byte(32) {
		f.Add([]byte{2, k, 0, k, 1, 2, k, 3, k, 0, 1, k, 2, 5, 1, 7}, []byte{k, 13, 1, k, 1, k})
	}
	f.Fuzz(func(t *testing.T, shape, values []byte) {
		b, v := bytesOf(shape), bytesOf(values)
		text := b.schemaText(3)
		text = strings.TrimSuffix(text, "}") + `,"$defs":{"x":` + b.schemaText(0) + `,"y":` + b.schemaText(1) + `}}`
		s, err := schema.Compile([]byte(text), schema.Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "leads back to itself") {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		theirs := evaluate(t, s.JSON())
		for range 8 {
			data := v.value(3)
			value, err := decodeAny([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			ours := s.Check([]byte(data))
			if verdict := theirs.Validate(value); (verdict == nil) != (ours == nil) {
				t.Fatalf("%s\n%s\nours: %v\ntheirs: %#v", text, data, ours, verdict)
			}
			if prepared, err := s.Prepare([]byte(data)); err == nil && ours != nil && string(prepared) == data {
				t.Fatalf("%s\n%s: Prepare accepts what Check refuses: %v", text, data, ours)
			}
		}
	})
}
