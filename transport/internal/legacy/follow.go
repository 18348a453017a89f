package legacy

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// The limits of a session's subscriptions are the limits of one subscription of
// the latest revision.
const (
	maxSubscriptions = 1024
	maxURI           = 8192 // bytes
)

// subscriptions holds the subscribed resources of a session and the state of its
// followers.
type subscriptions struct {
	mu         sync.Mutex
	uris       map[string]struct{}
	generation int           // counts the changes of uris
	told       int           // the generation of the follower's open subscription
	followers  int           // the number of running followers
	listening  bool          // the follower's subscription is acknowledged
	watched    *watcher      // replaces a follower; nil without Watch
	changed    chan struct{} // closed when a field above changes; nil without waiters
	tasks      sessionTasks
}

// update calls change with the lock held and wakes all waiters.
func (s *subscriptions) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.wake()
}

// wake wakes all waiters. The lock is held.
func (s *subscriptions) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// await returns a channel that is closed at the next change. The lock is held.
func (s *subscriptions) await() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// waitUntil waits until a condition holds, or until ctx ends. The lock is held, except
// while waiting.
func (s *subscriptions) waitUntil(ctx context.Context, holds func() bool) error {
	for !holds() {
		changed := s.await()
		s.mu.Unlock()
		var err error
		select {
		case <-changed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

// subscribe serves resources/subscribe and resources/unsubscribe. If the session
// has a follower, subscribe returns after the follower uses the new
// subscriptions.
func (s *Session) subscribe(ctx context.Context, d protocol.Dispatcher, req *protocol.Request) error {
	var params struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil || params.URI == "" {
		return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s needs the member \"uri\", a string", req.Method)
	}
	info, err := s.Discover(ctx, d, req.Peer)
	if err != nil {
		return err
	}
	if info.Capabilities.Resources == nil || !info.Capabilities.Resources.Subscribe {
		return protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: the server has no resources that can be subscribed to")
	}
	if len(params.URI) > maxURI {
		return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the URI has %d bytes; at most %d are allowed", len(params.URI), maxURI)
	}
	// The server decides whether the client may follow resources. A server of another kind need not know the method.
	var refused *protocol.Error
	if _, err := d.Dispatch(ctx, req); err != nil && !(errors.As(err, &refused) && refused.Code == protocol.CodeMethodNotFound) {
		return err
	}
	if !s.resources.set(params.URI, req.Method == "resources/subscribe") {
		return protocol.Errorf(protocol.CodeInvalidParams, "A session may subscribe to %d resources; unsubscribe from some first", maxSubscriptions)
	}
	if w := s.resources.watcher(); w != nil {
		w.exchange()
		return nil
	}
	return s.resources.settled(ctx)
}

// set adds or removes a resource. It returns false when there are too many.
func (s *subscriptions) set(uri string, wanted bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, there := s.uris[uri]; {
	case there == wanted:
		return true
	case !wanted:
		delete(s.uris, uri)
	case len(s.uris) >= maxSubscriptions:
		return false
	default:
		if s.uris == nil {
			s.uris = make(map[string]struct{})
		}
		s.uris[uri] = struct{}{}
	}
	s.generation++
	s.wake()
	return true
}

// settled waits until the follower has received every change so far.
func (s *subscriptions) settled(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := s.generation
	return s.waitUntil(ctx, func() bool { return s.followers == 0 || s.told >= want })
}

// maxOpenDelay is how long a list waits for the subscription of a follower. Some
// Dispatchers never acknowledge one.
const maxOpenDelay = time.Second

// awaitOpen waits until the subscription of a started follower is open, if the
// session has a follower. It stops waiting after maxOpenDelay.
func (s *subscriptions) awaitOpen(ctx context.Context) {
	isOpen := func() bool { return s.followers == 0 || s.listening }
	s.mu.Lock()
	defer s.mu.Unlock()
	if isOpen() {
		return // nearly always, so without a timer
	}
	ctx, cancel := context.WithTimeout(ctx, maxOpenDelay)
	defer cancel()
	_ = s.waitUntil(ctx, isOpen)
}

// Follow forwards list changes, and updates of the resources that the session has subscribed to, until ctx ends. It
// receives them from d with a subscription. When the session subscribes to another resource, a new subscription
// starts before the old one ends. The caller must call run, which does the work: a subscription request waits until
// run has applied it. Only one run may be active at a time.
func (s *Session) Follow(ctx context.Context, d protocol.Dispatcher, peer protocol.Peer, send func(method string, params []byte) error) (run func()) {
	r := &s.resources
	r.update(func() { r.followers, r.listening = r.followers+1, false })
	return func() { s.follow(ctx, d, peer, send) }
}

func (s *Session) follow(ctx context.Context, d protocol.Dispatcher, peer protocol.Peer, send func(method string, params []byte) error) {
	r := &s.resources
	defer r.update(func() { r.followers, r.listening = r.followers-1, false })
	var listens group.Group
	defer listens.Wait()
	stop := func() {}
	defer func() { stop() }()
	for {
		r.mu.Lock()
		generation, filter, changed := r.generation, r.filter(), r.await()
		r.mu.Unlock()
		current, cancel := context.WithCancel(ctx)
		acknowledged, ended := make(chan struct{}), make(chan struct{})
		listens.Go(func() {
			defer close(ended)
			s.listen(current, d, peer, filter, acknowledged, send)
		})
		select {
		case <-acknowledged:
		case <-ctx.Done():
		}
		stop()
		stop = func() { // until it has ended it may still tell something
			cancel()
			<-ended
		}
		r.update(func() { r.told, r.listening = generation, ctx.Err() == nil })
		for changed != nil {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			r.mu.Lock()
			if changed = nil; r.generation == generation {
				changed = r.await()
			}
			r.mu.Unlock()
		}
	}
}

// listen runs one subscription. acknowledged is closed when it is open, or when
// it cannot be opened.
func (s *Session) listen(ctx context.Context, d protocol.Dispatcher, peer protocol.Peer, filter protocol.SubscriptionFilter, acknowledged chan struct{}, send func(method string, params []byte) error) {
	open := sync.OnceFunc(func() { close(acknowledged) })
	defer open()
	params, err := json.Marshal(map[string]any{"notifications": filter})
	if err != nil {
		return // unreachable: strings always encode
	}
	_, _ = d.Dispatch(ctx, &protocol.Request{
		ID: `"session"`, Method: "subscriptions/listen", Params: params,
		Meta: s.Fill(protocol.RequestMeta{}), Peer: peer,
		Notify: func(_ context.Context, n protocol.Notification) error {
			if _, ok := n.(*protocol.AcknowledgedNotification); ok {
				open()
				return nil
			}
			params := n.AppendParams(nil, s.Revision)
			if !s.resources.news(n, params) {
				return nil
			}
			return send(n.Method(), params)
		},
	})
}
