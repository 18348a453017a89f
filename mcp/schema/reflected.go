package schema

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/invopop/jsonschema"
)

// described returns the schema that a type with hooks, a scalar otherwise, states for itself. It has the rules of the library's
// Reflector, without linking it.
func described(t reflect.Type) *jsonschema.Schema {
	zero := reflect.Zero(t).Interface()
	if own, ok := zero.(describer); ok {
		return own.JSONSchema()
	}
	s := &jsonschema.Schema{Type: scalarType(t.Kind())}
	if own, ok := zero.(extender); ok {
		own.JSONSchemaExtend(s)
	}
	return s
}

// scalarType returns the name of the type of a scalar, or "".
func scalarType(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	}
	return ""
}

// fromReflected converts any schema of the library to a document.
func fromReflected(s *jsonschema.Schema) (*value, error) {
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	doc, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	return normalize(doc), nil
}

// toReflected converts a document to a schema of the library, for hooks.
func toReflected(v *value) *jsonschema.Schema {
	switch {
	case v.isTrue():
		return jsonschema.TrueSchema
	case v.isFalse():
		return jsonschema.FalseSchema
	}
	s := &jsonschema.Schema{}
	for _, m := range v.members {
		if !setKeyword(s, m) {
			if s.Extras == nil {
				s.Extras = map[string]any{}
			}
			s.Extras[m.name] = plainGo(m.value)
		}
	}
	return s
}

// setKeyword sets the field of s for a keyword. It returns false if there is none for the value.
func setKeyword(s *jsonschema.Schema, m member) bool {
	if to := textKeyword(s, m.name); to != nil && m.value.kind == typeString {
		*to, _ = m.value.text()
		return true
	}
	if to := schemaKeyword(s, m.name); to != nil && m.value.kind != typeArray {
		*to = toReflected(m.value)
		return true
	}
	if to := limitKeyword(s, m.name); to != nil && m.value.kind == typeNumber {
		*to = json.Number(m.value.raw)
		return true
	}
	if to := countKeyword(s, m.name); to != nil {
		n, err := strconv.ParseUint(string(m.value.raw), 10, 64)
		*to = &n
		return err == nil
	}
	if to := flagKeyword(s, m.name); to != nil && m.value.kind == typeBoolean {
		*to = m.value.isTrue()
		return true
	}
	return setCollection(s, m)
}

// textKeyword returns the field of s for a text keyword, or nil.
func textKeyword(s *jsonschema.Schema, name string) *string {
	switch name {
	case "type":
		return &s.Type
	case "title":
		return &s.Title
	case "description":
		return &s.Description
	case "$ref":
		return &s.Ref
	case "$dynamicRef":
		return &s.DynamicRef
	case "$anchor":
		return &s.Anchor
	case "$comment":
		return &s.Comments
	case "pattern":
		return &s.Pattern
	case "format":
		return &s.Format
	case "contentEncoding":
		return &s.ContentEncoding
	case "contentMediaType":
		return &s.ContentMediaType
	}
	return nil
}

// schemaKeyword returns the field of s for a keyword with one schema, or nil.
func schemaKeyword(s *jsonschema.Schema, name string) **jsonschema.Schema {
	switch name {
	case "items":
		return &s.Items
	case "additionalProperties":
		return &s.AdditionalProperties
	case "propertyNames":
		return &s.PropertyNames
	case "not":
		return &s.Not
	case "if":
		return &s.If
	case "then":
		return &s.Then
	case "else":
		return &s.Else
	case "contains":
		return &s.Contains
	case "contentSchema":
		return &s.ContentSchema
	}
	return nil
}

// limitKeyword returns the field of s for a limit of numbers, or nil.
func limitKeyword(s *jsonschema.Schema, name string) *json.Number {
	switch name {
	case "minimum":
		return &s.Minimum
	case "maximum":
		return &s.Maximum
	case "exclusiveMinimum":
		return &s.ExclusiveMinimum
	case "exclusiveMaximum":
		return &s.ExclusiveMaximum
	case "multipleOf":
		return &s.MultipleOf
	}
	return nil
}

// countKeyword returns the field of s for a count, or nil.
func countKeyword(s *jsonschema.Schema, name string) **uint64 {
	switch name {
	case "minLength":
		return &s.MinLength
	case "maxLength":
		return &s.MaxLength
	case "minItems":
		return &s.MinItems
	case "maxItems":
		return &s.MaxItems
	case "minProperties":
		return &s.MinProperties
	case "maxProperties":
		return &s.MaxProperties
	case "minContains":
		return &s.MinContains
	case "maxContains":
		return &s.MaxContains
	}
	return nil
}

// flagKeyword returns the field of s for a boolean keyword, or nil.
func flagKeyword(s *jsonschema.Schema, name string) *bool {
	switch name {
	case "uniqueItems":
		return &s.UniqueItems
	case "deprecated":
		return &s.Deprecated
	case "readOnly":
		return &s.ReadOnly
	case "writeOnly":
		return &s.WriteOnly
	}
	return nil
}

// setCollection sets a keyword with several values, or with a value of any type.
func setCollection(s *jsonschema.Schema, m member) bool {
	switch m.name {
	case "properties":
		s.Properties = jsonschema.NewProperties()
		for _, p := range m.value.members {
			s.Properties.Set(p.name, toReflected(p.value))
		}
	case "patternProperties":
		s.PatternProperties = schemaMap(m.value)
	case "dependentSchemas":
		s.DependentSchemas = schemaMap(m.value)
	case "$defs":
		s.Definitions = schemaMap(m.value)
	case "allOf":
		s.AllOf = schemaList(m.value)
	case "anyOf":
		s.AnyOf = schemaList(m.value)
	case "oneOf":
		s.OneOf = schemaList(m.value)
	case "prefixItems":
		s.PrefixItems = schemaList(m.value)
	case "required":
		s.Required, _ = m.value.texts()
	case "enum":
		s.Enum = plainList(m.value)
	case "examples":
		s.Examples = plainList(m.value)
	case "const":
		s.Const = plainGo(m.value)
	case "default":
		s.Default = plainGo(m.value)
	default:
		return false
	}
	return true
}

// schemaMap converts the members of v.
func schemaMap(v *value) map[string]*jsonschema.Schema {
	all := make(map[string]*jsonschema.Schema, len(v.members))
	for _, m := range v.members {
		all[m.name] = toReflected(m.value)
	}
	return all
}

// schemaList converts the elements of v.
func schemaList(v *value) []*jsonschema.Schema {
	all := make([]*jsonschema.Schema, len(v.elements))
	for i, e := range v.elements {
		all[i] = toReflected(e)
	}
	return all
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
