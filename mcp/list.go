package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxRevisions limits the revisions for which a page is encoded once. There are five.
const maxRevisions = 8

// listPage is one page of a list, encoded once for each revision.
type listPage[T any] struct {
	items []T
	next  string // cursor of the next page; empty on the last page
	cache protocol.CacheHint
	wire  [maxRevisions]atomic.Pointer[[]byte] // encoded result by Revision.Index
}

// ListResult is one page of a list of tools, prompts, resources or resource templates. Middleware
// that changes the list must set Items to a new slice.
type ListResult[T Tool | Prompt | Resource | ResourceTemplate] struct {
	Items      []T                // Items are the items of the page.
	NextCursor string             // NextCursor selects the next page; empty on the last page.
	Cache      protocol.CacheHint // Cache is the cache hint for clients.

	server json.RawMessage // server identity, for _meta
	page   *listPage[T]    // cached encoding, valid while Items is unchanged
}

// AppendJSON implements protocol.Result.
func (r *ListResult[T]) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	switch r := any(r).(type) {
	case *ListResult[Tool]:
		return appendList(dst, rev, r.page, listResult[Tool]{"tools", r.Items, r.NextCursor, r.Cache, r.server})
	case *ListResult[Prompt]:
		return appendList(dst, rev, r.page, listResult[Prompt]{"prompts", r.Items, r.NextCursor, r.Cache, r.server})
	case *ListResult[Resource]:
		return appendList(dst, rev, r.page, listResult[Resource]{"resources", r.Items, r.NextCursor, r.Cache, r.server})
	case *ListResult[ResourceTemplate]:
		return appendList(dst, rev, r.page, listResult[ResourceTemplate]{"resourceTemplates", r.Items, r.NextCursor, r.Cache, r.server})
	}
	return dst, fmt.Errorf("%T is not a list of the protocol", r)
}

// listResult is a page as it is sent: the members that all list results share.
type listResult[T any] struct {
	member string // name of the member with the items
	items  []T
	next   string // nextCursor
	cache  protocol.CacheHint
	server json.RawMessage // server identity, for _meta
}

// appendList appends the result of a list request. If middleware has not changed the page, it uses
// the cached encoding of the page for rev.
func appendList[T any, P interface {
	*T
	appendJSON(dst []byte, rev protocol.Revision) []byte
}](dst []byte, rev protocol.Revision, page *listPage[T], l listResult[T]) ([]byte, error) {
	if page == nil || l.next != page.next || l.cache != page.cache || !sameSlice(l.items, page.items) {
		return appendListResult[T, P](dst, rev, l)
	}
	i := max(rev.Index(), 0)
	if i >= maxRevisions {
		return appendListResult[T, P](dst, rev, l)
	}
	if wire := page.wire[i].Load(); wire != nil {
		return append(dst, *wire...), nil
	}
	wire, err := appendListResult[T, P](nil, rev, l)
	if err == nil {
		page.wire[i].Store(&wire)
	}
	return append(dst, wire...), err
}

// appendListResult encodes the result of a list request.
func appendListResult[T any, P interface {
	*T
	appendJSON(dst []byte, rev protocol.Revision) []byte
}](dst []byte, rev protocol.Revision, l listResult[T]) ([]byte, error) {
	dst = append(append(append(openResult(dst, rev), '"'), l.member...), `":[`...)
	for i := range l.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = P(&l.items[i]).appendJSON(dst, rev)
	}
	dst = append(dst, ']')
	dst = jsonx.AppendOptional(dst, "nextCursor", l.next)
	dst = l.cache.AppendMembers(dst, rev)
	dst, err := appendResultMeta(dst, nil, l.server, rev)
	return append(dst, '}'), err
}

// sameSlice reports whether a and b share the same memory and length.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// openResult begins a result object, with its type in modern revisions.
func openResult(dst []byte, rev protocol.Revision) []byte {
	dst = append(dst, '{')
	if rev.Modern() {
		dst = append(dst, `"resultType":"complete",`...)
	}
	return dst
}

// pageOf returns the page that a list request selects by its cursor.
func pageOf[Item any, F feature[Item]](c *catalog[Item, F], req *protocol.Request) (*listPage[Item], error) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if err := readParams(req.Params, &params); err != nil {
		return nil, err
	}
	return c.page(params.Cursor)
}

// listTools handles tools/list. It omits tools that require a task if the client does not support
// tasks, and output schemas if the client does not receive structured content.
func (s *Server) listTools(ctx context.Context, reg *registry, req *protocol.Request) (protocol.Result, error) {
	tools := reg.view(s, req)
	own, err := s.ownTools(ctx, reg, req)
	if err != nil {
		return nil, err
	}
	if len(own) > 0 {
		tools = reg.withOwn(s, req, tools, own)
	}
	if s.opts.Authorize != nil {
		tools = tools.filter(func(t *ServerTool) bool { return s.opts.Authorize(ctx, req, *t) == nil })
	}
	page, err := pageOf(tools, req)
	if err != nil {
		return nil, err
	}
	return &ListResult[Tool]{Items: page.items, NextCursor: page.next, Cache: page.cache, server: s.serverInfo(), page: page}, nil
}

// listResources handles resources/list.
func (s *Server) listResources(reg *registry, req *protocol.Request) (protocol.Result, error) {
	page, err := pageOf(reg.resources, req)
	if err != nil {
		return nil, err
	}
	return &ListResult[Resource]{Items: page.items, NextCursor: page.next, Cache: page.cache, server: s.serverInfo(), page: page}, nil
}

// listTemplates handles resources/templates/list.
func (s *Server) listTemplates(reg *registry, req *protocol.Request) (protocol.Result, error) {
	page, err := pageOf(reg.templates, req)
	if err != nil {
		return nil, err
	}
	return &ListResult[ResourceTemplate]{Items: page.items, NextCursor: page.next, Cache: page.cache, server: s.serverInfo(), page: page}, nil
}

// listPrompts handles prompts/list.
func (s *Server) listPrompts(reg *registry, req *protocol.Request) (protocol.Result, error) {
	page, err := pageOf(reg.prompts, req)
	if err != nil {
		return nil, err
	}
	return &ListResult[Prompt]{Items: page.items, NextCursor: page.next, Cache: page.cache, server: s.serverInfo(), page: page}, nil
}
