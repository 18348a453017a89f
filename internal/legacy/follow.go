package legacy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// maxSubscriptions bounds the resources that a session subscribes to.
const maxSubscriptions = 1024

// subscriptions are the resources whose changes a session's peer wants to hear
// of, and who tells it.
type subscriptions struct {
	mu         sync.Mutex
	uris       map[string]struct{}
	generation int           // counts the changes of uris
	told       int           // the generation that the follower listens to
	followers  int           // that run
	changed    chan struct{} // closed when any of the above has changed
}

// update changes the subscriptions under the lock and wakes who waits for that.
func (s *subscriptions) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// await returns what is closed at the next change; the lock is held.
func (s *subscriptions) await() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// subscribe serves resources/subscribe and resources/unsubscribe. When it
// returns, and somebody follows, a change is told from now on, or no longer.
func (s *Session) subscribe(ctx context.Context, d mcp.Dispatcher, req *mcp.Request) error {
	var params struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil || params.URI == "" {
		return mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: %s needs the member \"uri\", a string", req.Method)
	}
	info, err := Discover(ctx, d, req.Peer)
	if err != nil {
		return err
	}
	if info.Capabilities.Resources == nil || !info.Capabilities.Resources.Subscribe {
		return mcp.Errorf(mcp.CodeMethodNotFound, "Method not found: the server has no resources that can be subscribed to")
	}
	full := false
	s.resources.update(func() {
		if req.Method == "resources/unsubscribe" {
			delete(s.resources.uris, params.URI)
		} else if full = len(s.resources.uris) >= maxSubscriptions; !full {
			if s.resources.uris == nil {
				s.resources.uris = make(map[string]struct{})
			}
			s.resources.uris[params.URI] = struct{}{}
		}
		s.resources.generation++
	})
	if full {
		return mcp.Errorf(mcp.CodeInvalidParams, "A session may subscribe to %d resources; unsubscribe from some first", maxSubscriptions)
	}
	return s.resources.settled(ctx)
}

// settled waits until who follows has heard of every change so far.
func (s *subscriptions) settled(ctx context.Context) error {
	s.mu.Lock()
	want := s.generation
	for s.followers > 0 && s.told < want {
		changed := s.await()
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		s.mu.Lock()
	}
	s.mu.Unlock()
	return nil
}

// Follow forwards list changes, and the updates of resources that the session
// has subscribed to, until ctx ends. What is behind the door tells them on a
// subscription; it is opened anew, before the old one ends, when the session
// subscribes to something else. One Follow may run at a time.
func (s *Session) Follow(ctx context.Context, d mcp.Dispatcher, peer mcp.Peer, send func(method string, params []byte) error) {
	r := &s.resources
	r.update(func() { r.followers++ })
	defer r.update(func() { r.followers-- })
	var listens group.Group
	defer listens.Wait()
	stop := func() {}
	defer func() { stop() }()
	for {
		r.mu.Lock()
		generation, uris, changed := r.generation, slices.Sorted(maps.Keys(r.uris)), r.await()
		r.mu.Unlock()
		current, cancel := context.WithCancel(ctx)
		acknowledged := make(chan struct{})
		listens.Go(func() { s.listen(current, d, peer, uris, acknowledged, send) })
		select {
		case <-acknowledged:
		case <-ctx.Done():
		}
		stop()
		stop = cancel
		r.update(func() { r.told = generation })
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
func (s *Session) listen(ctx context.Context, d mcp.Dispatcher, peer mcp.Peer, uris []string, acknowledged chan struct{}, send func(method string, params []byte) error) {
	open := sync.OnceFunc(func() { close(acknowledged) })
	defer open()
	params, err := json.Marshal(map[string]any{"notifications": mcp.SubscriptionFilter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: uris,
	}})
	if err != nil {
		return // unreachable: strings always encode
	}
	_, _ = d.Dispatch(ctx, &mcp.Request{
		ID: `"session"`, Method: "subscriptions/listen", Params: params,
		Meta: s.Fill(mcp.RequestMeta{}), Peer: peer,
		Notify: func(_ context.Context, n mcp.Notification) error {
			if _, ok := n.(*mcp.AcknowledgedNotification); ok {
				open()
				return nil
			}
			return send(n.Method(), n.AppendParams(nil, s.Revision))
		},
	})
}
