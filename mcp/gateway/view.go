package gateway

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// view is what one principal sees of the gateway: all do the same as long as no
// upstream is per principal.
type view struct {
	g         *Gateway
	principal string
	members   []*member // in the order of the upstreams
	table     atomic.Pointer[table]
	used      atomic.Int64 // when, in Unix seconds
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
		return nil, mcp.Errorf(mcp.CodeInternal, "The gateway is closed")
	}
	g.sweep()
	if g.principals >= g.opts.MaxPrincipals {
		return nil, mcp.Errorf(mcp.CodeInternal, "Too many principals use the gateway at once; try again later")
	}
	v := g.newView(principal, nil, nil, nil)
	v.table.Store(v.build())
	g.byPrincipal.Store(principal, v)
	g.principals++
	return v, nil
}

// sweep closes what principals had that have asked nothing for long. g.mu is
// held.
func (g *Gateway) sweep() {
	limit := time.Now().Add(-g.opts.PrincipalIdle).Unix()
	g.byPrincipal.Range(func(principal, found any) bool {
		v := found.(*view)
		if v.used.Load() >= limit || slices.ContainsFunc(v.own(), (*member).busy) {
			return true
		}
		g.byPrincipal.Delete(principal)
		g.principals--
		for _, m := range v.own() {
			g.run.Go(func() { m.retire(closeGrace) })
		}
		return true
	})
}

// newView makes the view of a principal of the upstreams as they are now. What of
// old is in kept goes on; the rest of its own members is added to gone. g.mu is
// held.
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

// own are the members that are the principal's alone.
func (v *view) own() []*member {
	var own []*member
	for _, m := range v.members {
		if m.principal != "" {
			own = append(own, m)
		}
	}
	return own
}

func (v *view) ownMember(name string) *member {
	for _, m := range v.own() {
		if m.up.Name == name {
			return m
		}
	}
	return nil
}

// dropOwn adds to gone what next does not have any more.
func (v *view) dropOwn(next *view, gone *[]*member) {
	for _, m := range v.own() {
		if next == nil || !slices.Contains(next.members, m) {
			*gone = append(*gone, m)
		}
	}
}

// rebuild makes the tables anew, and tells clients what has changed.
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

// refresh makes the view's table anew. g.mu is held.
func (v *view) refresh() changes {
	next := v.build()
	old := v.table.Swap(next)
	return next.since(old)
}

// ready starts what has not been started, and waits until every upstream is ready
// or has failed, but not for long, and not again for one that has not come up within
// that time.
func (v *view) ready(ctx context.Context, patience time.Duration) *table {
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

// find looks something up in the view's table, and once more when all upstreams
// are ready.
func find[T any](ctx context.Context, v *view, look func(*table) (T, bool)) (found T, ok bool) {
	t := v.table.Load()
	if found, ok = look(t); ok || t.settled {
		return found, ok
	}
	return look(v.ready(ctx, v.g.opts.ListTimeout))
}
