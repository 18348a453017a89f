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

// Options say whom to tell, and how. All but Targets has defaults.
type Options struct {
	Targets []Target
	// Name is who tells, such as the name of the server; empty is "dougu".
	Name string
	// Queue is how many messages wait for each target at most; 0 is 100. What comes beyond it is dropped.
	Queue int
	// Attempts is how often a delivery is tried, 0 is 5, and Timeout how long each may take, 0 is 10 s.
	Attempts int
	Timeout  time.Duration
	// Backoff is how long is waited before the second attempt, and twice as long each time from then on, up to a minute; 0 is 1 s.
	// What a target asks for goes before, up to ten minutes: beyond that the message is given up.
	Backoff time.Duration
	// Transport carries requests; nil is one like http.DefaultTransport.
	Transport http.RoundTripper
	// Log is told of what could not be delivered; nil is nobody.
	Log *slog.Logger
}

const (
	mostBackoff = time.Minute
	mostPause   = 10 * time.Minute
)

// Notifier tells targets what has happened. It may be used concurrently.
type Notifier struct {
	options Options
	sender  sender
	lines   []*line
	work    group.Group
	cancel  context.CancelFunc
	lost    atomic.Int64 // messages that were given up at the end

	mu     sync.Mutex
	closed bool
}

// line is a target with what waits for it.
type line struct {
	target   Target
	messages chan Message
	full     bool // messages were dropped, and nothing was delivered since
}

// New makes a Notifier, which is to be closed.
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
		o.Log.Error("telling a target has panicked", "value", value, "stack", string(stack))
	}
	working, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	for _, t := range o.Targets {
		l := &line{target: t, messages: make(chan Message, o.Queue)}
		n.lines = append(n.lines, l)
		n.work.Go(func() { n.tell(working, l) })
	}
	return n
}

// Send tells all targets of a message, some time later. It does not wait for them.
func (n *Notifier) Send(m Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || len(n.lines) == 0 {
		return
	}
	m = m.tidied(time.Now())
	for _, l := range n.lines {
		select {
		case l.messages <- m:
			l.full = false
		default:
			if !l.full {
				n.options.Log.Warn("too many notifications wait for a target; further ones are dropped", "target", l.target)
			}
			l.full = true
		}
	}
}

// Close waits until all targets were told or ctx has ended; what waits then is given up, which is the error. Nothing is sent
// any more.
func (n *Notifier) Close(ctx context.Context) error {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		for _, l := range n.lines {
			close(l.messages)
		}
	}
	n.mu.Unlock()
	ended := context.AfterFunc(ctx, n.cancel)
	n.work.Wait()
	ended()
	n.cancel()
	n.sender.close()
	if lost := n.lost.Swap(0); lost > 0 {
		return fmt.Errorf("%d notifications were given up: %w", lost, context.Cause(ctx))
	}
	return nil
}

// tell tells one target, one message after the other.
func (n *Notifier) tell(ctx context.Context, l *line) {
	for m := range l.messages {
		err := context.Cause(ctx)
		if err == nil {
			if err = n.deliver(ctx, l.target, m); err == nil {
				continue
			}
			n.options.Log.Warn("a notification could not be delivered", "target", l.target, "error", err)
		}
		if ctx.Err() != nil {
			n.lost.Add(1)
		}
	}
}

// deliver tells a target of a message, in several attempts if there is hope.
func (n *Notifier) deliver(ctx context.Context, t Target, m Message) error {
	d, err := n.sender.prepare(t, m)
	if err != nil {
		return err
	}
	backoff := n.options.Backoff
	for attempt := 1; ; attempt++ {
		err := n.attempt(ctx, d)
		var later *laterError
		if !errors.As(err, &later) || attempt == n.options.Attempts || ctx.Err() != nil {
			return err
		}
		pause := backoff
		if later.after > 0 {
			pause = later.after
		}
		if pause > mostPause {
			return err
		}
		if wait.Sleep(ctx, pause) != nil {
			return err
		}
		backoff = min(2*backoff, mostBackoff)
	}
}

func (n *Notifier) attempt(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	return d(ctx)
}

// delivery is an attempt to tell a target, which can be repeated.
type delivery func(ctx context.Context) error

// laterError is a failure that may be over later: after a time that the target has asked for, if it has.
type laterError struct {
	err   error
	after time.Duration
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }
