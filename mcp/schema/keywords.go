package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/format"
)

// contradicts reports whether the keyword may contradict the rest of the schema. Only compilation
// can detect this.
func (k keyword) contradicts() bool {
	switch k.name {
	case "default", "enum", "const", "pattern", "multipleOf":
		return true
	}
	return false
}

// applyTag adds the keywords of a field's tag to its schema. Keywords of scalars apply to the items
// of an array.
func applyTag(s *value, list []keyword) error {
	for _, k := range list {
		if err := applyKeyword(s, k); err != nil {
			return err
		}
	}
	if items := s.get("items"); items != nil {
		if isNullable(items) {
			items = items.get("anyOf").elements[0]
		}
		if err := checkBounds(items); err != nil {
			return err
		}
	}
	return checkBounds(s)
}

// checkBounds returns an error if the limits of a schema leave no value.
func checkBounds(s *value) error {
	for _, pair := range [][2]string{{"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}} {
		low, high := s.get(pair[0]), s.get(pair[1])
		if low != nil && high != nil && compareNumbers(low, high) > 0 {
			return fmt.Errorf("%s %s is more than %s %s", pair[0], low.raw, pair[1], high.raw)
		}
	}
	for _, from := range []string{"minimum", "exclusiveMinimum"} {
		for _, to := range []string{"maximum", "exclusiveMaximum"} {
			low, high := s.get(from), s.get(to)
			if low == nil || high == nil {
				continue
			}
			switch order := compareNumbers(low, high); {
			case order < 0 || order == 0 && from == "minimum" && to == "maximum":
			case from == "minimum" && to == "maximum":
				return fmt.Errorf("minimum %s is more than maximum %s", low.raw, high.raw)
			case to == "maximum":
				return fmt.Errorf("%s %s leaves no value up to %s %s", from, low.raw, to, high.raw)
			default:
				return fmt.Errorf("%s %s leaves no value below %s %s", from, low.raw, to, high.raw)
			}
		}
	}
	return nil
}

// compareNumbers compares two numbers exactly. A number that cannot be parsed equals any other.
func compareNumbers(a, b *value) int {
	x, ok := parseDecimal(a.raw)
	y, also := parseDecimal(b.raw)
	if !ok || !also {
		return 0
	}
	return x.compare(&y)
}

// applyKeyword adds one keyword.
func applyKeyword(s *value, k keyword) error {
	switch k.name {
	case "required": // the schema of the struct contains it
		if k.assigned && k.value != "true" {
			return k.valueError("true, or absent")
		}
		return nil
	case "description", "title":
		s.insert(k.name, quoted(k.value))
		return nil
	case "deprecated":
		return k.flag(s)
	case "default":
		return k.setDefault(s)
	case "minItems", "maxItems", "uniqueItems":
		return arrayKeyword(s, k)
	case "minProperties", "maxProperties":
		if s.memberText("type") != "object" || s.get("$ref") != nil {
			return k.misplacedError(s)
		}
		return k.count(s)
	}
	if strings.HasPrefix(k.name, "x-") {
		s.insert(k.name, quoted(k.value))
		return nil
	}
	if s.memberText("type") != "array" {
		return scalarKeyword(s, k)
	}
	items := s.get("items")
	if items != nil && isNullable(items) {
		items = items.get("anyOf").elements[0]
	}
	if items == nil || items.get("$ref") != nil || items.memberText("type") == "array" {
		return fmt.Errorf("%s does not apply to items that are no scalars", k.name)
	}
	return scalarKeyword(items, k)
}

// setDefault sets the default. The default of an array may be given item by item.
func (k keyword) setDefault(s *value) error {
	if s.memberText("type") != "array" || strings.HasPrefix(k.value, "[") {
		v, err := k.valueFor(s.memberText("type"))
		if err == nil {
			s.insert("default", v)
		}
		return err
	}
	kind := ""
	if items := s.get("items"); items != nil {
		kind = items.memberText("type")
	}
	item, err := k.valueFor(kind)
	if err == nil {
		s.appendTo("default", item)
	}
	return err
}

// appendTo appends an element to the list of a keyword.
func (v *value) appendTo(name string, element *value) {
	list := array()
	if before := v.get(name); before != nil && before.kind == typeArray {
		list.elements = before.elements
	}
	list.elements = append(list.elements, element)
	v.insert(name, list)
}

// arrayKeyword adds a keyword of arrays.
func arrayKeyword(s *value, k keyword) error {
	switch {
	case s.memberText("type") != "array":
		return k.misplacedError(s)
	case k.name == "uniqueItems":
		return k.flag(s)
	}
	return k.count(s)
}

// scalarKeyword adds a keyword of scalars.
func scalarKeyword(s *value, k keyword) error {
	switch k.name {
	case "enum", "const", "example":
		v, err := k.valueFor(s.memberText("type"))
		switch {
		case err != nil:
			return err
		case k.name == "enum":
			if before := s.get("enum"); before != nil && slices.ContainsFunc(before.elements, func(e *value) bool { return bytes.Equal(e.raw, v.raw) && e.kind == v.kind }) {
				return fmt.Errorf("enum=%s: occurs twice", k.value)
			}
			s.appendTo("enum", v)
		case k.name == "const":
			s.insert("const", v)
		default:
			s.appendTo("examples", v)
		}
		return nil
	case "minLength", "maxLength", "pattern", "format":
		return stringKeyword(s, k)
	}
	return numericKeyword(s, k)
}

// stringKeyword adds a keyword of strings.
func stringKeyword(s *value, k keyword) error {
	if s.memberText("type") != "string" {
		return k.misplacedError(s)
	}
	if k.name == "minLength" || k.name == "maxLength" {
		return k.count(s)
	}
	if k.name == "format" && !contains(format.Known(), k.value) {
		return fmt.Errorf("format=%s: unknown format%s", k.value, keywordHint(k.value, format.Known()))
	}
	s.insert(k.name, quoted(k.value)) // compiled later with the schema
	return nil
}

// numericKeyword adds a keyword of numbers.
func numericKeyword(s *value, k keyword) error {
	if kind := s.memberText("type"); kind != "integer" && kind != "number" {
		return k.misplacedError(s)
	}
	v, err := k.number()
	if err == nil {
		s.insert(k.name, v)
	}
	return err
}

// misplacedError returns the error for a keyword of another type.
func (k keyword) misplacedError(s *value) error {
	kind := s.memberText("type")
	what := "a value of type " + kind
	switch {
	case s.get("$ref") != nil:
		what = "a recursive type"
	case kind == "":
		what = "a value of any type"
	}
	return fmt.Errorf("%s does not apply to %s", k.name, what)
}

// valueError returns the error for an invalid value.
func (k keyword) valueError(want string) error {
	return fmt.Errorf("%s=%s: must be %s", k.name, k.value, want)
}

// flag sets a boolean keyword; false removes it.
func (k keyword) flag(s *value) error {
	set := true
	if k.assigned {
		var err error
		if set, err = strconv.ParseBool(k.value); err != nil {
			return k.valueError("true or false")
		}
	}
	if s.remove(k.name); set {
		s.insert(k.name, trueValue)
	}
	return nil
}

// count sets a keyword whose value is a count.
func (k keyword) count(s *value) error {
	n, err := strconv.ParseUint(k.value, 10, 32)
	if err != nil {
		return k.valueError("a whole number, 0 or more")
	}
	s.insert(k.name, integerValue(n))
	return nil
}

// number parses the value as a number.
func (k keyword) number() (*value, error) {
	v := number(k.value)
	if end, _, err := jsonx.Number(v.raw, 0); err != nil || end != len(v.raw) {
		return nil, k.valueError("a number")
	}
	if _, ok := parseDecimal(v.raw); !ok {
		return nil, k.valueError("a number within bounds")
	}
	return v, nil
}

// valueFor parses the value for a type. Strings are used unchanged; values other than scalars are
// JSON.
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
		return nil, k.valueError("true or false")
	case "integer", "number":
		v, err := k.number()
		if err != nil {
			return nil, k.valueError("of type " + kind)
		}
		if d, _ := parseDecimal(v.raw); kind == "integer" && !d.integral() {
			return nil, k.valueError("of type integer")
		}
		return v, nil
	}
	v, err := parseDocument([]byte(k.value))
	if err != nil {
		return nil, k.valueError("JSON")
	}
	return v, nil
}
