package gateway

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// closeGrace is the time for which running calls of a removed upstream may continue.
const closeGrace = 10 * time.Second

// Gateway is an protocol.Dispatcher that offers the features of its upstreams. Its methods are safe for
// concurrent use.
type Gateway struct {
	opts      Options
	hub       *mcp.Server     // serves the list subscriptions of clients; has no features of its own
	suspended suspendedCalls  // calls at legacy upstreams that wait for an answer of the client
	tasks     taskSeal        // converts the task ids of upstreams to ids for clients, and back
	book      taskBook        // tasks that calls of clients have become at upstreams
	life      context.Context // ends with Close
	stop      context.CancelFunc
	run       group.Group // goroutines that Close waits for

	// listeners maps a legacy session with an open subscription to its *listener. An upstream's log
	// message that belongs to no call goes to the listener of its session.
	listeners sync.Map

	// A member is an upstream with its connections, shared or of one principal. A view holds the
	// members and the merged lists of one principal. Requests read these fields without a lock.
	shared      atomic.Pointer[view] // for requests without a principal, and for all unless personal
	personal    atomic.Bool          // true if an upstream has PerPrincipal
	byPrincipal sync.Map             // principal to *view; empty unless personal

	// mu guards the fields below. The writers of shared, personal and byPrincipal hold it too.
	mu           sync.Mutex
	closed       bool
	principals   int // number of views in byPrincipal
	upstreams    []*Upstream
	sharedMember map[string]*member // shared members, by the name of the upstream
}

// New returns a gateway for the upstreams. It connects to an upstream at its first use; see Start.
// The caller must call Close.
func New(o Options, upstreams ...Upstream) (*Gateway, error) {
	o = o.withDefaults()
	if o.Info.Name == "" {
		o.Info.Name = "gateway"
	}
	g := &Gateway{opts: o, sharedMember: make(map[string]*member)}
	g.hub = mcp.NewServer(o.Info, &mcp.ServerOptions{Log: o.Log})
	// The hub declares the three kinds of lists without features, so that it accepts subscriptions.
	if err := g.hub.Replace("gateway", mcp.Features{ReserveTools: true, ReserveResources: true, ReservePrompts: true}); err != nil {
		return nil, err
	}
	var err error
	if g.tasks, err = newTaskSeal(o.TaskKey); err != nil {
		return nil, err
	}
	g.life, g.stop = context.WithCancel(context.Background())
	g.run.OnPanic = func(v any, stack []byte) { o.Log.Error("panic in a gateway", "panic", v, "stack", string(stack)) }
	g.suspended.init(o.Questions)
	if err := g.Set(upstreams...); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// Set replaces the upstreams. An upstream with the same Name and the same Version, if it is not
// empty, keeps its connections and calls. Any other upstream of the old list is removed: its running
// calls may finish within 10 seconds. Listening clients are notified of changed lists. After an
// error nothing has changed.
func (g *Gateway) Set(upstreams ...Upstream) error {
	next, err := g.checkUpstreams(upstreams)
	if err != nil {
		return err
	}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return errors.New("the gateway is closed")
	}
	kept := make(map[string]bool)
	for i, u := range next {
		if at := slices.IndexFunc(g.upstreams, func(old *Upstream) bool { return sameUpstream(old, u) }); at >= 0 {
			next[i] = g.upstreams[at]
			kept[u.Name] = true
		}
	}
	personal := slices.ContainsFunc(next, func(u *Upstream) bool { return u.PerPrincipal })
	g.upstreams = next
	var gone []*member
	for name, m := range g.sharedMember {
		if !kept[name] {
			gone = append(gone, m)
			delete(g.sharedMember, name)
		}
	}
	g.shared.Store(g.newView("", g.shared.Load(), kept, &gone))
	g.byPrincipal.Range(func(principal, v any) bool {
		if !personal {
			v.(*view).dropOwn(nil, &gone)
			g.byPrincipal.Delete(principal)
			g.principals--
			return true
		}
		g.byPrincipal.Store(principal, g.newView(principal.(string), v.(*view), kept, &gone))
		return true
	})
	g.personal.Store(personal)
	for _, m := range gone {
		g.run.Go(func() { m.retire(closeGrace) })
	}
	g.mu.Unlock()
	g.rebuild()
	return nil
}

