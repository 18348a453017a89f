package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/dougu-go/dougu/mcp/schema"
)

// textContenter is implemented by outputs with a text for the model that is shorter than their JSON.
type textContenter interface{ TextContent() string }

// textNoter is implemented by texters with an optional second block of text.
type textNoter interface{ TextNote() string }

// encoderFor returns a function that converts an Out to a result. A result with a text of its own has
// no structured content in a call that does not need it. encoderFor also returns the schema of the
// structured content, or nil for a type without structured content.
func encoderFor[Out any]() (func(context.Context, Out) (*ToolResult, error), json.RawMessage, error) {
	var zero Out
	switch any(zero).(type) {
	case string:
		return func(_ context.Context, out Out) (*ToolResult, error) { return Text(any(out).(string)), nil }, nil, nil
	case None:
		return func(context.Context, Out) (*ToolResult, error) { return &ToolResult{}, nil }, nil, nil
	case *ToolResult:
		return func(_ context.Context, out Out) (*ToolResult, error) { return any(out).(*ToolResult), nil }, nil, nil
	}
	t := reflect.TypeFor[Out]()
	output, err := schema.Output(t, schema.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("result type: %w", err)
	}
	encoder, err := schema.NewEncoder(t)
	if err != nil {
		return nil, nil, fmt.Errorf("result type: %w", err)
	}
	_, hasText := any(zero).(textContenter)
	encode := func(ctx context.Context, out Out) (*ToolResult, error) {
		var structured json.RawMessage
		if !hasText || !leavesOutStructured(ctx) {
			var err error
			if structured, err = encoder.Append(nil, out); err != nil {
				return nil, fmt.Errorf("encoding the result: %w", err)
			}
		}
		if hasText {
			text := any(out).(textContenter).TextContent()
			content := []Content{TextContent{Text: text}}
			if n, ok := any(out).(textNoter); ok {
				if note := n.TextNote(); note != "" {
					content = append(content, TextContent{Text: note})
				}
			}
			return &ToolResult{Structured: structured, Content: content}, nil
		}
		return &ToolResult{Structured: structured, copyText: true}, nil
	}
	return encode, output.JSON(), nil
}
