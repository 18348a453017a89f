package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

// Options configure a Notifier. All fields have defaults; without Targets nothing is sent.
type Options struct {
	// Targets receive every message.
	Targets []Target
	// Name is the sender, for example the name of the server. Default: "dougu".
	Name string
	// Queue is the largest number of waiting messages per target; further messages are dropped.
	// Default: 100.
	Queue int
	// Attempts is the number of attempts per delivery. Default: 5.
	Attempts int
	// Timeout limits one attempt. Default: 10 s.
	Timeout time.Duration
	// Backoff is the delay before the second attempt; it doubles up to one minute. Default: 1 s. A
	// delay that the target requests has priority; above ten minutes the message is dropped.
	Backoff time.Duration
	// Transport sends the HTTP requests. Default: a transport with a proxy from the environment.
	Transport http.RoundTripper
	// Log receives a warning for each undelivered message. Default: no log.
	Log *slog.Logger
}

const (
	// maxBackoff is the upper limit of the doubled Backoff.
	maxBackoff = time.Minute
	// maxRetryDelay is the longest delay between attempts; a longer request of a target ends the
	// delivery.
	maxRetryDelay = 10 * time.Minute
)

// Notifier sends messages to targets. It is safe for concurrent use.
type Notifier struct {
	options     Options
	sender      sender
	queues      []*targetQueue
	work        group.Group
	cancel      context.CancelFunc
	undelivered atomic.Int64 // messages that were not delivered when the context of Close had ended

	mu     sync.Mutex
	closed bool
}

// targetQueue is a target with its queue.
type targetQueue struct {
	target   Target
	messages chan Message
	full     bool // the last message was dropped, and a warning logged; guarded by Notifier.mu
}

// New starts a Notifier with one goroutine per target. The caller must call Close.
func New(o Options) *Notifier {
	if o.Name == "" {
		o.Name = "dougu"
	}
	if o.Queue <= 0 {
		o.Queue = 100
	}
	if o.Attempts <= 0 {
		o.Attempts = 5
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Backoff <= 0 {
		o.Backoff = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Notifier{options: o, sender: newSender(o)}
	n.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("panic while sending a notification", "value", value, "stack", string(stack))
	}
	working, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	for _, t := range o.Targets {
		l := &targetQueue{target: t, messages: make(chan Message, o.Queue)}
		n.queues = append(n.queues, l)
		n.work.Go(func() { n.processQueue(working, l) })
	}
	return n
}

// Send queues a message for all targets and returns at once. After Close it does nothing.
func (n *Notifier) Send(m Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || len(n.queues) == 0 {
		return
	}
	m = m.normalize(time.Now())
	for _, l := range n.queues {
		select {
		case l.messages <- m:
			l.full = false
		default:
			if !l.full {
				n.options.Log.Warn("the queue of a notification target is full; messages are dropped", "target", l.target)
			}
			l.full = true
		}
	}
}

// Close rejects new messages and waits until the queues are empty. If ctx ends first, it drops the
// remaining messages and returns an error with their number.
func (n *Notifier) Close(ctx context.Context) error {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		for _, l := range n.queues {
			close(l.messages)
		}
	}
	n.mu.Unlock()
	ended := context.AfterFunc(ctx, n.cancel)
	n.work.Wait()
	ended()
	n.cancel()
	n.sender.close()
	if lost := n.undelivered.Swap(0); lost > 0 {
		return fmt.Errorf("%d notifications were not delivered: %w", lost, context.Cause(ctx))
	}
	return nil
}

// processQueue delivers the messages of one queue in order. After the end of ctx it only counts them.
func (n *Notifier) processQueue(ctx context.Context, l *targetQueue) {
	for m := range l.messages {
		err := context.Cause(ctx)
		if err == nil {
			if err = n.deliver(ctx, l.target, m); err == nil {
				continue
			}
			n.options.Log.Warn("a notification could not be delivered", "target", l.target, "error", err)
		}
		if ctx.Err() != nil {
			n.undelivered.Add(1)
		}
	}
}

// deliver sends a message to a target and repeats attempts after a *retryableError.
func (n *Notifier) deliver(ctx context.Context, t Target, m Message) error {
	d, err := n.sender.prepare(t, m)
	if err != nil {
		return err
	}
	backoff := n.options.Backoff
	for attempt := 1; ; attempt++ {
		err := n.attempt(ctx, d)
		var later *retryableError
		if !errors.As(err, &later) || attempt == n.options.Attempts || ctx.Err() != nil {
			return err
		}
		pause := backoff
		if later.after > 0 {
			pause = later.after
		}
		if pause > maxRetryDelay {
			return err
		}
		if wait.Sleep(ctx, pause) != nil {
			return err
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

func (n *Notifier) attempt(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	return d(ctx)
}

// delivery is one attempt to send a message. It can be called again.
type delivery func(ctx context.Context) error

// retryableError is a temporary failure. after is the delay that the target requests, or 0.
type retryableError struct {
	err   error
	after time.Duration
}

func (e *retryableError) Error() string { return e.err.Error() }
func (e *retryableError) Unwrap() error { return e.err }
