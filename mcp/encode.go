package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/dougu-go/dougu/mcp/schema"
)

// texter is an output with a text of its own for the model, where its JSON
// would say the same in more bytes.
type texter interface{ TextContent() string }

// noter is a texter with something to say beside its text: a second text, where
// it is not empty. The first stays exactly what it is.
type noter interface{ TextNote() string }

// encoderFor returns what turns an Out into a result, and the schema of the
// structured content it makes, nil when it makes none.
func encoderFor[Out any]() (func(Out) (*ToolResult, error), json.RawMessage, error) {
	var zero Out
	switch any(zero).(type) {
	case string:
		return func(out Out) (*ToolResult, error) { return Text(any(out).(string)), nil }, nil, nil
	case None:
		return func(Out) (*ToolResult, error) { return &ToolResult{}, nil }, nil, nil
	case *ToolResult:
		return func(out Out) (*ToolResult, error) { return any(out).(*ToolResult), nil }, nil, nil
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
	_, hasText := any(zero).(texter)
	encode := func(out Out) (*ToolResult, error) {
		structured, err := encoder.Append(nil, out)
		if err != nil {
			return nil, fmt.Errorf("encoding the result: %w", err)
		}
		if hasText {
			text := any(out).(texter).TextContent()
			content := []Content{TextContent{Text: text}}
			if n, ok := any(out).(noter); ok {
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
