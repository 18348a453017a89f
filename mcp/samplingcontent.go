package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// ToolUseContent is the wish of a model to use a tool, in the answer to a sampling request; since
// 2025-11-25. It is content of sampling alone.
type ToolUseContent struct {
	ID    string          // ID identifies the use; the ToolResultContent repeats it.
	Name  string          // Name is the name of the tool. It may be one that was not offered.
	Input json.RawMessage // Input is a JSON object with the arguments, which are not validated; nil means {}.
	Meta  Meta            // Meta is the _meta of the block.
}

// ToolResultContent is the result of a tool that a model has used, in a message of the user of a
// sampling request; since 2025-11-25. It is content of sampling alone.
type ToolResultContent struct {
	ToolUseID  string          // ToolUseID is the ID of the ToolUseContent.
	Content    []Content       // Content is the result for the model, like that of a ToolResult.
	Structured json.RawMessage // Structured is the structured content, a JSON object; nil if there is none.
	IsError    bool            // IsError means that the tool failed.
	Meta       Meta            // Meta is the _meta of the block.
}

func (c ToolUseContent) appendContent(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"type":"tool_use","id":`...), c.ID)
	dst = append(appendMember(dst, "name", c.Name), `,"input":`...)
	if c.Input == nil {
		dst = append(dst, `{}`...)
	}
	return appendExtras(append(dst, c.Input...), nil, c.Meta, rev)
}

func (c ToolResultContent) appendContent(dst []byte, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"type":"tool_result","toolUseId":`...), c.ToolUseID)
	dst = appendContents(append(dst, `,"content":`...), c.Content, rev)
	if c.Structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), c.Structured...)
	}
	if c.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	return appendExtras(dst, nil, c.Meta, rev)
}

// check returns an error if the tool use has no id, no name or no valid input.
func (c ToolUseContent) check() error {
	switch {
	case c.ID == "":
		return errors.New("a tool use has no id")
	case c.Name == "":
		return fmt.Errorf("the tool use %q names no tool", c.ID)
	case c.Input != nil && !isObject(c.Input):
		return fmt.Errorf("the input of the tool use %q is not a JSON object", c.ID)
	}
	return nil
}

// errNotSampling is the error of a block of sampling in a result or prompt.
var errNotSampling = errors.New("tool uses and their results are content of sampling alone")

// sampleBlocks returns the blocks of a message with values in place of pointers. A block that
// sampling does not allow is an error (2026-07-28, SamplingMessageContentBlock).
func sampleBlocks(blocks []Content) ([]Content, error) {
	out := slices.Clone(blocks)
	for i, block := range out {
		switch b := block.(type) {
		case TextContent, ImageContent, AudioContent, UnknownContent, ToolUseContent:
		case *ToolUseContent:
			value, err := deref(b)
			if err != nil {
				return nil, err
			}
			out[i] = value
		case *ToolResultContent:
			if b == nil {
				return nil, errNilBlock
			}
			value, err := b.complete()
			if err != nil {
				return nil, err
			}
			out[i] = value
		case ToolResultContent:
			value, err := b.complete()
			if err != nil {
				return nil, err
			}
			out[i] = value
		case ResourceLink, EmbeddedResource, *ResourceLink, *EmbeddedResource:
			return nil, errors.New("a resource is no content of sampling; send it as text")
		default:
			value, err := checkBlock(block)
			if err != nil {
				return nil, err
			}
			if value != nil {
				out[i] = value
			}
		}
	}
	return out, nil
}

// complete returns the result with values in place of pointers to blocks. Invalid structured content
// is an error.
func (c ToolResultContent) complete() (ToolResultContent, error) {
	if c.Structured != nil && !isObject(c.Structured) {
		return c, fmt.Errorf("the structured content for the tool use %q is not a JSON object", c.ToolUseID)
	}
	var err error
	c.Content, err = checkBlocks(c.Content)
	return c, err
}

// appendSampleContent appends the content of a message: one block as an object, several as an array,
// which revisions before 2025-11-25 do not have.
func appendSampleContent(dst []byte, blocks []Content, rev protocol.Revision) []byte {
	if len(blocks) == 1 {
		return blocks[0].appendContent(dst, rev)
	}
	return appendContents(dst, blocks, rev)
}

// parseSampleContent decodes the content of a message: a block or an array of blocks. Blocks of an
// unknown type become UnknownContent.
func parseSampleContent(raw json.RawMessage) ([]Content, error) {
	if len(raw) == 0 {
		return nil, errors.New("it has no content")
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		if err := unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("reading content: %w", err)
		}
	}
	blocks := make([]Content, len(list))
	for i, one := range list {
		var err error
		if blocks[i], err = parseSampleBlock(one); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// withoutNull returns raw, or nil for null.
func withoutNull(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return raw
}

// parseSampleBlock decodes one block of a message.
func parseSampleBlock(raw json.RawMessage) (Content, error) {
	var wire struct {
		ID         string            `json:"id"`
		Name       string            `json:"name"`
		Input      json.RawMessage   `json:"input"`
		ToolUseID  string            `json:"toolUseId"`
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
		Meta       Meta              `json:"_meta"`
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := unmarshal(raw, &kind); err != nil || kind.Type == "" {
		return nil, errors.New("a content block is not an object with a type")
	}
	if kind.Type != "tool_use" && kind.Type != "tool_result" {
		return parseContent(raw)
	}
	if err := unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("reading a block of type %s: %w", kind.Type, err)
	}
	if kind.Type == "tool_use" {
		return ToolUseContent{wire.ID, wire.Name, withoutNull(wire.Input), wire.Meta}, nil
	}
	result := ToolResultContent{ToolUseID: wire.ToolUseID, Structured: withoutNull(wire.Structured), IsError: wire.IsError, Meta: wire.Meta}
	for _, one := range wire.Content {
		block, err := parseContent(one)
		if err != nil {
			return nil, err
		}
		result.Content = append(result.Content, block)
	}
	return result, nil
}
