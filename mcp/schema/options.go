package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// apply writes the options into a document and returns the changed subschemas. The values are
// validated when the document is compiled.
func (o Options) apply(doc *value) (touched map[*value]bool, err error) {
	touched = map[*value]bool{}
	for _, path := range slices.Sorted(maps.Keys(o.Enums)) {
		at, err := locate(doc, path)
		if err != nil {
			return nil, err
		}
		target := withoutNull(at.schema)
		list := &value{kind: typeArray}
		for _, v := range o.Enums[path] {
			e, err := literalOf(v, target)
			if err != nil {
				return nil, fmt.Errorf("enum of %s: %w", path, err)
			}
			list.elements = append(list.elements, e)
		}
		if len(list.elements) == 0 {
			return nil, fmt.Errorf("enum of %s: no value is left", path)
		}
		target.set("enum", list)
		touched[target] = true
	}
	for _, path := range slices.Sorted(maps.Keys(o.Defaults)) {
		at, err := locate(doc, path)
		if err != nil {
			return nil, err
		}
		if at.parent == nil {
			return nil, fmt.Errorf("default of %s: only a property can have one", path)
		}
		v, err := literalOf(o.Defaults[path], withoutNull(at.schema))
		if err != nil {
			return nil, fmt.Errorf("default of %s: %w", path, err)
		}
		at.schema.set("default", v)
		at.parent.removeRequired(at.name)
		touched[at.schema] = true
	}
	return touched, nil
}

// literalOf encodes a Go value. A duration has the form that its schema requires.
func literalOf(v any, schema *value) (*value, error) {
	if d, ok := v.(time.Duration); ok {
		if t := schema.get("type"); t != nil && string(t.raw) == `"string"` {
			v = d.String()
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return parseDocument(b.Bytes())
}

// removeRequired removes a property from the required ones.
func (v *value) removeRequired(name string) {
	required := v.get("required")
	if required == nil {
		return
	}
	required.elements = slices.DeleteFunc(slices.Clone(required.elements), func(e *value) bool {
		text, _ := e.text()
		return text == name
	})
	if len(required.elements) == 0 {
		v.remove("required")
	}
}

// location is the subschema at a path.
type location struct {
	schema *value
	parent *value // schema of the object with the property; nil for items
	name   string
}

// locate returns the location of a path, for example "edits[].text" or "env.*".
func locate(doc *value, path string) (location, error) {
	at := location{schema: doc}
	for rest := path; rest != ""; {
		var err error
		if after, ok := strings.CutPrefix(rest, "[]"); ok {
			at, rest = location{schema: subschemaOf(doc, at.schema, "items")}, after
		} else {
			name := strings.TrimPrefix(rest, ".")
			if i := strings.IndexAny(name, ".["); i >= 0 {
				name, rest = name[:i], name[i:]
			} else {
				rest = ""
			}
			at, err = at.propertyAt(doc, name, path)
		}
		if err != nil {
			return at, err
		}
		if at.schema == nil || at.schema.kind != typeObject {
			return at, fmt.Errorf("path %q leads to no property", path)
		}
	}
	if at.schema == doc {
		return at, fmt.Errorf("a path must not be empty")
	}
	return at, nil
}

// propertyAt returns the location of a property of l.
func (l location) propertyAt(doc *value, name, path string) (location, error) {
	if name == "*" {
		return location{schema: subschemaOf(doc, l.schema, "additionalProperties")}, nil
	}
	inside := resolveSchema(doc, l.schema)
	properties := inside.get("properties")
	var known []string
	if properties != nil {
		if s := properties.get(name); s != nil {
			return location{schema: s, parent: inside, name: name}, nil
		}
		for _, m := range properties.members {
			known = append(known, m.name)
		}
	}
	return l, fmt.Errorf("path %q leads to no property: there is no %q%s", path, name, suggestion(name, known))
}

// subschemaOf returns the schema under a keyword of s.
func subschemaOf(doc, s *value, keyword string) *value { return resolveSchema(doc, s).get(keyword) }

// resolveSchema resolves the references of a schema. Of a schema or null it selects the schema.
func resolveSchema(doc, s *value) *value {
	c := compiler{root: doc}
	for range maxSubschemas {
		s = withoutNull(s)
		ref := s.get("$ref")
		if ref == nil {
			return s
		}
		next, _ := c.resolve(ref)
		if next == nil {
			return s
		}
		s = next
	}
	return s
}

// withoutNull returns the other branch of a union with null, or s.
func withoutNull(s *value) *value {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches := s.get(keyword)
		if branches == nil || len(branches.elements) != 2 {
			continue
		}
		for i, b := range branches.elements {
			if t := b.get("type"); t != nil && string(t.raw) == `"null"` {
				return branches.elements[1-i]
			}
		}
	}
	return s
}
