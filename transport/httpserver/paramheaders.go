package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxPrincipals bounds for how many principals tools are remembered.
	maxPrincipals = 4096
	// maxPages bounds how much of a list is read.
	maxPages = 1000
	// freshFor is the time after which a list is read again if the server does
	// not report changes.
	freshFor = 30 * time.Second
	// relistAfter is how often a tool that is not listed makes the list be read
	// again.
	relistAfter = time.Second
)

// paramHeaders checks the headers that repeat arguments of tools. Which do is
// in the tools' schemas, which it learns from the list of tools, and learns
// again when that changes. The zero value is ready.
type paramHeaders struct {
	common atomic.Pointer[toolTable]  // for requests without a principal
	others atomic.Pointer[toolTables] // for the others
	watch  sync.Once
	told   atomic.Bool // changes of the list are told

	mu     sync.Mutex // of changes to what is above
	change int64      // counts the changes of the list
}

// toolTables holds the toolTable of each principal.
type toolTables struct {
	byPrincipal sync.Map // to *toolTable
	count       atomic.Int64
}

// toolTable holds the tools that one principal sees.
type toolTable struct {
	tools  map[string]mcpheader.Params // of every listed tool
	marked bool                        // some have parameters in headers
	read   time.Time
	failed bool // the list could not be had
	stays  bool // until a change is told
}

// check compares the headers of a tools/call with its arguments.
func (p *paramHeaders) check(ctx context.Context, h *Handler, req *protocol.Request) error {
	table := p.known(req.Peer.Principal)
	if table == nil {
		var err error
		if table, err = p.read(ctx, h, req); err != nil {
			return err
		}
	}
	if !table.marked {
		return nil
	}
	name, ok, err := mcpheader.NameOf(req.Method, req.Params)
	if err != nil || !ok {
		return nil // the Dispatcher returns the error
	}
	params, listed := table.tools[name]
	if !listed && time.Since(table.read) > relistAfter {
		if table, err = p.read(ctx, h, req); err != nil {
			return err
		}
		params = table.tools[name]
	}
	if len(params) == 0 {
		return nil
	}
	if err := params.Check(req.Peer.Headers, argumentsOf(req.Params)); err != nil {
		return protocol.Errorf(protocol.CodeHeaderMismatch, "Header mismatch: %v; tools/list says which arguments of %q have headers", err, name)
	}
	return nil
}

func argumentsOf(params []byte) (arguments []byte) {
	members := jsonx.Object(params)
	for members.Next() {
		if members.Name() == "arguments" {
			arguments = members.Value()
		}
	}
	return arguments
}

// known returns the table of a principal, or nil if the list must be read.
func (p *paramHeaders) known(principal string) *toolTable {
	table := p.common.Load()
	if principal != "" {
		table = nil
		if others := p.others.Load(); others != nil {
			if found, ok := others.byPrincipal.Load(principal); ok {
				table = found.(*toolTable)
			}
		}
	}
	if table == nil || !table.stays && time.Since(table.read) > freshFor {
		return nil
	}
	return table
}

// read reads the list of tools for the principal of a request and stores it.
func (p *paramHeaders) read(ctx context.Context, h *Handler, req *protocol.Request) (*toolTable, error) {
	p.watch.Do(func() { p.follow(h) })
	p.mu.Lock()
	before := p.change
	p.mu.Unlock()
	table, err := readTools(caller.Own(ctx), h.d, req)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.change != before {
		return table, nil // it may be of before the change: for this request it will do
	}
	if req.Peer.Principal == "" {
		table.stays = p.told.Load() && !table.failed
		p.common.Store(table)
		return table, nil
	}
	others := p.others.Load()
	if others == nil || others.count.Load() >= maxPrincipals {
		others = new(toolTables)
		p.others.Store(others)
	}
	if _, replaced := others.byPrincipal.Swap(req.Peer.Principal, table); !replaced {
		others.count.Add(1)
	}
	return table, nil
}

// follow subscribes to changes of the list until the Handler ends. It returns
// when the subscription is acknowledged or has failed, at the latest after 1 s.
func (p *paramHeaders) follow(h *Handler) {
	acknowledged := make(chan struct{})
	open := sync.OnceFunc(func() { close(acknowledged) })
	h.group.Go(func() {
		defer open()
		defer p.told.Store(false)
		_, _ = h.d.Dispatch(caller.Own(h.base), &protocol.Request{
			ID: `"headers"`, Method: "subscriptions/listen", Params: json.RawMessage(`{"notifications":{"toolsListChanged":true}}`),
			Meta: protocol.RequestMeta{Revision: protocol.Latest}, Peer: protocol.Peer{Transport: "http"},
			Notify: func(_ context.Context, n protocol.Notification) error {
				switch n := n.(type) {
				case *protocol.AcknowledgedNotification:
					p.told.Store(n.Filter.ToolsListChanged)
					open()
				case *protocol.ListChangedNotification:
					p.forget()
				}
				return nil
			},
		})
		p.forget()
	})
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-acknowledged:
	case <-timer.C:
	}
}

// forget has everything read again.
func (p *paramHeaders) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change++
	p.common.Store(nil)
	p.others.Store(nil)
}

// readTools reads the list of tools for the peer of a request. If the list
// cannot be read, it returns a table without tools, so that the Dispatcher
// decides about the call.
func readTools(ctx context.Context, d protocol.Dispatcher, req *protocol.Request) (*toolTable, error) {
	table := &toolTable{read: time.Now()}
	list := protocol.Request{ID: req.ID, Method: "tools/list", Meta: protocol.RequestMeta{Revision: protocol.Latest}, Peer: req.Peer}
	for range maxPages {
		tools, next, err := readPage(ctx, d, &list)
		var refused *protocol.Error
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			table.failed = !errors.As(err, &refused) || refused.Code != protocol.CodeMethodNotFound
			return table, nil
		}
		for i := range tools {
			table.add(&tools[i])
		}
		if next == "" {
			if !table.marked {
				table.tools = nil // nothing will be looked up
			}
			break
		}
		list.Params = append(jsonx.AppendQuoted([]byte(`{"cursor":`), next), '}')
	}
	return table, nil
}

func (t *toolTable) add(tool *mcp.Tool) {
	params, err := mcpheader.Compile(tool.InputSchema)
	if err != nil {
		params = nil // clients do not see a tool with an invalid schema
	}
	if t.tools == nil {
		t.tools = make(map[string]mcpheader.Params)
	}
	t.tools[tool.Name] = params
	t.marked = t.marked || len(params) > 0
}

// readPage reads one page of a list of tools.
func readPage(ctx context.Context, d protocol.Dispatcher, list *protocol.Request) (tools []mcp.Tool, next string, err error) {
	result, err := d.Dispatch(ctx, list)
	if err != nil {
		return nil, "", err
	}
	if page, ok := result.(*mcp.ListResult[mcp.Tool]); ok {
		return page.Items, page.NextCursor, nil
	}
	wire, err := result.AppendJSON(nil, protocol.Latest)
	if err != nil {
		return nil, "", err
	}
	var page struct {
		Tools      []mcp.Tool `json:"tools"`
		NextCursor string     `json:"nextCursor"`
	}
	err = json.Unmarshal(wire, &page)
	return page.Tools, page.NextCursor, err
}
