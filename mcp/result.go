package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// ToolResult is the result of a tool (2026-07-28, CallToolResult).
type ToolResult struct {
	Content []Content // Content is the result for the model.
	// Structured is the raw structuredContent; nil if there is none. It is sent since 2025-06-18;
	// before 2026-07-28 only if it is an object.
	Structured json.RawMessage
	// IsError means that the tool failed. The content describes the failure to the model.
	IsError bool
	Meta    Meta // Meta is the _meta of the result.

	// copyText sends Structured also as the text of a block before Content, for clients and models
	// that read only text.
	copyText bool
	// omitStructured sends the content alone. A result without content has Structured as text.
	omitStructured bool
	server         json.RawMessage // server identity, for _meta
}

// Text returns a result with one block of text.
func Text(text string) *ToolResult {
	return &ToolResult{Content: []Content{TextContent{Text: text}}}
}

// Blocks returns the content, including the text copy of a structured result.
func (r *ToolResult) Blocks() []Content {
	if r.copyText {
		return append([]Content{TextContent{Text: string(r.Structured)}}, r.Content...)
	}
	return r.Content
}

// AppendJSON implements protocol.Result.
func (r *ToolResult) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst = append(openResult(dst, rev), `"content":`...)
	if r.copyText || r.omitStructured && len(r.Content) == 0 && r.Structured != nil {
		dst = append(dst, `[{"type":"text","text":`...)
		dst = jsonx.AppendQuoted(dst, []byte(r.Structured))
		dst = append(dst, '}')
		for _, block := range r.Content {
			dst = block.appendContent(append(dst, ','), rev)
		}
		dst = append(dst, ']')
	} else {
		dst = appendContents(dst, r.Content, rev)
	}
	if r.Structured != nil && !r.omitStructured && (rev.Modern() || rev >= protocol.Rev20250618 && r.Structured[0] == '{') {
		dst = append(append(dst, `,"structuredContent":`...), r.Structured...)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	dst, err := appendResultMeta(dst, r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// appendResultMeta appends the _meta of a result, with the identity of the server in modern
// revisions.
func appendResultMeta(dst []byte, meta Meta, server json.RawMessage, rev protocol.Revision) ([]byte, error) {
	identify := server != nil && rev.Modern()
	if len(meta) == 0 {
		if identify {
			dst = append(dst, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
			dst = append(append(dst, server...), '}')
		}
		return dst, nil
	}
	if identify {
		all := make(Meta, len(meta)+1)
		all[protocol.MetaServerInfo] = server
		for key, value := range meta {
			all[key] = value
		}
		meta = all
	}
	return marshal(append(dst, `,"_meta":`...), meta)
}

// UnmarshalJSON decodes a result of any revision.
func (r *ToolResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
		Meta              Meta              `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a tool result: %w", err)
	}
	*r = ToolResult{Structured: wire.StructuredContent, IsError: wire.IsError, Meta: wire.Meta}
	for _, raw := range wire.Content {
		block, err := parseContent(raw)
		if err != nil {
			return err
		}
		r.Content = append(r.Content, block)
	}
	return nil
}
