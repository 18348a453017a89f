package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// contradicts reports whether what the keyword states may be at odds with the rest
// of the schema, so that only compiling it tells.
func (k keyword) contradicts() bool {
	switch k.name {
	case "default", "enum", "const", "pattern", "multipleOf":
		return true
	}
	return false
}

// applyTag adds the keywords of a field's tag to its schema. What limits strings
// and numbers limits the items of an array.
func applyTag(s *value, list []keyword) error {
	for _, k := range list {
		if err := applyKeyword(s, k); err != nil {
			return err
		}
	}
	return nil
}

func applyKeyword(s *value, k keyword) error {
	switch k.name {
	case "required": // of the object that the field is in
		return nil
	case "description", "title":
		s.put(k.name, quoted(k.value))
		return nil
	case "deprecated":
		return k.flag(s)
	case "default":
		return k.preset(s)
	case "minItems", "maxItems", "uniqueItems":
		return arrayKeyword(s, k)
	case "minProperties", "maxProperties":
		if s.word("type") != "object" || s.get("$ref") != nil {
			return k.misplaced(s)
		}
		return k.count(s)
	}
	if strings.HasPrefix(k.name, "x-") {
		s.put(k.name, quoted(k.value))
		return nil
	}
	if s.word("type") != "array" {
		return scalarKeyword(s, k)
	}
	items := s.get("items")
	if items != nil && isNullable(items) {
		items = items.get("anyOf").elements[0]
	}
	if items == nil || items.get("$ref") != nil || items.word("type") == "array" {
		return fmt.Errorf("%s does not apply to items that are no scalars", k.name)
	}
	return scalarKeyword(items, k)
}

// preset sets the default; that of an array may be given item by item.
func (k keyword) preset(s *value) error {
	if s.word("type") != "array" || strings.HasPrefix(k.value, "[") {
		v, err := k.valueFor(s.word("type"))
		if err == nil {
			s.put("default", v)
		}
		return err
	}
	kind := ""
	if items := s.get("items"); items != nil {
		kind = items.word("type")
	}
	item, err := k.valueFor(kind)
	if err == nil {
		s.collect("default", item)
	}
	return err
}

// collect appends to the list that a keyword holds.
func (v *value) collect(name string, element *value) {
	list := array()
	if before := v.get(name); before != nil && before.kind == typeArray {
		list.elements = before.elements
	}
	list.elements = append(list.elements, element)
	v.put(name, list)
}

func arrayKeyword(s *value, k keyword) error {
	switch {
	case s.word("type") != "array":
		return k.misplaced(s)
	case k.name == "uniqueItems":
		return k.flag(s)
	}
	return k.count(s)
}

func scalarKeyword(s *value, k keyword) error {
	switch k.name {
	case "enum", "const", "example":
		v, err := k.valueFor(s.word("type"))
		switch {
		case err != nil:
			return err
		case k.name == "enum":
			s.collect("enum", v)
		case k.name == "const":
			s.put("const", v)
		default:
			s.collect("examples", v)
		}
		return nil
	case "minLength", "maxLength", "pattern", "format":
		return stringKeyword(s, k)
	}
	return numericKeyword(s, k)
}

func stringKeyword(s *value, k keyword) error {
	if s.word("type") != "string" {
		return k.misplaced(s)
	}
	if k.name == "minLength" || k.name == "maxLength" {
		return k.count(s)
	}
	s.put(k.name, quoted(k.value)) // a pattern is compiled with the schema
	return nil
}

func numericKeyword(s *value, k keyword) error {
	if kind := s.word("type"); kind != "integer" && kind != "number" {
		return k.misplaced(s)
	}
	v, err := k.number()
	if err == nil {
		s.put(k.name, v)
	}
	return err
}

func (k keyword) misplaced(s *value) error {
	kind := s.word("type")
	what := "a value of type " + kind
	switch {
	case s.get("$ref") != nil:
		what = "a recursive type"
	case kind == "":
		what = "a value of any type"
	}
	return fmt.Errorf("%s does not apply to %s", k.name, what)
}

func (k keyword) bad(want string) error {
	return fmt.Errorf("%s=%s: must be %s", k.name, k.value, want)
}

// flag sets a keyword that is true or false; false says nothing.
func (k keyword) flag(s *value) error {
	set := true
	if k.assigned {
		var err error
		if set, err = strconv.ParseBool(k.value); err != nil {
			return k.bad("true or false")
		}
	}
	if s.remove(k.name); set {
		s.put(k.name, trueValue)
	}
	return nil
}

func (k keyword) count(s *value) error {
	n, err := strconv.ParseUint(k.value, 10, 32)
	if err != nil {
		return k.bad("a whole number, 0 or more")
	}
	s.put(k.name, whole(n))
	return nil
}

func (k keyword) number() (*value, error) {
	v := number(k.value)
	if end, _, err := jsonx.Number(v.raw, 0); err != nil || end != len(v.raw) {
		return nil, k.bad("a number")
	}
	if _, ok := parseDecimal(v.raw); !ok {
		return nil, k.bad("a number within bounds")
	}
	return v, nil
}

// valueFor reads the keyword's value as a type wants it: a string is taken as it
// is, anything that is no scalar is JSON.
func (k keyword) valueFor(kind string) (*value, error) {
	switch kind {
	case "string":
		return quoted(k.value), nil
	case "boolean":
		switch k.value {
		case "true":
			return trueValue, nil
		case "false":
			return falseValue, nil
		}
		return nil, k.bad("true or false")
	case "integer", "number":
		v, err := k.number()
		if err != nil {
			return nil, k.bad("of type " + kind)
		}
		if d, _ := parseDecimal(v.raw); kind == "integer" && !d.integral() {
			return nil, k.bad("of type integer")
		}
		return v, nil
	}
	v, err := parseDocument([]byte(k.value))
	if err != nil {
		return nil, k.bad("JSON")
	}
	return v, nil
}
