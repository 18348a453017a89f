package schema

import (
	"bytes"
	"slices"
	"sync"
)

// readingOrder is the order of keywords in generated schemas: the keywords that models need first,
// then the others in the order of [jsonschema]. Extensions follow in alphabetical order.
var readingOrder = []string{
	"type", "title", "description", "properties", "required", "additionalProperties", "items", "enum", "$defs",
	"$schema", "$id", "$anchor", "$ref", "$dynamicRef", "$comment", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
	"prefixItems", "contains", "patternProperties", "propertyNames", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties",
	"dependentRequired", "format", "contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated", "readOnly", "writeOnly", "examples",
}

// ranks maps keywords to their index in readingOrder.
var ranks = sync.OnceValue(func() map[string]int {
	all := make(map[string]int, len(readingOrder))
	for k, keyword := range readingOrder {
		all[keyword] = k
	}
	return all
})

// rank returns the sort key of a keyword; unknown keywords sort last.
func rank(keyword string) int {
	if k, ok := ranks()[keyword]; ok {
		return k
	}
	return len(readingOrder)
}

// precedes reports whether the member a of a schema precedes the member b.
func precedes(a, b string) bool {
	if x, y := rank(a), rank(b); x != y {
		return x < y
	}
	return a < b
}

// normalize normalizes a generated document for models and hosts. It sorts the keywords, replaces the
// schema true by {}, which more hosts support, and removes unnecessary escapes.
func normalize(doc *value) *value {
	doc = tidySchema(doc)
	unescape(doc)
	return doc
}

// tidySchema sorts the keywords of v and of its subschemas, and replaces the schema true.
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

// unescape removes the escapes for HTML that encoding/json adds.
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
