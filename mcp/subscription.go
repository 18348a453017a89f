package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// ErrSubscriptionEnded is the error of a subscription that the server has ended regularly. A server
// may do this at any time; the caller may subscribe again.
var ErrSubscriptionEnded = errors.New("the server ended the subscription")

// errUnsubscribed is the cancellation cause after Subscription.Close.
var errUnsubscribed = errors.New("the subscription was closed")

// Subscription is an open subscription; see Client.Subscribe.
type Subscription struct {
	filter protocol.SubscriptionFilter // accepted filter
	end    context.CancelCauseFunc     // cancels the request
	done   chan struct{}               // closed at the end
	err    error                       // valid after done is closed
}

// Subscribe opens a subscription to the changes that filter selects (2026-07-28,
// basic/patterns/subscriptions). It returns when the server has acknowledged the subscription. ctx
// limits only this wait. The subscription lasts until Close, the end by the server or the loss of
// the connection. With older servers the transport uses the methods of their revision.
//
// f receives a *protocol.ListChangedNotification, a *protocol.ResourceUpdatedNotification, or a *protocol.RawNotification of
// an extension. Calls of f are sequential, in order; f may be nil. ClientOptions.OnResourceUpdated
// receives updated resources too. If f is slow, notifications wait: repetitions are merged, and
// with too many the oldest are dropped.
func (c *Client) Subscribe(ctx context.Context, filter protocol.SubscriptionFilter, f func(protocol.Notification)) (*Subscription, error) {
	if err := c.check(ctx); err != nil {
		return nil, fmt.Errorf("subscribing: %w", err)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("subscribing: %w", context.Cause(ctx))
	}
	filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(c.ctx, func() { end(ErrClosed) })
	s := &Subscription{end: end, done: make(chan struct{})}
	acknowledged := make(chan protocol.SubscriptionFilter, 1)
	started := c.background(func() {
		defer close(s.done)
		defer unhook()
		defer end(nil)
		s.err = c.listen(life, filter, func(n protocol.Notification) {
			if ack, ok := n.(*protocol.AcknowledgedNotification); ok {
				select {
				case acknowledged <- ack.Filter:
				default: // a repeated acknowledgement
				}
				return
			}
			c.handleSubscribed(n, f)
		})
	})
	if !started {
		unhook()
		end(ErrClosed)
		return nil, fmt.Errorf("subscribing: %w", ErrClosed)
	}
	err := c.awaitAcknowledgement(ctx, s, acknowledged)
	if err != nil {
		end(err)
		return nil, fmt.Errorf("subscribing: %w", err)
	}
	return s, nil
}

// awaitAcknowledgement waits until the subscription is acknowledged, fails, or exceeds the time
// limit of a request.
func (c *Client) awaitAcknowledgement(ctx context.Context, s *Subscription, acknowledged <-chan protocol.SubscriptionFilter) error {
	soft, _ := c.limits(&CallOptions{})
	late := make(<-chan time.Time)
	if soft > 0 {
		timer := time.NewTimer(soft)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case s.filter = <-acknowledged:
		return nil
	case <-late:
		return &TimeoutError{Method: "subscriptions/listen", After: soft}
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.done:
	}
	select {
	case s.filter = <-acknowledged: // acknowledged and ended at once
		return nil
	default:
		return s.err
	}
}

// handleSubscribed removes stale cache entries and passes a notification to f.
func (c *Client) handleSubscribed(n protocol.Notification, f func(protocol.Notification)) {
	switch n.(type) {
	case *protocol.ListChangedNotification:
		c.invalidateCache(n)
	case *protocol.ResourceUpdatedNotification:
		if c.Revision().Modern() {
			c.handleNotification(n) // a session delivers it to the client without a subscription
		}
	case *protocol.RawNotification:
	default:
		return // progress and logs belong to other requests
	}
	if f != nil {
		c.callProtected(func() { f(n) })
	}
}

// listen runs one subscription until it ends, and returns the cause of the end.
func (c *Client) listen(ctx context.Context, filter protocol.SubscriptionFilter, f func(protocol.Notification)) error {
	meta, err := requestMeta(ctx, nil)
	if err != nil {
		return err
	}
	params := append(mustMarshal([]byte(`{"notifications":`), filter), '}')
	_, err = c.conn.Dispatch(ctx, &protocol.Request{
		Method: "subscriptions/listen", Params: params, Meta: protocol.RequestMeta{Raw: meta},
		Notify: func(_ context.Context, n protocol.Notification) error {
			f(n)
			return nil
		},
	})
	if err == nil {
		return ErrSubscriptionEnded
	}
	return err
}

// Filter returns the part of the requested filter that the server accepted.
func (s *Subscription) Filter() protocol.SubscriptionFilter {
	filter := s.filter
	filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	return filter
}

// Done returns a channel that is closed when the subscription has ended and its function will not
// be called again.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err returns the cause of the end: ErrSubscriptionEnded or a failure. It returns nil before Done
// is closed, and after Close.
func (s *Subscription) Err() error {
	select {
	case <-s.done:
	default:
		return nil
	}
	if errors.Is(s.err, errUnsubscribed) {
		return nil
	}
	return s.err
}

// Close ends the subscription and waits for the running call of its function, at most five seconds.
// After that it returns an error.
func (s *Subscription) Close() error {
	s.end(errUnsubscribed)
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-s.done:
		return nil
	case <-timer.C:
		return fmt.Errorf("the function of a subscription has not returned within %v", closeTimeout)
	}
}
