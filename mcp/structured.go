package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// StructuredPolicy decides which clients receive the structured content of tool results. Many
// clients pass structured content to the model as JSON and drop the text, which is shorter and was
// written for the model.
type StructuredPolicy string

// The policies for structured content. With StructuredAuto and StructuredNever a result without
// any content has its JSON as text.
const (
	// StructuredAlways sends content and structured content to every client.
	StructuredAlways StructuredPolicy = "always"
	// StructuredAuto sends structured content to clients that declare StructuredCapability, to
	// clients that are known to use it without a model, and to callers that dispatch requests in
	// process, without a transport. A client that displays pages of MCP Apps receives it from tools
	// for pages. Other clients receive the content alone.
	StructuredAuto StructuredPolicy = "auto"
	// StructuredNever sends the content alone.
	StructuredNever StructuredPolicy = "never"
)

// check returns an error if p is none of the policies, nor empty.
func (p StructuredPolicy) check() error {
	switch p {
	case "", StructuredAlways, StructuredAuto, StructuredNever:
		return nil
	}
	return fmt.Errorf("the policy for structured content is %q, not always, auto or never", string(p))
}

// appsExtension is the id of the extension MCP Apps; see package mcp/apps. Its pages read the
// structured content of results.
const appsExtension = "io.modelcontextprotocol/ui"

// structuredReach is the set of tools whose structured content a client receives under
// StructuredAuto.
type structuredReach int

const (
	reachNone  structuredReach = iota // no tool
	reachPages                        // tools for pages of MCP Apps
	reachAll                          // all tools
)

// structuredReachOf returns the reach of the sender of a request. A session computes it once. A
// modern request names its client by itself; its reach is kept for requests with the same bytes.
func (s *Server) structuredReachOf(req *protocol.Request) structuredReach {
	m := &req.Meta
	switch {
	case req.Peer.Transport == "":
		return reachAll
	case m.Session() != nil:
		return m.Session().Value(reachKey{}, func() any { return computeReach(m) }).(structuredReach)
	}
	return s.reaches.get(m)
}

// reachKey is the key of the reach of a session's client.
type reachKey struct{}

// computeReach returns the reach of a client behind a transport.
func computeReach(m *protocol.RequestMeta) structuredReach {
	switch {
	case m.HasExperimental(protocol.StructuredCapability), isKnownForStructured(m.ClientName()):
		return reachAll
	case m.HasExtension(appsExtension):
		return reachPages
	}
	return reachNone
}

// reachCache keeps the reach of clients of modern requests. The key is all bytes on which the reach
// depends, so that an entry is right for every request and never gets old.
type reachCache struct {
	seed    maphash.Seed
	entries [64]atomic.Pointer[reachEntry]
}

type reachEntry struct {
	client, capabilities []byte
	reach                structuredReach
}

// maxReachKey is the largest number of bytes of a key that is kept.
const maxReachKey = 4096

// get returns the reach of the client that m describes.
func (c *reachCache) get(m *protocol.RequestMeta) structuredReach {
	client, capabilities := m.DeclaredClient(), m.DeclaredCapabilities()
	if len(client)+len(capabilities) > maxReachKey {
		return computeReach(m)
	}
	at := &c.entries[(maphash.Bytes(c.seed, client)^maphash.Bytes(c.seed, capabilities)<<1)%uint64(len(c.entries))]
	if e := at.Load(); e != nil && bytes.Equal(e.client, client) && bytes.Equal(e.capabilities, capabilities) {
		return e.reach
	}
	e := &reachEntry{client: bytes.Clone(client), capabilities: bytes.Clone(capabilities), reach: computeReach(m)}
	at.Store(e)
	return e.reach
}

// keepStructuredKey is the context key of KeepStructured.
type keepStructuredKey struct{}

// KeepStructured returns a copy of ctx for a handler whose caller reads ToolResult.Structured. In a
// call whose client does not receive structured content, a handler made by NewTool otherwise leaves
// Structured nil if its result has a text of its own. ToolMiddleware that reads Structured calls the
// next handler with it.
func KeepStructured(ctx context.Context) context.Context {
	if !leavesOutStructured(ctx) {
		return ctx
	}
	return context.WithValue(ctx, keepStructuredKey{}, true)
}

