package gateway

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// view is the part of the gateway that one principal sees. Without upstreams per principal, all
// principals share one view.
type view struct {
	g         *Gateway
	principal string
	members   []*member             // in the order of the upstreams
	table     atomic.Pointer[table] // current features; nil before the first build
	used      atomic.Int64          // time of the last request, in Unix seconds
}

// viewOf finds the view of a principal. It takes no lock unless there is none yet.
func (g *Gateway) viewOf(principal string) (*view, error) {
	if principal == "" || !g.personal.Load() {
		return g.shared.Load(), nil
	}
	if v, ok := g.byPrincipal.Load(principal); ok {
		v := v.(*view)
		v.used.Store(time.Now().Unix())
		return v, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if v, ok := g.byPrincipal.Load(principal); ok {
		return v.(*view), nil
	}
	if g.closed {
		return nil, protocol.Errorf(protocol.CodeInternal, "The gateway is closed")
	}
	g.sweep()
	if g.principals >= g.opts.MaxPrincipals {
		return nil, protocol.Errorf(protocol.CodeInternal, "Too many principals use the gateway at once; try again later")
	}
	v := g.newView(principal, nil, nil, nil)
	v.table.Store(v.build())
	g.byPrincipal.Store(principal, v)
	g.principals++
	return v, nil
}

// sweep closes the connections of principals without requests for PrincipalIdle. The caller holds
// g.mu.
func (g *Gateway) sweep() {
	limit := time.Now().Add(-g.opts.PrincipalIdle).Unix()
	g.byPrincipal.Range(func(principal, found any) bool {
		v := found.(*view)
		if v.used.Load() >= limit || slices.ContainsFunc(v.ownMembers(), (*member).busy) {
			return true
		}
		g.byPrincipal.Delete(principal)
		g.principals--
		for _, m := range v.ownMembers() {
			g.run.Go(func() { m.retire(closeGrace) })
		}
		return true
	})
}

// newView creates the view of a principal for the current upstreams. It reuses the members of old
// that are in kept, and appends its other own members to gone. The caller holds g.mu.
func (g *Gateway) newView(principal string, old *view, kept map[string]bool, gone *[]*member) *view {
	v := &view{g: g, principal: principal}
	v.used.Store(time.Now().Unix())
	for _, u := range g.upstreams {
		var m *member
		switch own := u.PerPrincipal && principal != ""; {
		case !own:
			if m = g.sharedMember[u.Name]; m == nil {
				m = newMember(g, u, "")
				g.sharedMember[u.Name] = m
			}
		case old != nil && kept[u.Name]:
			m = old.ownMember(u.Name)
			fallthrough
		default:
			if m == nil {
				m = newMember(g, u, principal)
			}
		}
		v.members = append(v.members, m)
	}
	if old != nil {
		// The table of the old upstreams serves until rebuild. It is not settled, so that a request for anything else waits for
		// the new upstreams.
		until := *old.table.Load()
		until.settled = false
		v.table.Store(&until)
		old.dropOwn(v, gone)
	}
	return v
}

// ownMembers returns the members that serve only this principal.
func (v *view) ownMembers() []*member {
	var own []*member
	for _, m := range v.members {
		if m.principal != "" {
			own = append(own, m)
		}
	}
	return own
}

func (v *view) ownMember(name string) *member {
	for _, m := range v.ownMembers() {
		if m.up.Name == name {
			return m
		}
	}
	return nil
}

// dropOwn appends the members that next does not contain to gone.
func (v *view) dropOwn(next *view, gone *[]*member) {
	for _, m := range v.ownMembers() {
		if next == nil || !slices.Contains(next.members, m) {
			*gone = append(*gone, m)
		}
	}
}

// rebuild creates all tables again and notifies clients of changes.
func (g *Gateway) rebuild() {
	var changed changes
	g.mu.Lock()
	changed.add(g.shared.Load().refresh())
	g.byPrincipal.Range(func(_, v any) bool {
		changed.add(v.(*view).refresh())
		return true
	})
	g.mu.Unlock()
	for _, list := range changed.lists() {
		g.hub.ListChanged(list)
	}
}

// refresh creates the table of the view again. The caller holds g.mu.
func (v *view) refresh() changes {
	next := v.build()
	old := v.table.Swap(next)
	return next.changesSince(old)
}

// awaitReady starts idle upstreams and waits a limited time until each is ready or has failed. It
// waits only once for an upstream that is not ready in time.
func (v *view) awaitReady(ctx context.Context, patience time.Duration) *table {
	t := v.table.Load()
	if t.settled {
		return t
	}
	for _, m := range v.members {
		m.start()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, m := range v.members {
		if !m.slow(patience) && m.settle(ctx) != nil {
			break
		}
	}
	return v.table.Load()
}

// find looks up a value in the table, and once more after all upstreams are ready.
func find[T any](ctx context.Context, v *view, look func(*table) (T, bool)) (found T, ok bool) {
	t := v.table.Load()
	if found, ok = look(t); ok || t.settled {
		return found, ok
	}
	return look(v.awaitReady(ctx, v.g.opts.ListTimeout))
}
