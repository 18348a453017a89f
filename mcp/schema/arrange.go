package schema

import (
	"bytes"
	"slices"
	"sync"
)

// readingOrder is the order of keywords: first what models look for, then as
// [jsonschema] has them. Extensions follow in the order of their names.
var readingOrder = []string{
	"type", "title", "description", "properties", "required", "additionalProperties", "items", "enum", "$defs",
	"$schema", "$id", "$anchor", "$ref", "$dynamicRef", "$comment", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
	"prefixItems", "contains", "patternProperties", "propertyNames", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties",
	"dependentRequired", "format", "contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated", "readOnly", "writeOnly", "examples",
}

var ranks = sync.OnceValue(func() map[string]int {
	all := make(map[string]int, len(readingOrder))
	for k, keyword := range readingOrder {
		all[keyword] = k
	}
	return all
})

func rank(keyword string) int {
	if k, ok := ranks()[keyword]; ok {
		return k
	}
	return len(readingOrder)
}

// before orders members of a schema.
func before(a, b string) bool {
	if x, y := rank(a), rank(b); x != y {
		return x < y
	}
	return a < b
}

// arrange brings a generated document into the form that models and hosts read
// best: what a value is comes first, {} stands for the schema true, which many
// hosts do not know, and text is not escaped without need.
func arrange(doc *value) *value {
	doc = tidySchema(doc)
	unescape(doc)
	return doc
}

func tidySchema(v *value) *value {
	if v.isTrue() {
		return object()
	}
	slices.SortStableFunc(v.members, func(a, b member) int { return rank(a.name) - rank(b.name) })
	for i, m := range v.members {
		switch kind := holdingOf(m.name); {
		case m.name == "additionalProperties" && m.value.isTrue():
		case kind == holdsMap:
			for j := range m.value.members {
				m.value.members[j].value = tidySchema(m.value.members[j].value)
			}
		case kind == holdsList && m.value.kind == typeArray:
			for j := range m.value.elements {
				m.value.elements[j] = tidySchema(m.value.elements[j])
			}
		case kind != holdsNone:
			v.members[i].value = tidySchema(m.value)
		}
	}
	return v
}

// unescape undoes the escapes that encoding/json adds for the sake of HTML.
func unescape(v *value) {
	if v.kind == typeString && bytes.Contains(v.raw, []byte(`\u`)) {
		*v = *quoted(unquoted(v.raw))
	}
	for _, m := range v.members {
		unescape(m.value)
	}
	for _, e := range v.elements {
		unescape(e)
	}
}
