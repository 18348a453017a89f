package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/sourcegraph/jsonrpc2"
)

// Call sends a request and decodes the result into result, which may be nil. It ends with the context or after
// Config.CallTimeout; then the request is cancelled at the server. An error response of the server is a *ResponseError, the end
// of the context is its error, and any other failure is an *Error.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.c.CallTimeout, errSlow)
	defer cancel()
	err := s.call(ctx, method, params, result)
	if errors.Is(err, errSlow) {
		return &Error{Peer: s.c.Name, Doing: method, Err: fmt.Errorf("%w within %v", errSlow, s.c.CallTimeout)}
	}
	return err
}

var errSlow = errors.New("it did not respond in time")

func (s *Session) call(ctx context.Context, method string, params, result any) error {
	if err := s.owed.overdue(s.c.Silence); err != nil {
		s.life.Fail(err)
	}
	id, err := s.owed.incur()
	if err != nil {
		s.life.Fail(err)
		return s.life.Gone(method)
	}
	if ctx.Err() != nil {
		s.owed.settle(id)
		return context.Cause(ctx)
	}
	waiter, err := s.conn.DispatchCall(ctx, method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
	if err != nil {
		s.owed.settle(id)
		return s.lost(method, err)
	}
	var raw json.RawMessage
	err = waiter.Wait(ctx, &raw)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		_ = s.Notify("$/cancelRequest", map[string]any{"id": id})
		if err := s.owed.overdue(s.c.Silence); err != nil {
			s.life.Fail(err)
		}
		return context.Cause(ctx)
	}
	if refused, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return &ResponseError{s.c.Name, method, refused.Code, truncate.Cut(refused.Message, 1000)}
	}
	if err != nil {
		return s.lost(method, err)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return &Error{Peer: s.c.Name, Doing: method, Err: fmt.Errorf("its answer is invalid: %w", err)}
	}
	return nil
}

// lost explains why there is no connection any more.
func (s *Session) lost(method string, err error) error {
	if !errors.Is(err, jsonrpc2.ErrClosed) && s.life.Failure() == nil {
		return s.life.Failed(method, err)
	}
	s.life.Fail(err)
	<-s.done
	return s.life.Gone(method)
}

// Notify sends a notification. It does not wait for the server.
func (s *Session) Notify(method string, params any) error {
	if err := s.conn.Notify(context.Background(), method, params); err != nil {
		return s.lost(method, err)
	}
	return nil
}

// Limits of messages and of requests without an answer.
const (
	maxDebts     = 1000    // requests without an answer
	maxBurst     = 10_000  // messages at once
	messageRate  = 200     // messages a second in the long run
	maxBurstSize = 1 << 30 // bytes at once
	byteRate     = 32 << 20
)

// debts are the answers that a server owes, and a measure of how much it says.
type debts struct {
	mu       sync.Mutex
	last     uint64
	since    map[uint64]time.Time
	lastWord time.Time // when the server said something
	messages float64   // that it may say now
	bytes    float64
}

func (d *debts) incur() (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.since) >= maxDebts {
		return 0, fmt.Errorf("%d responses are missing", len(d.since))
	}
	if d.since == nil {
		d.since = make(map[uint64]time.Time)
	}
	d.last++
	d.since[d.last] = time.Now()
	return d.last, nil
}

func (d *debts) settle(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.since, id)
}

// received is called for every message.
func (d *debts) received(_ *jsonrpc2.Request, answer *jsonrpc2.Response) {
	if answer != nil {
		d.settle(answer.ID.Num)
	}
}

// overdue is an error when the server has said nothing for that long while it owed an answer.
func (d *debts) overdue(silence time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, since := range d.since {
		if waited := time.Since(since); waited >= silence && !d.lastWord.After(since) {
			return fmt.Errorf("it has sent nothing for %v while a request was pending", waited.Round(time.Millisecond))
		}
	}
	return nil
}

// count is called for every message, before it is understood. Too many are an error.
func (d *debts) count(size int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.lastWord.IsZero() {
		d.messages, d.bytes = maxBurst, maxBurstSize
	} else {
		passed := now.Sub(d.lastWord).Seconds()
		d.messages = min(d.messages+passed*messageRate, maxBurst)
		d.bytes = min(d.bytes+passed*byteRate, maxBurstSize)
	}
	d.lastWord = now
	d.messages--
	d.bytes -= float64(size)
	if d.messages < 0 || d.bytes < 0 {
		return errors.New("more messages than anybody can read")
	}
	return nil
}
