package dap

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"sync"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

// Config configures an adapter. Name, Command and Dir are required.
type Config struct {
	Name    string   // for people
	Command []string // the program, as an absolute path, and its arguments
	Dir     string   // its working directory
	Env     []string // its environment; nil is ours
	// Announces is the text that the adapter prints before its address, for example 127.0.0.1:38697. The address must be of the
	// loopback interface. Empty means that the adapter speaks over its standard streams.
	Announces string
	// Wrap, unless it is nil, is called before the start of the adapter and may change the command, so that it runs in a sandbox.
	Wrap func(*exec.Cmd) error
	// Event receives all events in sequence, in the reading goroutine: it must not wait for an answer. nil ignores events.
	Event func(name string, body json.RawMessage)
	// Output receives output beside the protocol. An adapter that announces an address includes the output of the debugged
	// program. Output must not keep p. nil discards it.
	Output func(s process.Stream, p []byte)
	// Log receives errors; nil discards them.
	Log *slog.Logger

	MaxMessage   int           // bytes of one message; 0 is 16 MiB
	StartTimeout time.Duration // until it is initialized; 0 is 30 seconds
	CallTimeout  time.Duration // of one Call; 0 is 20 seconds
}

// Times that an adapter has.
const (
	farewell = 3 * time.Second        // to answer the request disconnect
	parting  = time.Second            // to end by itself after that answer
	eviction = 300 * time.Millisecond // to end after a signal, before it is killed
	lastRead = time.Second            // until its remaining output is read after its end
)

// Session is one run of an adapter's process. Its methods may be called from several goroutines at once.
type Session struct {
	life   *childrpc.Life // records the first failure, which ends the session, and the last output
	c      Config
	mark   string // a random variable in the environment of the adapter and its descendants, by which run.go finds the remaining ones
	child  *process.Captured
	offers protocol.Capabilities
	queue  chan []byte
	work   group.Group   // reads and writes
	ends   group.Group   // waits for the end
	done   chan struct{} // closed when nothing is left

	mu      sync.Mutex          // guards seq and pending
	seq     int                 // number of the last request
	pending map[int]chan answer // requests without an answer, by number

	killed error // names processes that could not be killed; set before done is closed
}

// Start runs an adapter and initializes it. The context bounds the start, not the life of the session. An error is an *Error.
func Start(ctx context.Context, c Config) (*Session, error) {
	c.MaxMessage = cmp.Or(c.MaxMessage, 16<<20)
	c.StartTimeout = cmp.Or(c.StartTimeout, 30*time.Second)
	c.CallTimeout = cmp.Or(c.CallTimeout, 20*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Event == nil {
		c.Event = func(string, json.RawMessage) {}
	}
	s := &Session{
		c: c, mark: rand.Text(), queue: make(chan []byte, maxQueued), pending: make(map[int]chan answer),
		life: childrpc.NewLife(c.Name), done: make(chan struct{}),
	}
	s.work.OnPanic = func(value any, stack []byte) {
		s.life.Fail(fmt.Errorf("a fault beside it: %v", value))
		c.Log.Error("panic beside a debug adapter", "adapter", c.Name, "panic", value, "stack", string(stack))
	}
	s.ends.OnPanic = s.work.OnPanic
	ctx, cancel := context.WithTimeoutCause(ctx, c.StartTimeout, fmt.Errorf("it was not ready within %v: %w", c.StartTimeout, context.DeadlineExceeded))
	defer cancel()
	if err := s.run(ctx); err != nil {
		return nil, &Error{Peer: c.Name, Doing: "starting", Err: err, Words: s.life.Words(), Gone: true}
	}
	if err := s.initialize(ctx); err != nil {
		s.life.Fail(err)
		s.wait()
		return nil, s.life.Gone("starting")
	}
	return s, nil
}

// initialize does the handshake of the protocol ("Initialization").
func (s *Session) initialize(ctx context.Context) error {
	p, err := s.Send(ctx, "initialize", protocol.InitializeRequestArguments{
		ClientID: "dougu", ClientName: "dougu", AdapterID: s.c.Name, Locale: "en", LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path",
		SupportsVariableType: true, SupportsVariablePaging: true,
	})
	if err == nil {
		err = p.Result(ctx, &s.offers)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Err
	}
	return err
}

// Offers are the capabilities of the adapter.
func (s *Session) Offers() protocol.Capabilities { return s.offers }

// Failing is closed when the session is about to end.
func (s *Session) Failing() <-chan struct{} { return s.life.Failing() }

// Done is closed when the adapter is gone with all that it has started.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err says why the session ends, an *Error; nil as long as it does not.
func (s *Session) Err() error {
	select {
	case <-s.life.Failing():
		return s.endedError("")
	default:
		return nil
	}
}

// endedError returns the error of a session that ends. If the adapter closed its streams without an answer, gone waits for the end of
// the process, at most lastRead. The exit status is then part of the error.
func (s *Session) endedError(doing string) error {
	if childrpc.BrokenOff(s.life.Failure()) {
		timer := time.NewTimer(lastRead)
		select {
		case <-s.done:
		case <-timer.C:
		}
		timer.Stop()
	}
	return s.life.Gone(doing)
}

// Close asks the adapter to disconnect, and then ends it with all processes that it has started. With keep, the adapter is asked
// not to end the debugged program. If the adapter does not answer within 3 s, it is killed. An attached program is left alone in both
// cases, because the adapter has not started it. The error names processes that could not be ended.
func (s *Session) Close(ctx context.Context, keep bool) error {
	select {
	case <-s.life.Failing():
	default:
		s.life.Part() // an end of the adapter from now on is no failure: the session's error is ErrClosed
		ctx, cancel := context.WithTimeout(ctx, farewell)
		err := s.Call(ctx, "disconnect", protocol.DisconnectArguments{TerminateDebuggee: !keep}, nil)
		cancel()
		if err == nil {
			if s.c.Announces == "" {
				_ = s.child.CloseInput() // there is nothing more to say
			}
			timer := time.NewTimer(parting)
			select {
			case <-s.child.Done():
			case <-timer.C:
			}
			timer.Stop()
		}
		s.life.Fail(ErrClosed)
	}
	s.wait()
	return s.killed
}

func (s *Session) wait() {
	<-s.done
	s.work.Wait()
	s.ends.Wait()
}
