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

// apply writes the options into a document and returns the subschemas that they
// touched. Whether the values are valid shows when the document is compiled.
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
		at.parent.free(at.name)
		touched[at.schema] = true
	}
	return touched, nil
}

// literalOf encodes a Go value. A duration takes the form that its schema has.
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

// free takes a property out of the required ones.
func (v *value) free(name string) {
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

// location is a subschema that a path leads to.
type location struct {
	schema *value
	parent *value // the object schema that declares it as a property; nil for items
	name   string
}

// locate follows a path such as "edits[].text" or "env.*".
func locate(doc *value, path string) (location, error) {
	at := location{schema: doc}
	for rest := path; rest != ""; {
		var err error
		if after, ok := strings.CutPrefix(rest, "[]"); ok {
			at, rest = location{schema: follows(doc, at.schema, "items")}, after
		} else {
			name := strings.TrimPrefix(rest, ".")
			if i := strings.IndexAny(name, ".["); i >= 0 {
				name, rest = name[:i], name[i:]
			} else {
				rest = ""
			}
			at, err = at.property(doc, name, path)
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

func (l location) property(doc *value, name, path string) (location, error) {
	if name == "*" {
		return location{schema: follows(doc, l.schema, "additionalProperties")}, nil
	}
	inside := target(doc, l.schema)
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

// follows is the schema under a keyword of s.
func follows(doc, s *value, keyword string) *value { return target(doc, s).get(keyword) }

// target is what a schema stands for: the end of its references, and of two
// alternatives the one that is not null.
func target(doc, s *value) *value {
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
