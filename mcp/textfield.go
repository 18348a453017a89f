package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
)

// textField is a property with a text value: an argument of a prompt, or a variable of a template.
type textField struct {
	name, title, description string
	required                 bool
	list                     bool     // several values
	enum                     []string // permitted values; nil permits all
}

// textFields returns the properties of an object schema, in order. A property that is not text is
// an error.
func textFields(s *schema.Schema) ([]textField, error) {
	var object struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := unmarshal(s.JSON(), &object); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	var fields []textField
	properties := jsonx.Object(object.Properties)
	for object.Properties != nil && properties.Next() {
		f, err := readTextField(properties.Name(), properties.Value())
		if err != nil {
			return nil, err
		}
		f.required = slices.Contains(object.Required, f.name)
		fields = append(fields, f)
	}
	return fields, nil
}

// readTextField parses the schema of one property.
func readTextField(name string, raw json.RawMessage) (textField, error) {
	type property struct {
		Type        json.RawMessage   `json:"type"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Enum        []json.RawMessage `json:"enum"`
	}
	var outer struct {
		property
		Items property `json:"items"`
	}
	if err := unmarshal(raw, &outer); err != nil {
		return textField{}, fmt.Errorf("reading the schema of %q: %w", name, err)
	}
	f := textField{name: name, title: outer.Title, description: outer.Description}
	value := outer.property
	if string(value.Type) == `"array"` {
		f.list, value = true, outer.Items
	}
	if string(value.Type) != `"string"` {
		return f, fmt.Errorf("the field %q is not text; only text comes here", name)
	}
	for _, raw := range value.Enum {
		if s, err := jsonx.Unquote(raw); err == nil {
			f.enum = append(f.enum, s)
		}
	}
	return f, nil
}

// textObjectSchema returns the schema of an object with these text members, for arguments that are not a
// struct.
func textObjectSchema(args []PromptArgument) (*schema.Schema, error) {
	properties, required := map[string]any{}, []string{}
	for _, a := range args {
		if _, twice := properties[a.Name]; twice || a.Name == "" {
			return nil, fmt.Errorf("the argument %q has no name or occurs twice", a.Name)
		}
		properties[a.Name] = map[string]any{"type": "string"}
		if a.Required {
			required = append(required, a.Name)
		}
	}
	return schema.Compile(mustMarshal(nil, map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}), schema.Options{})
}

// isMap reports whether In is a map.
func isMap[In any]() bool { return reflect.TypeFor[In]().Kind() == reflect.Map }

// decodeText validates and decodes arguments. Invalid arguments are a protocol error whose message
// begins with what.
func decodeText[In any](s *schema.Schema, raw json.RawMessage, what string) (In, error) {
	var in In
	checked, err := s.Prepare(raw)
	if err == nil {
		err = unmarshal(checked, &in)
	}
	if err != nil {
		return in, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s: %s", what, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return in, nil
}

// Completer proposes values for an argument of a prompt or a variable of a template. value is the
// text typed so far. others holds the arguments that already have a value; it may be nil.
type Completer func(ctx context.Context, value string, others map[string]string) (Completion, error)

// enumCompleter returns a completer that proposes the values with the typed prefix, ignoring case.
func enumCompleter(values []string) Completer {
	return func(_ context.Context, typed string, _ map[string]string) (Completion, error) {
		var c Completion
		for _, value := range values {
			if len(value) >= len(typed) && strings.EqualFold(value[:len(typed)], typed) {
				c.Values = append(c.Values, value)
			}
		}
		c.Total = len(c.Values)
		return c, nil
	}
}

// withCompleter returns a copy of all with one more completer.
func withCompleter(all map[string]Completer, name string, c Completer) map[string]Completer {
	return mergeMaps(all, map[string]Completer{name: c})
}

// joinProblems joins the problems of a feature into one error, or returns nil.
func joinProblems(kind, name string, problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s %q: %w", kind, name, errors.New(joinErrors(problems)))
}
