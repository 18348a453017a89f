package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// ToolResult is what a tool answers (2026-07-28, CallToolResult).
type ToolResult struct {
	Content []Content
	// Structured is the structuredContent, raw; nil when there is none. Peers
	// of revisions before 2025-06-18 never see it, those before 2026-07-28 see
	// it when it is an object.
	Structured json.RawMessage
	// IsError says that the tool failed in a way that the model should read.
	IsError bool
	Meta    Meta

	// copyText makes Structured the text of the only block too, for clients and
	// models that read text alone.
	copyText bool
	server   json.RawMessage // the server's identity, for _meta
}

// Text returns a result of one block of text.
func Text(text string) *ToolResult {
	return &ToolResult{Content: []Content{TextContent{Text: text}}}
}

// Textf returns a result of one block of formatted text.
func Textf(format string, args ...any) *ToolResult { return Text(fmt.Sprintf(format, args...)) }

// Blocks returns the content, with the text copy of a structured result.
func (r *ToolResult) Blocks() []Content {
	if r.copyText {
		return []Content{TextContent{Text: string(r.Structured)}}
	}
	return r.Content
}

// AppendJSON implements Result.
func (r *ToolResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(openResult(dst, rev), `"content":`...)
	if r.copyText {
		dst = append(dst, `[{"type":"text","text":`...)
		dst = jsonx.AppendQuoted(dst, []byte(r.Structured))
		dst = append(dst, `}]`...)
	} else {
		dst = appendContents(dst, r.Content, rev)
	}
	if r.Structured != nil && (rev.Modern() || rev >= Rev20250618 && r.Structured[0] == '{') {
		dst = append(append(dst, `,"structuredContent":`...), r.Structured...)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	dst, err := appendResultMeta(dst, r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// appendResultMeta appends the _meta of a result: its own, and who answers.
func appendResultMeta(dst []byte, meta Meta, server json.RawMessage, rev Revision) ([]byte, error) {
	identify := server != nil && rev.Modern()
	if len(meta) == 0 {
		if identify {
			dst = append(dst, `,"_meta":{"`+metaServer+`":`...)
			dst = append(append(dst, server...), '}')
		}
		return dst, nil
	}
	if identify {
		all := make(Meta, len(meta)+1)
		all[metaServer] = server
		for key, value := range meta {
			all[key] = value
		}
		meta = all
	}
	return marshal(append(dst, `,"_meta":`...), meta)
}

// UnmarshalJSON reads a result as any revision has it.
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

// RawResult is a result that is already JSON: what a client receives, or what a
// gateway passes on. It is written as it is.
type RawResult json.RawMessage

// AppendJSON implements Result.
func (r RawResult) AppendJSON(dst []byte, _ Revision) ([]byte, error) { return append(dst, r...), nil }

// EmptyResult answers a request that has nothing to tell.
type EmptyResult struct{ Meta Meta }

// AppendJSON implements Result.
func (r EmptyResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(dst, '{')
	head := len(dst)
	if rev.Modern() {
		dst = append(dst, `"resultType":"complete"`...)
	}
	var err error
	if len(r.Meta) > 0 {
		if len(dst) > head {
			dst = append(dst, ',')
		}
		dst, err = marshal(append(dst, `"_meta":`...), r.Meta)
	}
	return append(dst, '}'), err
}

// CacheHint says how long a list may be kept by its receiver (2026-07-28,
// server/utilities/caching).
type CacheHint struct {
	TTLMillis int64 // 0 means stale at once
	Public    bool  // true when it is the same for every principal
}

func (h CacheHint) appendTo(dst []byte, rev Revision) []byte {
	if !rev.Modern() {
		return dst
	}
	scope := "private"
	if h.Public {
		scope = "public"
	}
	return fmt.Appendf(dst, `,"ttlMs":%d,"cacheScope":%q`, max(h.TTLMillis, 0), scope)
}

// ListToolsResult is one page of the list of tools. Middleware that changes the
// list must put a slice of its own in Tools.
type ListToolsResult struct {
	Tools      []Tool
	NextCursor string // empty on the last page
	Cache      CacheHint

	server json.RawMessage
	page   *listPage[Tool] // whose encoding holds as long as the result is not changed
}

// AppendJSON implements Result.
func (r *ListToolsResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	return appendList(dst, rev, r.page, listed[Tool]{"tools", r.Tools, r.NextCursor, r.Cache, r.server})
}

// DiscoverResult says what a server is and offers (2026-07-28,
// server/discover).
type DiscoverResult struct {
	Server       Implementation
	Supported    []Revision
	Capabilities ServerCapabilities
	Instructions string // how to use the server, for the model; absent when empty
	Cache        CacheHint
}

// AppendJSON implements Result.
func (r *DiscoverResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"complete","supportedVersions":`...)
	dst = mustMarshal(dst, r.Supported)
	dst = mustMarshal(append(dst, `,"capabilities":`...), r.Capabilities)
	dst = appendOptional(dst, "instructions", r.Instructions)
	dst = r.Cache.appendTo(dst, rev)
	dst, err := appendResultMeta(dst, nil, mustMarshal(nil, r.Server), rev)
	return append(dst, '}'), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *DiscoverResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Supported    []Revision                 `json:"supportedVersions"`
		Capabilities ServerCapabilities         `json:"capabilities"`
		Instructions string                     `json:"instructions"`
		TTL          int64                      `json:"ttlMs"`
		Scope        string                     `json:"cacheScope"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a discover result: %w", err)
	}
	*r = DiscoverResult{
		Supported: wire.Supported, Capabilities: wire.Capabilities, Instructions: wire.Instructions,
		Cache: CacheHint{TTLMillis: wire.TTL, Public: wire.Scope == "public"},
	}
	if raw, ok := wire.Meta[metaServer]; ok {
		if err := unmarshal(raw, &r.Server); err != nil {
			return fmt.Errorf("reading the server's identity: %w", err)
		}
	}
	return nil
}
