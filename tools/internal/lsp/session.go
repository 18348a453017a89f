package lsp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

// Config configures a server. Name, Command and Dir are required.
type Config struct {
	Name    string   // for people
	Command []string // the program, as an absolute path, and its arguments
	Dir     string   // the folder that it works on, which is also its working directory
	Env     []string // its environment; nil is ours
	// Wrap, unless it is nil, is called before each start of the server, when the environment is complete, and may change the
	// command, so that it runs in a sandbox. ended is called when the server is gone with all that it has started; it may be nil.
	Wrap func(*exec.Cmd) (ended func(), err error)
	// InitOptions are sent as initializationOptions.
	InitOptions any
	// Settings answer workspace/configuration, by sections: a key may be a part of one or several, joined by dots.
	Settings map[string]any
	// Working is the prefix of the titles of progress reports ($/progress) for the computation of diagnostics, for example
	// "diagnosing " for gopls. Set it only for a server that reports one computation for each change that it receives: the
	// Session counts both to know when diagnostics are complete. Empty means that the server does not report it.
	Working string
	// ReadyMessage matches the message (window/logMessage) by which the server says that it knows the files of its folder. See
	// Session.Ready. nil means that the server does not say so.
	ReadyMessage *regexp.Regexp
	// Log receives errors; nil discards them.
	Log *slog.Logger

	MaxMessage   int           // bytes of one message; 0 is 16 MiB
	MaxOutbox    int           // bytes that wait until the server reads; 0 is 64 MiB
	StartTimeout time.Duration // until it is initialized; 0 is 60 seconds
	CallTimeout  time.Duration // of one request; 0 is 45 seconds
	// MaxMemory is the limit of resident memory of the server and its child processes, in bytes. 0 is 2 GiB, a negative value is
	// no limit. It is enforced on Linux only.
	MaxMemory      int64
	MemoryInterval time.Duration // between two measurements of memory; 0 is a second
	// Silence is how long a server that owes an answer may say nothing at all before it is taken to hang. 0 is 45 seconds.
	Silence time.Duration
}

// Times that a server has to end by itself, before it is killed.
const (
	farewell = 400 * time.Millisecond // after the requests shutdown and exit; also the time for the answer to shutdown
	eviction = 100 * time.Millisecond // after a failure, also an unanswered shutdown
)

// Session is one run of a server's process. Its methods may be called from several goroutines at once.
type Session struct {
	life    *childrpc.Life // records the first failure, which ends the session, and the last output
	c       Config
	child   *process.Child
	ended   func() // of Config.Wrap; may be nil
	stream  *stream
	conn    *jsonrpc2.Conn
	work    group.Group
	offers  serverCapabilities
	done    chan struct{} // closed when the process is gone
	owed    debts
	state   state
	execute chan struct{} // semaphore of size 1: one workspace/executeCommand at a time
}

// Start runs a server and initializes it. The context bounds the start, not the life of the session. An error is a *Error.
func Start(ctx context.Context, c Config) (*Session, error) {
	c.MaxMessage, c.MaxOutbox = cmp.Or(c.MaxMessage, maxMessage), cmp.Or(c.MaxOutbox, maxOutbox)
	c.StartTimeout = cmp.Or(c.StartTimeout, 60*time.Second)
	c.CallTimeout = cmp.Or(c.CallTimeout, 45*time.Second)
	c.Silence = cmp.Or(c.Silence, 45*time.Second)
	c.MaxMemory, c.MemoryInterval = cmp.Or(c.MaxMemory, maxMemory), cmp.Or(c.MemoryInterval, memoryInterval)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Session{c: c, life: childrpc.NewLife(c.Name), done: make(chan struct{}), execute: make(chan struct{}, 1)}
	s.state.start(c)
	if err := s.run(); err != nil {
		return nil, s.life.Failed("starting", err)
	}
	if err := s.initialize(ctx); err != nil {
		s.life.Fail(err)
		<-s.done
		s.work.Wait()
		return nil, &Error{Peer: c.Name, Doing: "starting", Err: err, Words: s.life.Words()}
	}
	return s, nil
}

