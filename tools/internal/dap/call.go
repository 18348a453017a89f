package dap

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
)

// Pending is a request that was sent.
type Pending struct {
	s       *Session
	command string
	seq     int
	answers chan answer
}

// Send sends a request, whose answer need not be waited for. Arguments that are nil are left out.
func (s *Session) Send(ctx context.Context, command string, arguments any) (*Pending, error) {
	p := &Pending{s: s, command: command, answers: make(chan answer, 1)}
	s.mu.Lock()
	if len(s.pending) >= maxPending {
		s.mu.Unlock()
		return nil, s.life.Failed(command, errTooMany)
	}
	s.seq++
	p.seq = s.seq
	s.pending[p.seq] = p.answers
	s.mu.Unlock()
	data, err := (&message{Seq: p.seq, Type: typeRequest, Command: command, Arguments: arguments}).encode()
	if err != nil {
		p.forget()
		return nil, s.life.Failed(command, err)
	}
	select {
	case s.queue <- data:
		return p, nil
	case <-s.life.Failing():
		p.forget()
		return nil, s.endedError(command)
	case <-ctx.Done():
		p.forget()
		return nil, s.life.Failed(command, fmt.Errorf("it does not read requests: %w", context.Cause(ctx)))
	}
}

// Result waits for the answer and decodes its body into result, which may be nil. A request that the adapter refuses is a *Refusal,
// any other error is an *Error. When the context ends the answer is still to come: Result can be called again, or GiveUp.
func (p *Pending) Result(ctx context.Context, result any) error {
	select {
	case a := <-p.answers:
		return p.decode(a, result)
	default:
	}
	select {
	case a := <-p.answers:
		return p.decode(a, result)
	case <-p.s.life.Failing():
		select { // it may have answered just before
		case a := <-p.answers:
			return p.decode(a, result)
		default:
		}
		p.forget()
		return p.s.endedError(p.command)
	case <-ctx.Done():
		return p.s.life.Failed(p.command, fmt.Errorf("there is no answer: %w", context.Cause(ctx)))
	}
}

// Answered reports whether the answer is there.
func (p *Pending) Answered() bool { return len(p.answers) > 0 }

// GiveUp says that the answer is not wanted any more: neither here nor, if it can be told, by the adapter.
func (p *Pending) GiveUp() {
	p.forget()
	p.Cancel()
}

// Cancel tells the adapter, if it can be told, to give the request up ("cancel"). It answers all the same.
func (p *Pending) Cancel() { p.s.cancel(p.seq) }

func (p *Pending) decode(a answer, result any) error {
	if a.err != nil {
		return a.err
	}
	if result == nil {
		return nil
	}
	if len(a.body) == 0 {
		a.body = json.RawMessage("{}")
	}
	if err := json.Unmarshal(a.body, result); err != nil {
		return p.s.life.Failed(p.command, fmt.Errorf("an answer that is none: %s: %w", truncate.Line(string(a.body), 80), err))
	}
	return nil
}

func (p *Pending) forget() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	delete(p.s.pending, p.seq)
}

// Call sends a request and waits for its answer, at most Config.CallTimeout: see Send and Pending.Result.
func (s *Session) Call(ctx context.Context, command string, arguments, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.c.CallTimeout, fmt.Errorf("within %v: %w", s.c.CallTimeout, context.DeadlineExceeded))
	defer cancel()
	p, err := s.Send(ctx, command, arguments)
	if err != nil {
		return err
	}
	err = p.Result(ctx, result)
	if ctx.Err() != nil && err != nil {
		p.GiveUp()
	}
	return err
}

// cancel tells the adapter that an answer is not wanted any more.
func (s *Session) cancel(seq int) {
	if !s.offers.SupportsCancelRequest {
		return
	}
	data, err := (&message{Seq: s.number(), Type: typeRequest, Command: "cancel", Arguments: map[string]int{"requestId": seq}}).encode()
	if err != nil {
		return
	}
	select {
	case s.queue <- data:
	default: // it reads nothing, so that it would not read this
	}
}
