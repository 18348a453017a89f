package schema

import (
	"encoding/json"
	"slices"
)

// Compact returns a schema in a form that costs a model fewer tokens: without bounds, without "additionalProperties": false, and
// without "default": false. Arguments are to be checked with the complete schema, whose errors name the bounds. The error reports
// invalid JSON.
func Compact(document json.RawMessage) (json.RawMessage, error) {
	doc, err := parseDocument(document)
	if err != nil {
		return nil, err
	}
	doc.removeBounds()
	return doc.append(nil), nil
}

// removeBounds removes the members that Compact omits from a schema, and from the schemas of its properties and elements.
func (v *value) removeBounds() {
	if v.kind != typeObject {
		return
	}
	v.members = slices.DeleteFunc(slices.Clone(v.members), func(m member) bool {
		switch m.name {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems":
			return true
		case "additionalProperties", "default":
			return string(m.value.raw) == "false"
		}
		return false
	})
	if properties := v.get("properties"); properties != nil {
		for _, m := range properties.members {
			m.value.removeBounds()
		}
	}
	if items := v.get("items"); items != nil {
		items.removeBounds()
	}
}
