package schema

import "encoding/json"

// EditDescriptions returns the schema with every description replaced by the result of edit. Empty
// descriptions are removed. Values, for example defaults and enumerations, are unchanged. The error
// reports invalid JSON.
func EditDescriptions(document json.RawMessage, edit func(description string) string) (json.RawMessage, error) {
	doc, err := parseDocument(document)
	if err != nil {
		return nil, err
	}
	doc.describe(edit)
	return doc.append(nil), nil
}

// describe edits the descriptions of a schema, or of an array of schemas.
func (v *value) describe(edit func(string) string) {
	for _, e := range v.elements {
		e.describe(edit)
	}
	if v.kind != typeObject {
		return
	}
	kept := make([]member, 0, len(v.members))
	for _, m := range v.members {
		switch m.name {
		case "description":
			if text, ok := m.value.text(); ok {
				if text = edit(text); text == "" {
					continue
				}
				m.value = quoted(text)
			}
		case "default", "const", "enum", "examples":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			for _, named := range m.value.members {
				named.value.describe(edit)
			}
		default:
			m.value.describe(edit)
		}
		kept = append(kept, m)
	}
	v.members = kept
}
