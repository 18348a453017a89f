package peer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// unsubscribeTimeout bounds how long the end of a subscription takes.
const unsubscribeTimeout = 5 * time.Second

// callFunc sends a request of a session and waits for its raw result.
type callFunc = func(ctx context.Context, method string, params []byte) ([]byte, error)

// listener is a subscriptions/listen request to a server of a legacy revision, which does not have the method.
type listener struct {
	filter protocol.SubscriptionFilter
	id     protocol.ID
	box    Inbox
}

// localListeners holds the listeners of one connection. The zero value is ready.
type localListeners struct {
	once  sync.Once
	turn  chan struct{} // has a token while no listener changes the server's subscriptions
	ended chan struct{} // closed with the connection

	mu   sync.Mutex
	open map[*listener]struct{}

	uris map[string]int // number of listeners by subscription; guarded by turn
}

func (s *localListeners) init() {
	s.once.Do(func() {
		s.turn, s.ended = make(chan struct{}, 1), make(chan struct{})
		s.turn <- struct{}{}
		s.open, s.uris = make(map[*listener]struct{}), make(map[string]int)
	})
}

// close ends all listeners, once.
func (s *localListeners) close() {
	s.init()
	close(s.ended)
}

// put hands a notification to the listeners that want it, each its own copy.
func (s *localListeners) put(n protocol.Notification) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.open {
		if own := l.copyOf(n); own != nil {
			l.box.Put(own)
		}
	}
}

// copyOf is a notification as the listener gets it, nil if it does not want it.
func (l *listener) copyOf(n protocol.Notification) protocol.Notification {
	switch n := n.(type) {
	case *protocol.ListChangedNotification:
		if n.List == "tools" && l.filter.ToolsListChanged ||
			n.List == "prompts" && l.filter.PromptsListChanged ||
			n.List == "resources" && l.filter.ResourcesListChanged {
			return &protocol.ListChangedNotification{List: n.List, Subscription: l.id}
		}
	case *protocol.ResourceUpdatedNotification:
		if slices.ContainsFunc(l.filter.ResourceSubscriptions, n.IncludedIn) {
			return &protocol.ResourceUpdatedNotification{URI: n.URI, Subscription: l.id}
		}
	}
	return nil
}

// Listen serves subscriptions/listen in an older session: resources are
// subscribed to one by one through call, list changes come by themselves. caps
// are the server's. It ends with ctx, or with the connection.
func (r *Router) Listen(ctx context.Context, req *protocol.Request, caps protocol.ServerCapabilities, call callFunc) (protocol.Result, error) {
	var params struct {
		Notifications protocol.SubscriptionFilter `json:"notifications"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params of subscriptions/listen: %v", err)
	}
	if req.Notify == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "A subscription needs a Notify function")
	}
	s := &r.local
	s.init()
	l := &listener{filter: honoured(params.Notifications, caps), id: req.ID}
	s.mu.Lock()
	s.open[l] = struct{}{}
	s.mu.Unlock()
	subscribed, err := s.subscribe(ctx, l.filter.ResourceSubscriptions, call)
	defer func() {
		s.mu.Lock()
		delete(s.open, l)
		s.mu.Unlock()
		s.unsubscribe(ctx, subscribed, call)
	}()
	if err != nil {
		return nil, err
	}
	if err := req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID, Filter: l.filter}); err != nil {
		return nil, err
	}
	return s.follow(ctx, l, req)
}

func (s *localListeners) follow(ctx context.Context, l *listener, req *protocol.Request) (protocol.Result, error) {
	for {
		var over error
		select {
		case <-l.box.Signal():
		case <-s.ended:
			over = rpc.ErrClosed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		for _, n := range l.box.Take() {
			if err := req.Notify(ctx, n); err != nil {
				return nil, err
			}
		}
		if over != nil {
			return nil, over
		}
	}
}

// take takes the lock of the server's subscriptions. It fails if ctx or the
// connection ends first.
func (s *localListeners) take(ctx context.Context) error {
	select {
	case <-s.turn:
		return nil
	case <-s.ended:
		return rpc.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *localListeners) give() { s.turn <- struct{}{} }

// subscribe subscribes to the URIs that no other listener has subscribed to, and
// counts this listener for all of them. done holds the counted URIs, also after
// an error.
func (s *localListeners) subscribe(ctx context.Context, uris []string, call callFunc) (done []string, err error) {
	if len(uris) == 0 {
		return nil, nil
	}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.give()
	for _, uri := range uris {
		if s.uris[uri] == 0 {
			_, err = call(ctx, "resources/subscribe", uriParams(uri))
		}
		var refused *protocol.Error
		if errors.As(err, &refused) {
			return done, err
		}
		s.uris[uri]++ // perhaps, when there was no answer
		if done = append(done, uri); err != nil {
			return done, err
		}
	}
	return done, nil
}

// unsubscribe ends the subscriptions that no other listener shares.
func (s *localListeners) unsubscribe(ctx context.Context, uris []string, call callFunc) {
	if len(uris) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unsubscribeTimeout)
	defer cancel()
	if s.take(ctx) != nil {
		return // the connection is over, or stuck
	}
	defer s.give()
	var err error
	for _, uri := range uris {
		if s.uris[uri]--; s.uris[uri] > 0 {
			continue
		}
		delete(s.uris, uri)
		if err == nil { // else the session is over, or the server does not care
			_, err = call(ctx, "resources/unsubscribe", uriParams(uri))
		}
	}
}

// honoured returns the part of a filter that the server supports.
func honoured(f protocol.SubscriptionFilter, caps protocol.ServerCapabilities) protocol.SubscriptionFilter {
	f.TaskIDs = nil // sessions have no subscriptions to tasks
	f.ToolsListChanged = f.ToolsListChanged && caps.Tools != nil && caps.Tools.ListChanged
	f.PromptsListChanged = f.PromptsListChanged && caps.Prompts != nil && caps.Prompts.ListChanged
	f.ResourcesListChanged = f.ResourcesListChanged && caps.Resources != nil && caps.Resources.ListChanged
	if caps.Resources == nil || !caps.Resources.Subscribe {
		f.ResourceSubscriptions = nil
	}
	return f
}