// sameUpstream reports whether u is the unchanged upstream old. An upstream without a Version never
// is.
func sameUpstream(old, u *Upstream) bool {
	return u.Version != "" && old.Name == u.Name && old.Version == u.Version
}

// checkUpstreams returns copies of the upstreams, or all of their problems. Names and prefixes must
// be unique.
func (g *Gateway) checkUpstreams(upstreams []Upstream) ([]*Upstream, error) {
	next := make([]*Upstream, 0, len(upstreams))
	var problems []error
	names, prefixes := make(map[string]bool), make(map[string]string)
	for _, u := range upstreams {
		prefix := u.prefix(g.opts.Separator)
		switch other, taken := prefixes[prefix]; {
		case names[u.Name]:
			problems = append(problems, fmt.Errorf("two upstreams are named %q", u.Name))
		case taken && prefix == "":
			problems = append(problems, fmt.Errorf("the upstreams %q and %q both have no prefix; one alone may", other, u.Name))
		case taken:
			problems = append(problems, fmt.Errorf("the upstreams %q and %q have the same prefix %q", other, u.Name, prefix))
		}
		names[u.Name], prefixes[prefix] = true, u.Name
		if err := u.check(g.opts.Separator); err != nil {
			problems = append(problems, err)
		}
		next = append(next, &u)
	}
	return next, errors.Join(problems...)
}

// Dispatch implements protocol.Dispatcher. A panic causes an internal error for that request only.
func (g *Gateway) Dispatch(ctx context.Context, req *protocol.Request) (result protocol.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			g.opts.Log.ErrorContext(ctx, "panic in a request", "method", req.Method, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, protocol.Errorf(protocol.CodeInternal, "Internal error while serving %s", req.Method)
		}
	}()
	v, err := g.viewOf(req.Peer.Principal)
	if err != nil {
		return nil, err
	}
	ctx, req, result, err = v.resumeLogin(ctx, req)
	if result != nil || err != nil {
		return result, err
	}
	defer func() {
		if missing := (*loginError)(nil); errors.As(err, &missing) {
			result, err = withoutLogin(req, missing)
		}
	}()
	switch req.Method {
	case "tools/call":
		return v.callTool(ctx, req)
	case "prompts/get":
		return v.getPrompt(ctx, req)
	case "resources/read":
		return v.readResource(ctx, req)
	case "resources/subscribe", "resources/unsubscribe":
		// The transport keeps the subscriptions of a legacy session and opens one
		// subscriptions/listen request for them.
		if req.Meta.Session() != nil {
			return protocol.EmptyResult{}, nil
		}
	case "completion/complete":
		return v.complete(ctx, req)
	case "server/discover":
		return v.discover(ctx, req)
	case "subscriptions/listen":
		return v.listen(ctx, req)
	case "tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list":
		return v.task(ctx, req)
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return v.list(ctx, req)
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s", req.Method)
}

// Start connects to all shared upstreams and waits until each is ready or has failed, at most until
// ctx ends or for Options.ListTimeout. Then it calls Check.
func (g *Gateway) Start(ctx context.Context) {
	g.shared.Load().awaitReady(ctx, g.opts.ListTimeout)
	g.Check(ctx, "")
}

// Close ends all calls and connections of the upstreams and waits for their end.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	var all []*member
	for _, m := range g.sharedMember {
		all = append(all, m)
	}
	g.byPrincipal.Range(func(_, v any) bool {
		all = append(all, v.(*view).ownMembers()...)
		return true
	})
	g.mu.Unlock()
	g.hub.Close()
	g.stop()
	g.suspended.close()
	for _, m := range all {
		g.run.Go(func() { m.retire(0) })
	}
	g.run.Wait()
	return nil
}
