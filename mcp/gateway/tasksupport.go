package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// hasTasks reports whether calls of an upstream's tools can become tasks: by the
// extension since 2026-07-28, by a capability in 2025-11-25.
func hasTasks(info *protocol.DiscoverResult, rev protocol.Revision) bool {
	if rev.Modern() {
		_, ok := info.Capabilities.Extensions[protocol.TasksExtension]
		return ok
	}
	var tasks struct {
		Requests struct {
			Tools struct {
				Call *struct{} `json:"call"`
			} `json:"tools"`
		} `json:"requests"`
	}
	raw := info.Capabilities.Other["tasks"]
	return rev == protocol.Rev20251125 && len(raw) > 0 && json.Unmarshal(raw, &tasks) == nil && tasks.Requests.Tools.Call != nil
}

// readTools reads the tools of an upstream, and which of them can be called as tasks.
// An upstream of 2025-11-25 says so itself. One of 2026-07-28 decides with each call:
// any tool may become a task, and a tool that is listed only to clients with tasks
// requires one.
func (r *reader) readTools(ctx context.Context) ([]mcp.Tool, error) {
	key := func(t *mcp.Tool) string { return t.Name }
	read := func(r *reader) ([]mcp.Tool, error) {
		return readList(ctx, r, "tools/list", "tools", "tool", isName, key)
	}
	if !hasTasks(r.into.info, r.into.revision) {
		tools, err := read(r)
		for i := range tools {
			tools[i] = tools[i].WithTaskSupport("")
		}
		return tools, err
	}
	if !r.link.modern {
		return read(r)
	}
	plain := *r
	plain.into = new(lists)
	if r.link.local { // a server in the process says as much as in 2025-11-25
		plain.meta.Revision = protocol.Rev20251125
		said, err := read(&plain)
		if err != nil {
			return nil, err
		}
		if r.meta, err = protocol.ReadMeta(json.RawMessage(`{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"` + protocol.TasksExtension + `":{}}}}}`)); err != nil {
			return nil, err
		}
		r.meta.Revision = protocol.Latest
		tools, err := read(r)
		for i := range tools {
			if at := slices.IndexFunc(said, func(t mcp.Tool) bool { return t.Name == tools[i].Name }); at >= 0 {
				tools[i] = tools[i].WithTaskSupport(said[at].TaskSupport())
			}
		}
		return tools, err
	}
	listed, err := read(&plain)
	if err != nil {
		return nil, err
	}
	r.meta = protocol.RequestMeta{}.WithForwardedCapabilities(withTasks(r.declared))
	tools, err := read(r)
	names := make(map[string]bool)
	for _, tool := range listed {
		names[tool.Name] = true
	}
	for i := range tools {
		support := mcp.TaskRequired
		if names[tools[i].Name] {
			support = mcp.TaskOptional
		}
		tools[i] = tools[i].WithTaskSupport(support)
	}
	return tools, err
}

// sessionInfo returns the description of the gateway for a session: 2025-11-25 has tasks as a
// capability.
func sessionInfo(info *protocol.DiscoverResult, peer protocol.Peer) *protocol.DiscoverResult {
	own := *info
	tasks := `{"cancel":{},"requests":{"tools":{"call":{}}}}`
	if canListTasks(peer) {
		tasks = `{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`
	}
	own.Capabilities.Other = map[string]json.RawMessage{"tasks": json.RawMessage(tasks)}
	return &own
}
