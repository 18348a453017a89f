package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dougu-go/dougu/mcp/schema"
)

// textContenter is implemented by outputs with a text for the model that is shorter than their JSON.
type textContenter interface{ TextContent() string }

// textNoter is implemented by texters with an optional second block of text.
type textNoter interface{ TextNote() string }

// TypedResult is a value of a tool together with further blocks, for example a chart as an image or a
// link to a resource. A tool that returns it has the output schema of T. The result has the blocks
// that a tool returning T would have, then Content.
type TypedResult[T any] struct {
	Value   T         // Value is the value; see NewTool.
	Content []Content // Content holds the further blocks.
}

// resultEncoder converts the outputs of a tool to results.
type resultEncoder[Out any] struct {
	encode     func(context.Context, Out) (*ToolResult, error)
	output     *schema.Schema // schema of the structured content; nil if there is none
	textIsJSON bool           // the text is a copy of the JSON
}

// encoderFor returns the encoder for an Out. A result with a text of its own has no structured content in a call that does not need
// it.
func encoderFor[Out any]() (resultEncoder[Out], error) {
	var zero Out
	switch any(zero).(type) {
	case string:
		return resultEncoder[Out]{encode: func(_ context.Context, out Out) (*ToolResult, error) { return Text(any(out).(string)), nil }}, nil
	case None:
		return resultEncoder[Out]{encode: func(context.Context, Out) (*ToolResult, error) { return &ToolResult{}, nil }}, nil
	case *ToolResult:
		return resultEncoder[Out]{encode: func(_ context.Context, out Out) (*ToolResult, error) { return any(out).(*ToolResult), nil }}, nil
	case ToolResult:
		return resultEncoder[Out]{encode: func(_ context.Context, out Out) (*ToolResult, error) {
			result := any(out).(ToolResult)
			return &result, nil
		}}, nil
	}
	if typed, ok := any(&zero).(typedOutput); ok {
		return typedEncoder[Out](typed)
	}
	if typed, ok := any(zero).(typedOutput); ok { // a pointer
		return typedEncoder[Out](typed)
	}
	t := reflect.TypeFor[Out]()
	content := reflect.TypeFor[Content]()
	switch {
	case t.Implements(content):
		return resultEncoder[Out]{encode: func(_ context.Context, out Out) (*ToolResult, error) {
			block, _ := any(out).(Content) // nil becomes an error of checkBlocks
			return &ToolResult{Content: []Content{block}}, nil
		}}, nil
	case t.Kind() == reflect.Slice && t.Elem().Implements(content):
		return resultEncoder[Out]{encode: func(_ context.Context, out Out) (*ToolResult, error) {
			list := reflect.ValueOf(out)
			blocks := make([]Content, list.Len())
			for i := range blocks {
				blocks[i], _ = list.Index(i).Interface().(Content)
			}
			return &ToolResult{Content: blocks}, nil
		}}, nil
	}
	return structuredEncoder[Out](t)
}

