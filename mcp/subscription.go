package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrSubscriptionEnded is why a subscription is over that the server has ended
// regularly, as it may at any time. To open another is the caller's choice.
var ErrSubscriptionEnded = errors.New("the server ended the subscription")

// errUnsubscribed is the cause of the end of a subscription that was closed.
var errUnsubscribed = errors.New("the subscription was closed")

// Subscription is an open subscription, see Client.Subscribe.
type Subscription struct {
	filter SubscriptionFilter
	end    context.CancelCauseFunc
	done   chan struct{}
	err    error // read after done
}

// Subscribe opens a subscription to what filter names (2026-07-28,
// basic/patterns/subscriptions) and returns when the server has acknowledged it.
// ctx bounds that alone; then the subscription lasts until it is closed, the
// server ends it, or the connection is lost. Servers of older revisions are
// asked in the way that they know.
//
// f receives a *ListChangedNotification, a *ResourceUpdatedNotification, or what
// an extension defines as a *RawNotification; it is called in order and by one
// goroutine at a time, and may be nil. Updated resources are told to
// ClientOptions.OnResourceUpdated too. What f does not take in time piles up:
// repetitions are left out, and in the end the oldest.
func (c *Client) Subscribe(ctx context.Context, filter SubscriptionFilter, f func(Notification)) (*Subscription, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("subscribing: %w", context.Cause(ctx))
	}
	filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(c.life, func() { end(ErrClosed) })
	s := &Subscription{end: end, done: make(chan struct{})}
	acknowledged := make(chan SubscriptionFilter, 1)
	started := c.background(func() {
		defer close(s.done)
		defer unhook()
		defer end(nil)
		s.err = c.listen(life, filter, func(n Notification) {
			if ack, ok := n.(*AcknowledgedNotification); ok {
				select {
				case acknowledged <- ack.Filter:
				default: // it is the second
				}
				return
			}
			c.received(n, f)
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

// awaitAcknowledgement waits until a subscription is open or cannot be opened.
func (c *Client) awaitAcknowledgement(ctx context.Context, s *Subscription, acknowledged <-chan SubscriptionFilter) error {
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
	case s.filter = <-acknowledged: // and over at once
		return nil
	default:
		return s.err
	}
}

// received hands a notification of a subscription to its function.
func (c *Client) received(n Notification, f func(Notification)) {
	switch n.(type) {
	case *ListChangedNotification:
		c.outdate(n)
	case *ResourceUpdatedNotification:
		if c.Revision().Modern() {
			c.notified(n) // in sessions it comes to the client by itself
		}
	case *RawNotification:
	default:
		return // progress and logs belong to other requests
	}
	if f != nil {
		c.guard(func() { f(n) })
	}
}

// listen runs one subscription until it ends, and returns why.
func (c *Client) listen(ctx context.Context, filter SubscriptionFilter, f func(Notification)) error {
	meta, err := requestMeta(ctx, nil)
	if err != nil {
		return err
	}
	params := append(mustMarshal([]byte(`{"notifications":`), filter), '}')
	_, err = c.conn.Dispatch(ctx, &Request{
		Method: "subscriptions/listen", Params: params, Meta: RequestMeta{Raw: meta},
		Notify: func(_ context.Context, n Notification) error {
			f(n)
			return nil
		},
	})
	if err == nil {
		return ErrSubscriptionEnded
	}
	return err
}

// Filter is what of the wanted filter the server honours.
func (s *Subscription) Filter() SubscriptionFilter {
	filter := s.filter
	filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	return filter
}

// Done is closed when the subscription has ended and its function has returned
// for the last time.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err is nil until Done is closed, and after Close. Otherwise it says why the
// subscription has ended: ErrSubscriptionEnded, or what went wrong.
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

// Close ends the subscription and waits until its function has returned for the
// last time, but not for ever: a function that does not return is an error.
func (s *Subscription) Close() error {
	s.end(errUnsubscribed)
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-s.done:
		return nil
	case <-timer.C:
		return fmt.Errorf("the function of a subscription has not returned within %v", closeGrace)
	}
}