// leavesOutStructured reports whether nothing reads the structured content of the result of the
// handler that runs with ctx.
func leavesOutStructured(ctx context.Context) bool {
	call := CallFrom(ctx)
	return call != nil && call.omitStructured && ctx.Value(keepStructuredKey{}) == nil
}

// isKnownForStructured reports whether the client of this name uses structured content well,
// although it does not ask for it. A client belongs here only if its model does not read JSON in
// place of the text.
func isKnownForStructured(client string) bool {
	switch client {
	case "mcp-inspector", "inspector-cli", "inspector-tui":
		// MCP Inspector has no model: it shows the complete result to a person or a script.
		return true
	}
	return false
}

// sendsStructured reports whether a client of this reach receives structured content of the tool.
func (t *ServerTool) sendsStructured(reach structuredReach) bool {
	switch t.opts.Structured {
	case StructuredNever:
		return false
	case StructuredAuto:
		return reach == reachAll || reach == reachPages && t.forPages
	}
	return true
}

// setStructured completes the policy of a registered tool. policy is the policy of the server.
func (t *ServerTool) setStructured(policy StructuredPolicy) {
	if t.opts.Structured == "" {
		t.opts.Structured = policy
	}
	if t.opts.Structured == StructuredNever {
		t.tool.OutputSchema = nil
	}
	t.forPages = t.opts.Structured == StructuredAuto && isForPages(t.tool.Meta)
}

// isForPages reports whether the tool with this _meta has a page of MCP Apps, or is for calls by
// pages.
func isForPages(meta Meta) bool {
	member, ok := meta["ui"]
	if !ok {
		return false
	}
	raw, err := json.Marshal(member)
	if err != nil {
		return false
	}
	var ui struct {
		ResourceURI string   `json:"resourceUri"`
		Visibility  []string `json:"visibility"`
	}
	if json.Unmarshal(raw, &ui) != nil {
		return false
	}
	for _, audience := range ui.Visibility {
		if audience == "app" {
			return true
		}
	}
	return ui.ResourceURI != ""
}

// toolView is a variant of the list of tools: for clients with or without tasks, by reach.
type toolView struct {
	tasks bool
	reach structuredReach
}

// index returns the index of the view in an array of all views.
func (v toolView) index() int {
	i := int(v.reach)
	if v.tasks {
		i += int(reachAll) + 1
	}
	return i
}

// numToolViews is the number of views.
const numToolViews = 2 * (int(reachAll) + 1)

// buildView returns the tools that clients of a view may list.
func (r *registry) buildView(v toolView) *catalog[Tool, *ServerTool] {
	list := toolsForView(r.tools, v)
	if r.viewsDiffer() {
		list = list.private()
	}
	return list
}

// toolsForView returns the tools of list that clients of a view may list. Output schemas remain for the
// tools whose structured content these clients receive.
func toolsForView(list *catalog[Tool, *ServerTool], v toolView) *catalog[Tool, *ServerTool] {
	if !v.tasks {
		list = list.filter(func(t *ServerTool) bool { return t.tool.task != TaskRequired })
	}
	return list.transform(func(t *ServerTool) *ServerTool {
		if t.tool.OutputSchema == nil || t.sendsStructured(v.reach) {
			return t
		}
		plain := *t
		plain.tool.OutputSchema = nil
		return &plain
	})
}

// differ reports whether the list of tools depends on the client.
func (r *registry) differ() bool {
	for _, t := range r.tools.listed {
		if t.tool.task == TaskRequired || t.tool.OutputSchema != nil && !t.sendsStructured(reachNone) {
			return true
		}
	}
	return false
}

// view returns the tools for the sender of a request. A list that depends on the client is never
// marked as public.
func (r *registry) view(s *Server, req *protocol.Request) *catalog[Tool, *ServerTool] {
	if !r.viewsDiffer() {
		return r.tools
	}
	return r.views[s.toolViewOf(req).index()]()
}

// toolViewOf returns the view of the sender of a request.
func (s *Server) toolViewOf(req *protocol.Request) toolView {
	return toolView{tasks: supportsTasks(&req.Meta), reach: s.structuredReachOf(req)}
}
