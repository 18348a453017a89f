package httpclient

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxParams is how many parameters with headers are remembered, over
	// all tools.
	maxParams = 16 << 10
	// maxPages is how many pages of tools are looked through for one.
	maxPages = 100
)

// paramHeaders are the parameters that tools want repeated in headers
// (2026-07-28, server/tools, "x-mcp-header"), as far as their schemas have passed
// by. The zero value is ready.
type paramHeaders struct {
	mu    sync.Mutex
	tools map[string]mcpheader.Params // only tools with such parameters
	count int
}

// of returns the parameters of a tool, or nil if the tool has none or is unknown.
func (p *paramHeaders) of(tool string) mcpheader.Params {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools[tool]
}

// put stores the parameters of a tool. Beyond the limit it stores nothing, so
// that the tool stays unknown.
func (p *paramHeaders) put(tool string, params mcpheader.Params) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count -= len(p.tools[tool])
	delete(p.tools, tool)
	if len(params) == 0 || p.count+len(params) > maxParams {
		return
	}
	if p.tools == nil {
		p.tools = make(map[string]mcpheader.Params)
	}
	p.tools[tool] = params
	p.count += len(params)
}

// set sets the headers of a call.
func (p *paramHeaders) set(h http.Header, call []byte) error {
	params := p.of(stringMember(call, "name"))
	if params == nil {
		return nil
	}
	return params.Set(h, member(call, "arguments"))
}

// learn reads a page of tools/list and returns it without the tools whose
// headers are invalid: a client must not offer them.
func (p *paramHeaders) learn(page []byte, log *slog.Logger) []byte {
	rest := []byte{'{'}
	dropped := false
	members := jsonx.Object(page)
	for members.Next() {
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(jsonx.AppendQuoted(rest, members.Name()), ':')
		if members.Name() == "tools" && members.Value()[0] == '[' {
			var some bool
			rest, some = p.learnTools(rest, members.Value(), log)
			dropped = dropped || some
		} else {
			rest = append(rest, members.Value()...)
		}
	}
	if !dropped || members.Err() != nil {
		return page
	}
	return append(rest, '}')
}

// learnTools appends the tools of a list whose headers are valid.
func (p *paramHeaders) learnTools(dst, list []byte, log *slog.Logger) (rest []byte, dropped bool) {
	dst = append(dst, '[')
	tools := jsonx.Array(list)
	for first := true; tools.Next(); {
		name := stringMember(tools.Value(), "name")
		params, err := mcpheader.Compile(member(tools.Value(), "inputSchema"))
		if err != nil {
			log.Warn("a tool is left out, for its headers are invalid", "tool", name, "reason", err)
			dropped = true
			continue
		}
		p.put(name, params)
		if !first {
			dst = append(dst, ',')
		}
		dst, first = append(dst, tools.Value()...), false
	}
	return append(dst, ']'), dropped
}

// refresh lists the tools until one has passed by, and reports whether its
// headers are others now.
func (c *streamableConn) refresh(ctx context.Context, tool string) bool {
	before := c.params.of(tool)
	var cursor []byte
	for range maxPages {
		req := &protocol.Request{Method: "tools/list"}
		if cursor != nil {
			req.Params = append(append([]byte(`{"cursor":`), cursor...), '}')
		}
		result, err := c.attempt(ctx, req)
		page, ok := result.(protocol.RawResult)
		if err != nil || !ok {
			c.wire.log.Warn("the schema of a tool could not be had", "tool", tool, "reason", err)
			return false
		}
		tools := jsonx.Array(member(page, "tools"))
		for tools.Next() {
			if stringMember(tools.Value(), "name") == tool {
				return !slices.EqualFunc(before, c.params.of(tool), func(a, b mcpheader.Param) bool {
					return a.Header == b.Header && slices.Equal(a.Path, b.Path)
				})
			}
		}
		next := member(page, "nextCursor")
		if next == nil || next[0] != '"' || bytes.Equal(next, cursor) {
			return false
		}
		cursor = next
	}
	return false
}

// member is the raw value of a member of an object, or nil.
func member(object []byte, name string) []byte {
	members := jsonx.Object(object)
	for len(object) > 0 && members.Next() {
		if members.Name() == name {
			return members.Value()
		}
	}
	return nil
}

// stringMember is the value of a string member of an object, or "".
func stringMember(object []byte, name string) string {
	value, err := jsonx.Unquote(member(object, name))
	if err != nil {
		return "" // it is absent, or no string
	}
	return value
}