// run starts the process and the goroutines that read and write its messages.
func (s *Session) run() error {
	cmd := exec.Command(s.c.Command[0], s.c.Command[1:]...)
	cmd.Dir, cmd.Env = s.c.Dir, s.c.Env
	o := process.Options{Stderr: s.life.HearLine}
	if s.c.Wrap != nil {
		o.Wrap = func(cmd *exec.Cmd) (err error) {
			s.ended, err = s.c.Wrap(cmd)
			return err
		}
	}
	child, err := process.StartWith(cmd, o)
	if err != nil {
		if s.ended != nil {
			s.ended()
		}
		return err
	}
	s.child = child
	s.stream = newStream(child.Stdout, s.c.MaxMessage, s.c.MaxOutbox, s.owed.count, s.life.Fail)
	s.work.OnPanic = func(value any, stack []byte) {
		s.c.Log.Error("panic beside a language server", "server", s.c.Name, "panic", value, "stack", string(stack))
	}
	s.work.Go(func() { s.stream.write(child.Stdin) })
	s.conn = jsonrpc2.NewConn(context.Background(), s.stream, handler{s}, jsonrpc2.OnRecv(s.owed.received), jsonrpc2.SetLogger(rpcLogger{s.c.Log}))
	s.work.Go(s.attend)
	if s.c.MaxMemory > 0 {
		s.work.Go(s.guard)
	}
	return nil
}

// attend waits for the first failure or the end of the process. It then ends the process, calls the ended function of Config.Wrap,
// and closes done.
func (s *Session) attend() {
	select {
	case <-s.life.Failing():
	case <-s.child.Done():
		s.life.Fail(io.EOF)
	}
	_ = s.conn.Close()
	grace := eviction
	// Not errors.Is: a server that did not answer shutdown has failed with an error that wraps ErrClosed, and gets less time.
	if s.life.Failure() == ErrClosed {
		grace = farewell
	}
	// A server that has ended is noticed by the end of its output, or by an input that it no longer reads.
	var exit *process.Exit
	if childrpc.BrokenOff(s.life.Failure()) {
		if e, itself := s.child.Exited(); itself {
			exit = &e
		}
	}
	_ = s.child.Stop(context.Background(), grace)
	if s.ended != nil {
		s.ended()
	}
	s.life.Explain(exit, "output")
	close(s.done)
	s.state.broadcast()
}

// Done is closed when the server is gone.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err says why the server is gone; nil while it is there.
func (s *Session) Err() error {
	select {
	case <-s.done:
		return s.life.Gone("")
	default:
		return nil
	}
}

// Close requests the server's shutdown and kills the server if it does not end. It waits for the end.
func (s *Session) Close(ctx context.Context) error {
	select {
	case <-s.done:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if s.Call(ctx, "shutdown", nil, nil) == nil {
		_ = s.Notify("exit", nil)
		// The exit must have been written before the pipe is closed.
		s.stream.flushed(ctx)
		s.life.Fail(ErrClosed)
	}
	s.life.Fail(fmt.Errorf("%w without a farewell", ErrClosed))
	<-s.done
	s.work.Wait()
	return nil
}

// initialize does the handshake of the protocol.
func (s *Session) initialize(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.c.StartTimeout, fmt.Errorf("it was not ready within %v", s.c.StartTimeout))
	defer cancel()
	folder := map[string]any{"uri": URI(s.c.Dir), "name": filepath.Base(s.c.Dir)}
	// A server ends when it sees no process with the processId, and in a process namespace of its own it sees none. Therefore the
	// processId is null. The supervisor, the parent process of the server (package process), ends the server with this process.
	params := map[string]any{
		"processId": nil, "clientInfo": map[string]any{"name": "dougu"}, "locale": "en",
		"rootUri": URI(s.c.Dir), "rootPath": s.c.Dir, "workspaceFolders": []any{folder},
		"capabilities": clientCapabilities(), "trace": "off",
	}
	if s.c.InitOptions != nil {
		params["initializationOptions"] = s.c.InitOptions
	}
	var answer struct {
		Capabilities serverCapabilities `json:"capabilities"`
	}
	if err := s.call(ctx, "initialize", params, &answer); err != nil {
		return err
	}
	if encoding := option[string](answer.Capabilities["positionEncoding"]); encoding != "" && encoding != "utf-16" {
		return fmt.Errorf("it counts columns in %s, which was not offered", truncate.Cut(encoding, 40))
	}
	s.offers = answer.Capabilities
	if err := s.Notify("initialized", struct{}{}); err != nil {
		return err
	}
	if len(s.c.Settings) > 0 {
		s.state.mu.Lock()
		s.state.sent++ // gopls computes diagnostics after a change of the configuration, too; see Config.Working
		s.state.mu.Unlock()
		return s.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nested(s.c.Settings)})
	}
	return nil
}

// rpcLogger receives the log output of package jsonrpc2.
type rpcLogger struct{ log *slog.Logger }

func (q rpcLogger) Printf(format string, args ...any) {
	q.log.Debug(strings.TrimSpace(fmt.Sprintf(format, args...)))
}