// structuredEncoder returns the encoder for an Out of type t that becomes structured content.
func structuredEncoder[Out any](t reflect.Type) (resultEncoder[Out], error) {
	output, err := schema.Output(t, schema.Options{})
	if err != nil {
		return resultEncoder[Out]{}, fmt.Errorf("result type: %w", err)
	}
	encoder, err := schema.NewEncoder(t)
	if err != nil {
		return resultEncoder[Out]{}, fmt.Errorf("result type: %w", err)
	}
	var zero Out
	_, hasText := any(zero).(textContenter)
	isPointer := t.Kind() == reflect.Pointer
	encode := func(ctx context.Context, out Out) (*ToolResult, error) {
		if isPointer && reflect.ValueOf(out).IsNil() {
			return nil, &ToolError{Code: "INVALID_RESULT", Message: fmt.Sprintf("the tool has returned neither a result nor an error: its %v is nil", t), Next: "report the failure of the tool; another call may fail as well"}
		}
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
	return resultEncoder[Out]{encode, output, !hasText}, nil
}

// typedOutput is implemented by *TypedResult.
type typedOutput interface {
	valueEncoder() (resultEncoder[any], error)
	resultType() reflect.Type
	decode(tool string, result *ToolResult) error
}

// decode implements typedOutput for function Call.
func (r *TypedResult[T]) decode(tool string, result *ToolResult) (err error) {
	r.Value, err = decodeResult[T](tool, result)
	for _, block := range result.Blocks() {
		if _, isText := block.(TextContent); !isText {
			r.Content = append(r.Content, block)
		}
	}
	return err
}

// resultType implements typedOutput.
func (*TypedResult[T]) resultType() reflect.Type { return reflect.TypeFor[TypedResult[T]]() }

// valueEncoder implements typedOutput. The outputs of the encoder are of type *TypedResult[T].
func (*TypedResult[T]) valueEncoder() (resultEncoder[any], error) {
	inner, err := encoderFor[T]()
	if err != nil {
		return resultEncoder[any]{}, err
	}
	return resultEncoder[any]{output: inner.output, textIsJSON: inner.textIsJSON, encode: func(ctx context.Context, out any) (*ToolResult, error) {
		typed := out.(*TypedResult[T])
		if typed == nil {
			return nil, &ToolError{Code: "INVALID_RESULT", Message: "the tool has returned neither a result nor an error", Next: "report the failure of the tool; another call may fail as well"}
		}
		result, err := inner.encode(ctx, typed.Value)
		if err != nil || len(typed.Content) == 0 {
			return result, err
		}
		own := ToolResult{}
		if result != nil {
			own = *result
		}
		own.Content = slices.Concat(own.Content, typed.Content)
		return &own, nil
	}}, nil
}

// typedEncoder returns the encoder for an Out that is a TypedResult or a pointer to one.
func typedEncoder[Out any](typed typedOutput) (resultEncoder[Out], error) {
	if t := reflect.TypeFor[Out](); t != typed.resultType() && t != reflect.PointerTo(typed.resultType()) {
		return resultEncoder[Out]{}, fmt.Errorf("result type: %v embeds %v, which must be the result itself", t, typed.resultType())
	}
	value, err := typed.valueEncoder()
	if err != nil {
		return resultEncoder[Out]{}, err
	}
	return resultEncoder[Out]{output: value.output, textIsJSON: value.textIsJSON, encode: func(ctx context.Context, out Out) (*ToolResult, error) {
		if _, ok := any(out).(typedOutput); ok {
			return value.encode(ctx, any(out))
		}
		return value.encode(ctx, any(&out))
	}}, nil
}

// checkBlocks returns the blocks of a result or prompt with values in place of pointers. It returns
// blocks itself if they have none. A nil block is an error.
func checkBlocks(blocks []Content) ([]Content, error) {
	copied := false
	for i, block := range blocks {
		value, err := checkBlock(block)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if !copied {
			blocks, copied = slices.Clone(blocks), true
		}
		blocks[i] = value
	}
	return blocks, nil
}

// checkBlock returns the value of a pointer to a block, nil for a block that is no pointer, and an
// error for nil.
func checkBlock(block Content) (Content, error) {
	switch b := block.(type) {
	case TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource:
		return nil, nil
	case UnknownContent:
		return nil, b.check()
	case *TextContent:
		return deref(b)
	case *ImageContent:
		return deref(b)
	case *AudioContent:
		return deref(b)
	case *ResourceLink:
		return deref(b)
	case *EmbeddedResource:
		return deref(b)
	case *UnknownContent:
		if b != nil {
			return *b, b.check()
		}
		return nil, errNilBlock
	case ToolUseContent, ToolResultContent, *ToolUseContent, *ToolResultContent:
		return nil, errNotSampling
	case nil:
		return nil, errNilBlock
	}
	return nil, nil // a type of the caller that embeds a block
}

// check returns an error unless the block is a JSON object: other text would break the message that
// contains it.
func (c UnknownContent) check() error {
	if !isObject(c.Raw) {
		return errors.New("a block of unknown content is no JSON object")
	}
	return nil
}

// errNilBlock is the error of a result or prompt with a block that is nil.
var errNilBlock = errors.New("a block of content is nil")

// deref returns the block at p. Nil is an error.
func deref[T Content](p *T) (Content, error) {
	if p == nil {
		return nil, errNilBlock
	}
	return *p, nil
}
