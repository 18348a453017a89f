package mcp

import (
	"context"
	"encoding/json"
	"sync/atomic"
)

// listPage is one page of a list, encoded once a revision.
type listPage[T any] struct {
	items []T
	next  string // cursor of the page after it; empty for the last
	cache CacheHint
	wire  [len(revisions)]atomic.Pointer[[]byte]
}

// listed is the result of a list request: the parts that all of them have.
type listed[T any] struct {
	member string // that holds the items
	items  []T
	next   string
	cache  CacheHint
	server json.RawMessage
}

// appendList appends the result of a list request. While it is still page, the
// encoding of the page is made once a revision.
func appendList[T any, P interface {
	*T
	appendJSON(dst []byte, rev Revision) []byte
}](dst []byte, rev Revision, page *listPage[T], l listed[T]) ([]byte, error) {
	if page == nil || l.next != page.next || l.cache != page.cache || !sameSlice(l.items, page.items) {
		return appendListed[T, P](dst, rev, l)
	}
	i := max(rev.index(), 0)
	if wire := page.wire[i].Load(); wire != nil {
		return append(dst, *wire...), nil
	}
	wire, err := appendListed[T, P](nil, rev, l)
	if err == nil {
		page.wire[i].Store(&wire)
	}
	return append(dst, wire...), err
}

func appendListed[T any, P interface {
	*T
	appendJSON(dst []byte, rev Revision) []byte
}](dst []byte, rev Revision, l listed[T]) ([]byte, error) {
	dst = append(append(append(openResult(dst, rev), '"'), l.member...), `":[`...)
	for i := range l.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = P(&l.items[i]).appendJSON(dst, rev)
	}
	dst = append(dst, ']')
	dst = appendOptional(dst, "nextCursor", l.next)
	dst = l.cache.appendTo(dst, rev)
	dst, err := appendResultMeta(dst, nil, l.server, rev)
	return append(dst, '}'), err
}

// sameSlice reports whether a and b are the same elements in memory.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// openResult begins a result, with its type where the revision has types.
func openResult(dst []byte, rev Revision) []byte {
	dst = append(dst, '{')
	if rev.Modern() {
		dst = append(dst, `"resultType":"complete",`...)
	}
	return dst
}

// pageOf finds the page that a list request asks for.
func pageOf[Item any, F feature[Item]](c *catalog[Item, F], req *Request) (*listPage[Item], error) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if err := readParams(req.Params, &params); err != nil {
		return nil, err
	}
	return c.page(params.Cursor)
}

// listTools serves tools/list. A tool that requires a task is listed to clients that
// can take one, and a list with one is never shared between clients.
func (s *Server) listTools(ctx context.Context, reg *registry, req *Request) (Result, error) {
	tools := reg.tools
	depends := reg.untasked() != tools
	if depends && !takesTasks(&req.Meta) {
		tools = reg.untasked()
	}
	if s.opts.Authorize != nil {
		tools = tools.only(func(t *ServerTool) bool { return s.opts.Authorize(ctx, req, *t) == nil })
	}
	page, err := pageOf(tools, req)
	if err != nil {
		return nil, err
	}
	cache := page.cache
	cache.Public = cache.Public && !depends
	return &ListToolsResult{Tools: page.items, NextCursor: page.next, Cache: cache, server: s.self(), page: page}, nil
}

func (s *Server) listResources(reg *registry, req *Request) (Result, error) {
	page, err := pageOf(reg.resources, req)
	if err != nil {
		return nil, err
	}
	return &ListResourcesResult{Resources: page.items, NextCursor: page.next, Cache: page.cache, server: s.self(), page: page}, nil
}

func (s *Server) listTemplates(reg *registry, req *Request) (Result, error) {
	page, err := pageOf(reg.templates, req)
	if err != nil {
		return nil, err
	}
	return &ListTemplatesResult{Templates: page.items, NextCursor: page.next, Cache: page.cache, server: s.self(), page: page}, nil
}

func (s *Server) listPrompts(reg *registry, req *Request) (Result, error) {
	page, err := pageOf(reg.prompts, req)
	if err != nil {
		return nil, err
	}
	return &ListPromptsResult{Prompts: page.items, NextCursor: page.next, Cache: page.cache, server: s.self(), page: page}, nil
}
