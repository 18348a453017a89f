package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// The type Schema of github.com/invopop/jsonschema is used by reflection alone, with values that come from the methods of the user's
// types: a program without one does not link that library.
const (
	reflectedPackage = "github.com/invopop/jsonschema"
	reflectedName    = "Schema"
)

// isReflected reports whether t is a pointer to a schema of the library.
func isReflected(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Name() == reflectedName && t.Elem().PkgPath() == reflectedPackage
}

// described returns the schema that a type with the method JSONSchema or JSONSchemaExtend states for itself. An extended type is a
// scalar.
func described(t reflect.Type) (*value, error) {
	if own, ok := describer(t); ok {
		return fromReflected(own.Call([]reflect.Value{reflect.Zero(t)})[0])
	}
	return extended(t, object(member{"type", quoted(kindName(t.Kind()))}))
}

// extended returns the schema s of a type with the method JSONSchemaExtend after a call of that method.
func extended(t reflect.Type, s *value) (*value, error) {
	own, _ := extender(t)
	changed, err := toReflected(own.Type().In(1), s)
	if err != nil {
		return nil, err
	}
	own.Call([]reflect.Value{reflect.Zero(t), changed})
	return fromReflected(changed)
}

// fromReflected converts any schema of the library to a document.
func fromReflected(s reflect.Value) (*value, error) {
	text, err := json.Marshal(s.Interface())
	if err != nil {
		return nil, err
	}
	doc, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	return normalize(doc), nil
}

// toReflected converts a document to a schema of the library, for hooks. t is the type of the pointer to it.
func toReflected(t reflect.Type, v *value) (reflect.Value, error) {
	s := reflect.New(t.Elem())
	if v.isTrue() || v.isFalse() {
		return s, json.Unmarshal(v.append(nil), s.Interface())
	}
	return s, fill(s.Elem(), v)
}

// fill sets the fields of a schema of the library to the keywords of a document. Keywords without a field become its Extras.
func fill(s reflect.Value, v *value) error {
	var extras map[string]any
	for _, m := range v.members {
		field, ok := keywordField(s, m.name)
		if !ok {
			if extras == nil {
				extras = map[string]any{}
			}
			extras[m.name] = plainGo(m.value)
			continue
		}
		if err := fillKeyword(field, m.value); err != nil {
			return fmt.Errorf("keyword %s: %w", m.name, err)
		}
	}
	if extras != nil {
		s.FieldByName("Extras").Set(reflect.ValueOf(extras))
	}
	return nil
}

// keywordField returns the field of a schema of the library for a keyword.
func keywordField(s reflect.Value, keyword string) (field reflect.Value, ok bool) {
	for f := range s.Type().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == keyword && f.IsExported() {
			return s.FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

// fillKeyword sets a field of a schema of the library to the value of its keyword.
func fillKeyword(field reflect.Value, v *value) error {
	switch t := field.Type(); {
	case t.Kind() == reflect.Interface:
		field.Set(reflect.ValueOf(plainGo(v)))
	case t == reflect.TypeFor[[]any]():
		field.Set(reflect.ValueOf(plainList(v)))
	case t == reflect.TypeFor[json.Number]() && v.kind == typeNumber:
		field.SetString(string(v.raw))
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Uint64:
		n, err := strconv.ParseUint(string(v.raw), 10, 64)
		field.Set(reflect.ValueOf(&n))
		return err
	case isReflected(t):
		s, err := toReflected(t, v)
		field.Set(s)
		return err
	case t.Kind() == reflect.Slice && isReflected(t.Elem()):
		for _, e := range v.elements {
			s, err := toReflected(t.Elem(), e)
			if err != nil {
				return err
			}
			field.Set(reflect.Append(field, s))
		}
	case t.Kind() == reflect.Map && isReflected(t.Elem()):
		field.Set(reflect.MakeMap(t))
		for _, m := range v.members {
			s, err := toReflected(t.Elem(), m.value)
			if err != nil {
				return err
			}
			field.SetMapIndex(reflect.ValueOf(m.name), s)
		}
	case t.Kind() == reflect.Pointer: // an ordered map
		return fillOrdered(field, v)
	default:
		return json.Unmarshal(v.append(nil), field.Addr().Interface())
	}
	return nil
}

// fillOrdered sets a field of the type *OrderedMap[string, *Schema] to the members of v, in their order.
func fillOrdered(field reflect.Value, v *value) error {
	if err := json.Unmarshal([]byte("{}"), field.Addr().Interface()); err != nil {
		return err
	}
	set := field.MethodByName("Set")
	for _, m := range v.members {
		s, err := toReflected(set.Type().In(1), m.value)
		if err != nil {
			return err
		}
		set.Call([]reflect.Value{reflect.ValueOf(m.name), s})
	}
	return nil
}

// plainList converts the elements of v to Go values.
func plainList(v *value) []any {
	all := make([]any, len(v.elements))
	for i, e := range v.elements {
		all[i] = plainGo(e)
	}
	return all
}

// plainGo converts a value to the Go value that a hook would use: a string, a json.Number or raw
// JSON.
func plainGo(v *value) any {
	switch v.kind {
	case typeString:
		text, _ := v.text()
		return text
	case typeNumber:
		return json.Number(v.raw)
	}
	return json.RawMessage(v.append(nil))
}
