package debug

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// beginning is how a session begins.
type beginning struct {
	config    dap.Config
	request   string // launch or attach
	arguments any
	temp      string // a directory of the session
	attached  bool
}

// run manages a session from its start until it is forgotten. conclude receives its outcome.
func (s *session) run(b beginning, conclude func(error)) {
	err := s.begin(b)
	if err == nil {
		err = s.attend()
	}
	s.mu.Lock()
	client := s.client
	s.mu.Unlock()
	s.cancel(err)
	if client != nil {
		if left := client.Close(context.Background(), b.attached); left != nil {
			s.d.log.Warn("a debugger was not ended with all that it had started", "session", s.id, "error", left)
		}
	}
	if err := os.RemoveAll(b.temp); err != nil {
		s.d.log.Warn("the directory of a debugging session was not removed", "session", s.id, "error", err)
	}
	conclude(err)
	s.finish(err)
	s.keep()
	s.d.remove(s)
	if err := s.out.Close(); err != nil {
		s.d.log.Warn("the output of a program was not removed", "session", s.id, slog.Any("error", err))
	}
}

// finish notes that the session has ended.
func (s *session) finish(err error) {
	s.move(func(p *position) bool {
		*p = position{state: stateEnded, epoch: p.epoch + 1, reason: err.Error()}
		if !errors.Is(err, errTerminated) && !errors.Is(err, errStopped) && !errors.Is(err, errIdle) && !errors.Is(err, errClosed) {
			p.reason, p.err = "", err
		}
		close(s.over) // together with the change, so that no goroutine sees only one of them
		return true
	})
}

// keep waits until the output is needed no longer.
func (s *session) keep() {
	timer := time.NewTimer(s.d.options.KeepOutput)
	defer timer.Stop()
	select {
	case <-s.forgotten:
	case <-timer.C:
	case <-s.d.life.Done():
	}
}

// begin runs the adapter and has it begin ("Launching and attaching", "Configuration done").
func (s *session) begin(b beginning) error {
	ctx, cancel := context.WithTimeoutCause(s.ctx, s.d.options.StartTimeout, fmt.Errorf("the program did not begin within %v: %w", s.d.options.StartTimeout, context.DeadlineExceeded))
	defer cancel()
	client, err := dap.Start(ctx, b.config)
	if err != nil {
		err = failed("starting "+s.target.adapter.Name, err)
		if known, ok := errors.AsType[*mcp.ToolError](err); ok && known.Code == codeFailed {
			known.Next = "If it is not installed, ask the user to do so: " + s.target.adapter.Install + ". Else call again."
		}
		return s.endReason(err)
	}
	s.mu.Lock()
	s.client = client
	s.mu.Unlock()
	launched, err := client.Send(ctx, b.request, b.arguments)
	if err != nil {
		return s.endReason(failed("starting the program", err))
	}
	answered := make(chan error, 1)
	s.d.work.Go(func() { answered <- launched.Result(ctx, nil) })
	select {
	case <-s.initialized:
	case err := <-answered:
		if err != nil {
			return s.endReason(failed("starting the program", err))
		}
		answered <- nil
		select { // one that says so afterwards
		case <-s.initialized:
		case <-client.Failing():
			return s.endReason(failed("starting the program", client.Err()))
		case <-ctx.Done():
			return s.endReason(failed("starting the program", context.Cause(ctx)))
		}
	}
	if err := s.configure(ctx, client); err != nil {
		return s.endReason(failed("starting the program", err))
	}
	if err := <-answered; err != nil {
		return s.endReason(failed("starting the program", err))
	}
	s.move(func(p *position) bool {
		if p.state != stateStarting {
			return false
		}
		p.state = stateRunning
		return true
	})
	return nil
}

// configure sends the configuration that the adapter needs before the program runs.
func (s *session) configure(ctx context.Context, client *dap.Session) error {
	if err := offered(client, s.points.given()); err != nil {
		return err
	}
	if err := s.points.sendAll(ctx, client); err != nil {
		return err
	}
	if filters := client.Offers().ExceptionBreakpointFilters; len(filters) > 0 {
		usual := []string{}
		for _, f := range filters {
			if f.Default {
				usual = append(usual, f.Filter)
			}
		}
		if err := client.Call(ctx, "setExceptionBreakpoints", protocol.SetExceptionBreakpointsArguments{Filters: usual}, nil); err != nil {
			return err
		}
	}
	if client.Offers().SupportsConfigurationDoneRequest {
		return client.Call(ctx, "configurationDone", nil, nil)
	}
	return nil
}

// endReason is the reason for which a session was told to end, or else the error that came of it.
func (s *session) endReason(err error) error {
	if s.ctx.Err() != nil {
		return s.reason()
	}
	return err
}

// reason is why a session was told to end.
func (s *session) reason() error {
	cause := context.Cause(s.ctx)
	if cause == context.Canceled {
		return errClosed // with the set
	}
	return cause
}

// attend waits until the session has to end, and says why.
func (s *session) attend() error {
	timer := time.NewTimer(s.d.options.Idle)
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return s.reason()
		case <-s.client.Failing():
			if s.ctx.Err() != nil {
				return s.reason() // it was said before
			}
			s.mu.Lock()
			exited := s.exit != nil
			s.mu.Unlock()
			if exited {
				return errTerminated // and the debugger with it
			}
			return failed("debugging", s.client.Err())
		case <-timer.C:
			rest := s.d.options.Idle - s.idle()
			if rest <= 0 {
				return errIdle
			}
			timer.Reset(rest)
		}
	}
}
