package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// checkForm returns an error if a schema is no form: a flat object whose properties are strings,
// numbers, integers, booleans, or arrays of enumerated strings (2026-07-28, client/elicitation,
// "Requested Schema"). A client could not display another one.
func checkForm(schema json.RawMessage) error {
	var form struct {
		Type       json.RawMessage `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := unmarshal(schema, &form); err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	if string(form.Type) != `"object"` {
		return errors.New("a form is an object with properties")
	}
	if len(form.Properties) == 0 {
		return errors.New("a form lists its fields as properties: use a struct")
	}
	var names []string
	fields := jsonx.Object(form.Properties)
	for fields.Next() {
		if err := checkFormField(fields.Value()); err != nil {
			return fmt.Errorf("the field %q: %w", fields.Name(), err)
		}
		names = append(names, fields.Name())
	}
	for _, name := range form.Required {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the field %q is required and has no schema", name)
		}
	}
	return fields.Err()
}

// checkFormField returns an error if the schema of a property is no field of a form.
func checkFormField(raw json.RawMessage) error {
	type choices struct {
		Type  json.RawMessage   `json:"type"`
		Enum  []json.RawMessage `json:"enum"`
		AnyOf []struct {
			Const json.RawMessage `json:"const"`
		} `json:"anyOf"`
	}
	var field struct {
		Type  json.RawMessage `json:"type"`
		Items *choices        `json:"items"`
	}
	if err := unmarshal(raw, &field); err != nil {
		return errors.New("it is a string, a number, a boolean or a list of choices, each with one type")
	}
	switch string(field.Type) {
	case `"string"`, `"number"`, `"integer"`, `"boolean"`:
		return nil
	case `"object"`:
		return errors.New("it is an object; a form is flat, so that its fields are strings, numbers, booleans and lists of choices")
	case `"array"`:
	default:
		return errors.New("it has no type; the fields of a form are strings, numbers, booleans and lists of choices")
	}
	if field.Items != nil && (len(field.Items.Type) == 0 || string(field.Items.Type) == `"string"`) {
		if len(field.Items.Enum) > 0 || len(field.Items.AnyOf) > 0 && !slices.ContainsFunc(field.Items.AnyOf, func(c struct {
			Const json.RawMessage `json:"const"`
		}) bool {
			return len(c.Const) == 0
		}) {
			return nil
		}
	}
	return errors.New("it is a list; a form has only lists of enumerated strings")
}
