package gateway

import (
	"context"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// list serves the requests for lists.
func (v *view) list(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	t := v.awaitReady(ctx, v.g.opts.ListTimeout)
	if t.stale {
		v.refreshLists()
	}
	switch req.Method {
	case "tools/list":
		return t.tools.page(t, req.Params, v.toolFilter(ctx, t, req))
	case "prompts/list":
		return t.prompts.page(t, req.Params, nil)
	case "resources/list":
		return t.resources.page(t, req.Params, nil)
	}
	return t.templates.page(t, req.Params, nil)
}

// toolFilter says which tools the sender of a request may see; nil means all.
func (v *view) toolFilter(ctx context.Context, t *table, req *protocol.Request) func(*mcp.Tool) bool {
	filter := v.g.opts.Filter
	untasked := t.required && !takesTasks(req)
	if filter == nil && !untasked {
		return nil
	}
	return func(tool *mcp.Tool) bool {
		if untasked && tool.TaskSupport() == mcp.TaskRequired {
			return false
		}
		if filter == nil {
			return true
		}
		route := t.toolAt[tool.Name]
		return route != nil && filter(ctx, req, route.member.up.Name, *tool) == nil
	}
}

// refreshLists starts reading old lists of upstreams without change notifications. The current
// request receives the old lists.
func (v *view) refreshLists() {
	limit := now() - int64(v.g.opts.RefreshAfter.Seconds())
	for _, m := range v.members {
		if l := m.has.Load(); l != nil && !l.told && l.read <= limit {
			m.requestReload()
		}
	}
}

// discover serves server/discover.
func (v *view) discover(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	t := v.awaitReady(ctx, v.g.opts.ListTimeout)
	if t.tasks && req.Meta.Session() != nil {
		return sessionInfo(t.info, req.Peer), nil
	}
	return t.info, nil
}
