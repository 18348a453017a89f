package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxSubscribed limits the resources of one subscription.
const maxSubscribed = 1024

// resourceLease is one client's share of a subscription to a resource.
type resourceLease struct {
	member *member
	uri    string
	watch  *watchedResource
}

// listener is the open subscription of a session.
type listener struct {
	tell func(protocol.Notification) // sends a notification to the client
}

// subscriptionWriter sends the notifications of a subscription in order, the acknowledgement first.
type subscriptionWriter struct {
	notify func(context.Context, protocol.Notification) error

	mu      sync.Mutex              // guards the following fields
	tasks   []string                // ids of the followed tasks
	open    bool                    // the acknowledgement was sent
	waiting []protocol.Notification // notifications that wait for the acknowledgement
}

func (s *subscriptionWriter) grant(tasks []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = tasks
}

func (s *subscriptionWriter) send(ctx context.Context, n protocol.Notification) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ack, ok := n.(*protocol.AcknowledgedNotification)
	if !ok && !s.open {
		if len(s.waiting) < maxSubscribed {
			s.waiting = append(s.waiting, n)
		}
		return nil
	}
	if ok {
		own := *ack
		own.Filter.TaskIDs = s.tasks
		n, s.open = &own, true
	}
	err := s.notify(ctx, n)
	for _, n := range s.waiting {
		err = errors.Join(err, s.notify(ctx, n))
	}
	s.waiting = nil
	return err
}

// listen serves subscriptions/listen (2026-07-28, basic/patterns/subscriptions). The gateway itself
// reports changes of the merged lists. Resources are subscribed to at their upstreams.
func (v *view) listen(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	var params struct {
		Notifications *protocol.SubscriptionFilter `json:"notifications"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil || params.Notifications == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: subscriptions/listen needs the member \"notifications\", an object")
	}
	filter := *params.Notifications
	if len(filter.ResourceSubscriptions) > maxSubscribed {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: a subscription may name %d resources, not %d; open several", maxSubscribed, len(filter.ResourceSubscriptions))
	}
	for _, m := range v.members {
		m.start()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	own := *req
	say := &subscriptionWriter{notify: req.Notify, open: !req.Meta.Revision.Modern()}
	if req.Notify != nil {
		own.Notify = say.send
	}
	if session := req.Meta.Session(); session != nil && req.Notify != nil {
		l := &listener{func(n protocol.Notification) { _ = say.send(ctx, n) }} // a client that is gone hears nothing
		v.g.listeners.Store(session, l)
		defer v.g.listeners.CompareAndDelete(session, l) // there may be the next one by then
	}
	granted, end := v.subscribe(ctx, &own, filter.ResourceSubscriptions)
	tasks, endTasks := v.followTasks(ctx, &own, filter.TaskIDs)
	defer func() {
		cancel(nil)
		end()
		endTasks()
	}()
	say.grant(tasks)
	filter.ResourceSubscriptions, filter.TaskIDs = granted, nil
	rest := own // others still read the first
	var err error
	if rest.Params, err = json.Marshal(map[string]any{"notifications": filter}); err != nil {
		return nil, err // unreachable: strings always encode
	}
	return v.g.hub.Dispatch(ctx, &rest)
}

// subscribe subscribes to resources at their upstreams and waits a limited time for the responses.
// granted are the accepted URIs. The caller must call end.
func (v *view) subscribe(ctx context.Context, req *protocol.Request, uris []string) (granted []string, end func()) {
	if len(uris) == 0 || req.Notify == nil {
		return nil, func() {}
	}
	t := v.awaitReady(ctx, v.g.opts.ListTimeout)
	var leases []resourceLease
	var apart []resourceLease // on connections of the session's own
	taken := make(map[string]bool)
	for _, uri := range uris {
		if len(uri) > maxURI || taken[uri] {
			continue
		}
		taken[uri] = true
		for _, m := range t.owners(uri) {
			l := m.live.Load()
			if l == nil || !l.subscribable() {
				continue
			}
			if m.hasSessionConn(l, req) {
				apart = append(apart, resourceLease{member: m, uri: uri})
				break
			}
			if w := m.subs.acquire(m, uri); w != nil {
				leases = append(leases, resourceLease{m, uri, w})
				break
			}
		}
	}
	var waits []func()
	for _, a := range apart {
		waits = append(waits, a.member.pool.listen(ctx, req, a.uri, &granted))
	}
	patience, cancel := context.WithTimeout(ctx, v.g.opts.ListTimeout)
	defer cancel()
	for _, l := range leases {
		select {
		case <-l.watch.decided:
			if l.watch.granted {
				granted = append(granted, l.uri)
			}
		case <-patience.Done(): // it may still be, but that is not promised
		}
	}
	return granted, func() {
		for _, l := range leases {
			l.member.subs.release(l.uri, l.watch)
		}
		for _, wait := range waits {
			wait()
		}
	}
}

// subscribable reports whether resources of the upstream can be subscribed to.
func (l *link) subscribable() bool {
	resources := l.conn.Discovered().Capabilities.Resources
	return resources != nil && resources.Subscribe
}
