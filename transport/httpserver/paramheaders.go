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
)

const (
	// maxPrincipals bounds for how many principals tools are remembered.
	maxPrincipals = 4096
	// maxPages bounds how much of a list is read.
	maxPages = 1000
	// freshFor is how long a list is believed of which no changes are told.
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

// toolTables are those of several principals.
type toolTables struct {
	byPrincipal sync.Map // to *toolTable
	count       atomic.Int64
}

// toolTable is what is known of the tools that one principal sees.
type toolTable struct {
	tools  map[string]mcpheader.Params // of every listed tool
	marked bool                        // some have parameters in headers
	read   time.Time
	failed bool // the list could not be had
	stays  bool // until a change is told
}

// check compares the headers of a tools/call with its arguments.
func (p *paramHeaders) check(ctx context.Context, h *Handler, req *mcp.Request) error {
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
		return nil // the dispatcher says what is wrong with it
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
		return mcp.Errorf(mcp.CodeHeaderMismatch, "Header mismatch: %v; tools/list says which arguments of %q have headers", err, name)
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

// known returns what is known of what a principal sees, nil when that must be
// read.
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

// read reads what the sender of a request sees.
func (p *paramHeaders) read(ctx context.Context, h *Handler, req *mcp.Request) (*toolTable, error) {
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

// follow listens to changes of the list for as long as the handler lives. It
// returns when they are told, or will not be.
func (p *paramHeaders) follow(h *Handler) {
	acknowledged := make(chan struct{})
	open := sync.OnceFunc(func() { close(acknowledged) })
	h.group.Go(func() {
		defer open()
		defer p.told.Store(false)
		_, _ = h.d.Dispatch(caller.Own(h.base), &mcp.Request{
			ID: `"headers"`, Method: "subscriptions/listen", Params: json.RawMessage(`{"notifications":{"toolsListChanged":true}}`),
			Meta: mcp.RequestMeta{Revision: mcp.Latest}, Peer: mcp.Peer{Transport: "http"},
			Notify: func(_ context.Context, n mcp.Notification) error {
				switch n := n.(type) {
				case *mcp.AcknowledgedNotification:
					p.told.Store(n.Filter.ToolsListChanged)
					open()
				case *mcp.ListChangedNotification:
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

// readTools reads the list of tools as the sender of a request sees it. A list
// that cannot be read is no reason to refuse a call: who answers the call will
// say what is wrong.
func readTools(ctx context.Context, d mcp.Dispatcher, req *mcp.Request) (*toolTable, error) {
	table := &toolTable{read: time.Now()}
	list := mcp.Request{ID: req.ID, Method: "tools/list", Meta: mcp.RequestMeta{Revision: mcp.Latest}, Peer: req.Peer}
	for range maxPages {
		tools, next, err := readPage(ctx, d, &list)
		var refused *mcp.Error
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			table.failed = !errors.As(err, &refused) || refused.Code != mcp.CodeMethodNotFound
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
		params = nil // clients do not see such a tool
	}
	if t.tools == nil {
		t.tools = make(map[string]mcpheader.Params)
	}
	t.tools[tool.Name] = params
	t.marked = t.marked || len(params) > 0
}

// readPage reads one page of a list of tools.
func readPage(ctx context.Context, d mcp.Dispatcher, list *mcp.Request) (tools []mcp.Tool, next string, err error) {
	result, err := d.Dispatch(ctx, list)
	if err != nil {
		return nil, "", err
	}
	if page, ok := result.(*mcp.ListToolsResult); ok {
		return page.Tools, page.NextCursor, nil
	}
	wire, err := result.AppendJSON(nil, mcp.Latest)
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
