package mcp

import (
	"context"
	"sync"
)

// The lists that can change.
const listTools = "tools"

// listener is one open subscription.
type listener struct {
	filter SubscriptionFilter
	signal chan struct{} // holds at most one wake-up

	mu    sync.Mutex
	lists []string // that have changed and were not yet reported
}

// changed notes a change; it never blocks.
func (l *listener) changed(list string) {
	if list == listTools && !l.filter.ToolsListChanged {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, noted := range l.lists {
		if noted == list {
			return
		}
	}
	l.lists = append(l.lists, list)
	select {
	case l.signal <- struct{}{}:
	default:
	}
}

func (l *listener) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lists := l.lists
	l.lists = nil
	return lists
}

// listen serves subscriptions/listen (2026-07-28, basic/patterns/subscriptions)
// until the client ends it or the server closes.
func (s *Server) listen(ctx context.Context, req *Request) (Result, error) {
	var params struct {
		Notifications *SubscriptionFilter `json:"notifications"`
	}
	if err := readParams(req.Params, &params); err != nil {
		return nil, err
	}
	if params.Notifications == nil {
		return nil, Errorf(CodeInvalidParams, "Invalid params: subscriptions/listen needs the member \"notifications\"")
	}
	if req.Notify == nil {
		return nil, Errorf(CodeInternal, "This transport cannot carry subscriptions")
	}
	reg := s.reg.Load()
	l := &listener{
		filter: SubscriptionFilter{ToolsListChanged: params.Notifications.ToolsListChanged && reg.caps.Tools != nil},
		signal: make(chan struct{}, 1),
	}
	s.mu.Lock()
	s.listeners[l] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.listeners, l)
		s.mu.Unlock()
	}()
	if err := req.Notify(ctx, &AcknowledgedNotification{Subscription: req.ID, Filter: l.filter}); err != nil {
		return nil, err
	}
	return s.follow(ctx, req, l)
}

func (s *Server) follow(ctx context.Context, req *Request, l *listener) (Result, error) {
	for {
		select {
		case <-l.signal:
			for _, list := range l.take() {
				if err := req.Notify(ctx, &ListChangedNotification{List: list, Subscription: req.ID}); err != nil {
					return nil, err
				}
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.closed:
			return &ListenResult{Subscription: req.ID}, nil
		}
	}
}

// ListenResult ends a subscription from the server's side.
type ListenResult struct{ Subscription ID }

// AppendJSON implements Result.
func (r *ListenResult) AppendJSON(dst []byte, _ Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"complete",`...)
	return append(appendSubscription(dst, r.Subscription), '}'), nil
}
