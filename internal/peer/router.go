package peer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/legacy"
	"github.com/dougu-go/dougu/mcp"
)

// Router sorts the notifications of one server to those who wait for them: the
// request that a progress token or subscription id names, the listeners of an
// older session, and the host. The zero value is ready.
type Router struct {
	stray  Inbox // what belongs to no request
	mu     sync.Mutex
	active map[string]*Inbox // by raw progress token or subscription id
	local  map[*listener]struct{}
}

// unsubscribeTimeout bounds how long the end of a subscription takes.
const unsubscribeTimeout = 5 * time.Second

// listener is a subscriptions/listen towards a server of an older revision,
// which knows no such request.
type listener struct {
	filter mcp.SubscriptionFilter
	id     mcp.ID
	box    *Inbox
}

// Open returns the inbox of a request whose notifications carry key, and what
// closes it.
func (r *Router) Open(key string) (box *Inbox, closeBox func()) {
	box = new(Inbox)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active == nil {
		r.active = make(map[string]*Inbox)
	}
	r.active[key] = box
	return box, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.active, key)
	}
}

// Received sorts one notification. What is malformed has nobody to be reported
// to and is ignored.
func (r *Router) Received(method string, params []byte) {
	n, key, err := legacy.ParseNotification(method, params)
	if err != nil {
		return
	}
	r.mu.Lock()
	box := r.active[key]
	for l := range r.local {
		if l.wants(n) {
			l.box.Put(n)
		}
	}
	r.mu.Unlock()
	switch {
	case box != nil:
		box.Put(n)
	case key == "":
		r.stray.Put(n)
	}
}

// Deliver hands what belongs to no request to the host until done is closed.
func (r *Router) Deliver(host *mcp.Host, done <-chan struct{}) {
	for {
		select {
		case <-r.stray.Signal():
		case <-done:
			return
		}
		for _, n := range r.stray.Take() {
			if host.Notified != nil {
				host.Notified(n)
			}
		}
	}
}

func (l *listener) wants(n mcp.Notification) bool {
	switch n := n.(type) {
	case *mcp.ListChangedNotification:
		switch n.List {
		case "tools":
			return l.filter.ToolsListChanged
		case "prompts":
			return l.filter.PromptsListChanged
		case "resources":
			return l.filter.ResourcesListChanged
		}
	case *mcp.ResourceUpdatedNotification:
		return slices.ContainsFunc(l.filter.ResourceSubscriptions, func(uri string) bool { return covers(uri, n.URI) })
	}
	return false
}

// covers reports whether a subscription to uri is for updated, which may be a
// part of it (2026-07-28, ResourceUpdatedNotification).
func covers(uri, updated string) bool {
	return updated == uri || strings.HasPrefix(updated, strings.TrimSuffix(uri, "/")+"/")
}

// Listen serves subscriptions/listen in an older session: resources are
// subscribed to one by one through call, list changes come by themselves. caps
// are the server's. It ends with ctx.
func (r *Router) Listen(ctx context.Context, req *mcp.Request, caps mcp.ServerCapabilities, call func(ctx context.Context, method string, params []byte) ([]byte, error)) (mcp.Result, error) {
	var params struct {
		Notifications mcp.SubscriptionFilter `json:"notifications"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return nil, err
	}
	l := &listener{filter: honoured(params.Notifications, caps), id: req.ID, box: new(Inbox)}
	r.mu.Lock()
	if r.local == nil {
		r.local = make(map[*listener]struct{})
	}
	r.local[l] = struct{}{}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.local, l)
	}()
	for _, uri := range l.filter.ResourceSubscriptions {
		if _, err := call(ctx, "resources/subscribe", uriParams(uri)); err != nil {
			return nil, err
		}
	}
	defer r.unsubscribe(ctx, l, call)
	if req.Notify == nil {
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "A subscription needs somebody to notify")
	}
	if err := req.Notify(ctx, &mcp.AcknowledgedNotification{Subscription: req.ID, Filter: l.filter}); err != nil {
		return nil, err
	}
	return l.follow(ctx, req)
}

func (l *listener) follow(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	for {
		select {
		case <-l.box.Signal():
			for _, n := range l.box.Take() {
				if err := req.Notify(ctx, n); err != nil {
					return nil, err
				}
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// unsubscribe ends the subscriptions of l that no other listener shares.
func (r *Router) unsubscribe(ctx context.Context, l *listener, call func(ctx context.Context, method string, params []byte) ([]byte, error)) {
	ctx = context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, unsubscribeTimeout)
	defer cancel()
	r.mu.Lock()
	delete(r.local, l)
	var own []string
	for _, uri := range l.filter.ResourceSubscriptions {
		shared := false
		for other := range r.local {
			shared = shared || slices.Contains(other.filter.ResourceSubscriptions, uri)
		}
		if !shared {
			own = append(own, uri)
		}
	}
	r.mu.Unlock()
	for _, uri := range own {
		if _, err := call(ctx, "resources/unsubscribe", uriParams(uri)); err != nil {
			return // the session is over, or the server does not care
		}
	}
}

// honoured is what of a filter a server can keep.
func honoured(f mcp.SubscriptionFilter, caps mcp.ServerCapabilities) mcp.SubscriptionFilter {
	f.ToolsListChanged = f.ToolsListChanged && caps.Tools != nil && caps.Tools.ListChanged
	f.PromptsListChanged = f.PromptsListChanged && caps.Prompts != nil && caps.Prompts.ListChanged
	f.ResourcesListChanged = f.ResourcesListChanged && caps.Resources != nil && caps.Resources.ListChanged
	if caps.Resources == nil || !caps.Resources.Subscribe {
		f.ResourceSubscriptions = nil
	}
	return f
}
