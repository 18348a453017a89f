package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Options configure a Runner. The zero value is usable.
type Options struct {
	// Env is the environment of each child, before the variables of its Call. Default: the
	// environment of this process.
	Env []string
	// StateDir is the directory for a small file per running process, and for files of
	// runs. Reap uses it to end processes of a server that has died. No other program may
	// write to it. Default: no files are kept.
	StateDir string
	// MaxLine is the longest line that is read, in bytes. A longer line is reported as an
	// event Line with its beginning; a longer message of a Dialogue ends the run. Default:
	// DefaultMaxLine.
	MaxLine int64
	// Begin is the time limit from the start of the program to its event Init. Default: 30
	// s.
	Begin time.Duration
	// Silence is the time without output after which the event Silence is sent. An agent
	// with a running tool is not silent. Default: 30 s.
	Silence time.Duration
	// Farewell is the time that the program has to exit after the event Finished. Default:
	// 5 s.
	Farewell time.Duration
	// Grace is the time between the request to terminate and the kill. Default: 5 s.
	Grace time.Duration
	// Log receives errors of the cleanup. Default: they are discarded.
	Log *slog.Logger
}

// Local runs agents with one program of this machine. It implements executor.Local except
// Models. Executors embed it.
type Local struct {
	runner     *Runner
	kind, name string
	find       func() (string, error)
	program    func(context.Context, executor.Spec) Program
}

// NewLocal returns a Local. kind names the kind of program and begins all errors of Run;
// name is the name of the executor. find looks up the program, and program returns the
// Program of one run.
func NewLocal(r *Runner, kind, name string, find func() (string, error), program func(context.Context, executor.Spec) Program) *Local {
	return &Local{r, kind, name, find, program}
}

// Name returns the name of the executor in settings and records.
func (l *Local) Name() string { return l.name }

// Find implements executor.Local.
func (l *Local) Find() error {
	_, err := l.find()
	return err
}

// Run runs an agent to its end. See executor.Executor.
func (l *Local) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	exit, err := l.runner.Run(ctx, l.program(ctx, s), s, tell)
	if err != nil {
		return exit, fmt.Errorf("%s: %w", l.kind, err)
	}
	return exit, nil
}

// Close releases the resources of the executor.
func (l *Local) Close() error { return l.runner.Close() }

// Runner runs agent programs as child processes. Its methods may be called concurrently.
type Runner struct {
	o      Options
	ledger ledger
}

// New returns a Runner. It ends processes that dead servers with the same StateDir have
// left running.
func New(o Options) (*Runner, error) {
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	o.Begin = cmp.Or(o.Begin, 30*time.Second)
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	o.Farewell = cmp.Or(o.Farewell, 5*time.Second)
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Runner{o: o}
	if o.StateDir == "" {
		return r, nil
	}
	var err error
	if r.ledger, err = openLedger(o.StateDir); err != nil {
		return nil, err
	}
	n, err := Reap(context.Background(), o.StateDir)
	if n > 0 {
		o.Log.Warn("ended agents of a server that has died", "agents", n)
	}
	if err != nil {
		o.Log.Warn("could not end all processes of a server that has died", "error", err)
	}
	return r, nil
}

// Close releases the resources of the runner. The caller waits for all Run calls first.
func (r *Runner) Close() error { return nil }

// Run runs an agent with program p to its end; see executor.Executor. No process of the run
// survives it, and its scratch directory is removed.
func (r *Runner) Run(ctx context.Context, p Program, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	if err := ctx.Err(); err != nil {
		return executor.Exit{}, err
	}
	files := ""
	defer func() { r.remove(files) }()
	call, err := p.Command(ctx, s, func() (dir string, err error) {
		if files == "" {
			files, err = r.scratch()
		}
		return files, err
	})
	if err != nil {
		return executor.Exit{}, err
	}
	n := newRun(&r.o, p.Decoder(), tell)
	n.begin()
	mark := rand.Text() // in the environment of the child and its descendants, by which Reap finds them after a crash
	child, err := process.Capture(r.cmd(call), process.CaptureOptions{Output: n.handleOutput, Input: true, Mark: mark})
	if err != nil {
		n.closeRun()
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.Join(executor.ErrUnavailable, err)
		}
		return executor.Exit{}, fmt.Errorf("start the agent program: %w", err)
	}
	known := entry{Agent: pull.Clip(s.AgentID, maxAgent), Mark: mark, PID: child.PID()}
	if files != "" {
		known.Files = filepath.Base(files)
	}
	strike, err := r.ledger.enter(known) // records the running process in StateDir; strike removes the record
	if err != nil {
		r.o.Log.Warn("could not record a running agent; it survives a crash of this server", "agent", s.AgentID, "error", err)
	}
	var feed group.Group
	if n.talk != nil {
		feed.Go(func() { n.out.write(child) })
	} else {
		feed.Go(func() {
			_, _ = child.Write([]byte(call.Input)) // the program may exit without reading it
			_ = child.CloseInput()
		})
	}
	left := n.awaitEnd(ctx, child) // whether child processes outlived the program
	if err := child.Close(); err != nil {
		r.o.Log.Warn("could not end all processes of an agent", "agent", s.AgentID, "error", err)
	}
	if n.out != nil {
		n.out.close()
	}
	feed.Wait()
	strike()
	n.closeRun()
	exit := n.exit(child.Exit(), p)
	exit.Leftover = left
	return exit, nil
}

// scratch creates a directory for the files of a run.
func (r *Runner) scratch() (string, error) {
	dir, err := os.MkdirTemp(r.o.StateDir, scratchPrefix)
	if err != nil {
		return "", fmt.Errorf("create a directory for the files of the agent: %w", err)
	}
	return dir, nil
}

// remove removes the scratch directory; "" means that the run has none.
func (r *Runner) remove(dir string) {
	if dir == "" {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		r.o.Log.Warn("could not remove the files of an agent", "directory", dir, "error", err)
	}
}

// cmd returns the command of a call.
func (r *Runner) cmd(call Call) *exec.Cmd {
	cmd := exec.Command(call.Path, call.Args...)
	cmd.Dir = call.Dir
	cmd.Env = append(environ(r.o.Env), call.Env...)
	if call.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+call.Dir)
	}
	return cmd
}

// ownPrefix is the prefix of variables for this server. Agents receive them only if Call.Env
// contains them.
const ownPrefix = "DOUGU_"

// environ returns the environment of all children, without variables that begin with
// ownPrefix; nil selects the environment of this process. Secrets stay in it, because agent programs authenticate with them.
func environ(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), ownPrefix) })
}

const (
	// maxOpen limits the recorded tool calls of a run, and maxCallID the bytes of a recorded ID.
	maxOpen, maxCallID = 1024, 256
)

// run is the state of one agent while it runs.
type run struct {
	o       *Options
	decoder Decoder
	talk    Dialogue // the decoder, if it is a Dialogue; otherwise nil
	out     *outbox  // input of a Dialogue; otherwise nil

	broken   chan struct{} // closed when a Dialogue cannot continue
	began    chan struct{} // closed at the start of the session
	finished chan struct{} // closed at the event Finished

	mu    sync.Mutex // guards the fields below and serializes calls of tell
	tell  func(executor.Event)
	lines lines
	errs  tail // end of the standard error
	odd   tail // end of the lines that the Decoder does not recognize, for the message of a failure
	// last is the time of the last output.
	last time.Time
	// silent reports that Silence was sent.
	silent bool
	// open are the running tool calls.
	open   map[string]struct{}
	end    *executor.Event // the event Finished; nil before
	over   bool            // no more events are sent
	reason string          // reason why the runner ended the program
}

// newRun returns the state of a run that has not begun.
func newRun(o *Options, d Decoder, tell func(executor.Event)) *run {
	n := &run{
		o: o, decoder: d, tell: tell, last: time.Now(), open: make(map[string]struct{}),
		began: make(chan struct{}), finished: make(chan struct{}), broken: make(chan struct{}), errs: tail{most: 15 << 10}, odd: tail{most: 4 << 10},
	}
	n.lines = lines{most: o.MaxLine, line: n.line, dropped: n.dropped}
	if talk, ok := d.(Dialogue); ok {
		n.talk, n.out, n.lines.keep = talk, newOutbox(), o.MaxLine
	}
	return n
}

// handleOutput handles output of the program.
func (n *run) handleOutput(s process.Stream, p []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return
	}
	n.wake()
	if s == process.Stderr {
		n.emit(executor.Event{Kind: executor.Output, Stream: record.Stderr, Data: p})
		n.errs.write(p)
		return
	}
	n.emit(executor.Event{Kind: executor.Output, Stream: record.Raw, Data: p})
	n.lines.write(p)
}

// wake records the time of output and ends a silence.
func (n *run) wake() {
	now := time.Now()
	if n.silent {
		n.silent = false
		n.emit(executor.Event{Kind: executor.Heard, At: now, Silent: now.Sub(n.last)})
	}
	n.last = now
}

// line handles a complete line of standard output.
func (n *run) line(text []byte) {
	if n.decoder.Decode(text, n.emit) {
		return
	}
	n.odd.write(text)
	n.odd.write([]byte{'\n'})
	n.emit(executor.Event{Kind: executor.Line, Text: printable(text, shownLine)})
}

// dropped handles a line that exceeds MaxLine; begin is its start, and size its length in
// bytes.
func (n *run) dropped(begin []byte, size int64) {
	if n.talk != nil { // the line may be a request, and the program would wait for the response
		n.abortDialogue(fmt.Sprintf("the program sent a message of %d bytes; the limit is %d", size, n.o.MaxLine))
	}
	n.emit(executor.Event{Kind: executor.Line, Text: fmt.Sprintf("a line of %d bytes was left out; it begins: %s", size, printable(begin, shownLine/2))})
}

// emit sends an event and updates the state of the run from it.
func (n *run) emit(e executor.Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	switch e.Kind {
	case executor.Init:
		closeOnce(n.began)
	case executor.ToolStarted:
		if len(n.open) < maxOpen {
			n.open[callID(e)] = struct{}{}
		}
	case executor.ToolCompleted:
		delete(n.open, callID(e))
	case executor.Finished:
		if n.end != nil {
			e.Kind = executor.Unknown // Finished is sent once
			break
		}
		closeOnce(n.began)
		closeOnce(n.finished)
		if n.out != nil {
			n.out.close()
		}
		end := e
		n.end = &end
	}
	n.tell(e)
}

// callID returns the key of a call in run.open.
func callID(e executor.Event) string {
	if e.Tool == nil {
		return ""
	}
	return e.Tool.CallID[:min(len(e.Tool.CallID), maxCallID)]
}

// closeOnce closes a channel unless it is closed. Callers hold run.mu.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// awaitEnd waits for the end of the process, and ends it at the end of a time limit or of
// ctx. left reports that child processes outlived the program.
func (n *run) awaitEnd(ctx context.Context, child *process.Captured) (left bool) {
	begin := time.NewTimer(n.o.Begin)
	defer begin.Stop()
	quiet := time.NewTimer(n.o.Silence)
	defer quiet.Stop()
	began, finished := n.began, n.finished
	var farewell <-chan time.Time
	for {
		select {
		case <-child.Ended():
			if left = child.Left(); left {
				_ = child.Signal(process.Kill)
			}
			return left
		case <-began:
			began = nil
			begin.Stop()
		case <-finished:
			finished = nil
			timer := time.NewTimer(n.o.Farewell)
			defer timer.Stop()
			farewell = timer.C
		case <-n.broken:
			n.stop(child, n.o.Grace)
			return false
		case <-quiet.C:
			quiet.Reset(n.checkSilence())
			continue
		case <-begin.C:
			n.setReason(fmt.Sprintf("the program did not begin a session within %v", n.o.Begin))
			n.stop(child, n.o.Grace)
			return false
		case <-farewell:
			n.stop(child, n.o.Grace)
			return false
		case <-ctx.Done():
			grace := n.o.Grace
			if errors.Is(context.Cause(ctx), executor.ErrShutdown) {
				grace = min(grace, shutdownGrace)
			}
			n.setReason("it was ended: " + context.Cause(ctx).Error())
			n.stop(child, grace-n.cancel(child, grace)) // a Dialogue first has a part of grace to end by itself
			return false
		}
	}
}

// stop terminates the process tree, and kills it after grace.
func (n *run) stop(child *process.Captured, grace time.Duration) {
	if err := child.Stop(process.Terminate, grace); err != nil {
		n.o.Log.Warn("could not end all processes of an agent", "error", err)
	}
}

// begin starts the conversation of a Dialogue.
func (n *run) begin() {
	if n.talk == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.talk.Begin(func(line []byte) {
		if err := n.out.put(line); err != nil {
			n.abortDialogue(err.Error())
		}
	})
}

// abortDialogue makes awaitEnd end the program. The first reason counts. Callers hold run.mu.
func (n *run) abortDialogue(reason string) {
	if n.reason == "" {
		n.reason = reason
	}
	closeOnce(n.broken)
}

// shutdownGrace is the limit of Options.Grace when the server stops.
const shutdownGrace = 700 * time.Millisecond

// cancel asks a Dialogue to stop the work, and waits at most a third of grace for the event
// Finished or the end of the process. It returns the part of grace that it used at most.
func (n *run) cancel(child *process.Captured, grace time.Duration) time.Duration {
	if n.talk == nil {
		return 0
	}
	n.mu.Lock()
	if !n.over && n.end == nil {
		n.talk.Cancel()
	}
	n.mu.Unlock()
	part := grace / 3
	timer := time.NewTimer(part)
	defer timer.Stop()
	select {
	case <-child.Ended():
	case <-n.finished:
	case <-timer.C:
	}
	return part
}

// setReason sets the reason for ending the program.
func (n *run) setReason(reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reason = reason
}

// checkSilence sends Silence if it is due, and returns the time until the next check.
func (n *run) checkSilence() time.Duration {
	if !n.mu.TryLock() {
		return n.o.Silence // an event is being sent, so the agent is not silent
	}
	defer n.mu.Unlock()
	silent := time.Since(n.last)
	if silent < n.o.Silence {
		return n.o.Silence - silent
	}
	if !n.silent && len(n.open) == 0 && n.end == nil {
		n.silent = true
		n.emit(executor.Event{Kind: executor.Silence, Silent: silent})
	}
	return n.o.Silence
}

// closeRun handles the last line without a line end, stops all events, and closes the Dialogue.
func (n *run) closeRun() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines.close()
	n.over = true
	if n.talk != nil {
		n.talk.Close()
	}
}

// exit returns the result of the run. Without the event Finished the run has failed, and
// the end of standard error describes the failure.
func (n *run) exit(e process.Exit, p Program) executor.Exit {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := executor.Exit{Finished: n.end != nil, Code: e.Code, Signal: e.Signal}
	if x.Finished {
		if x.Failed = n.end.Failed; x.Failed {
			x.Message = n.end.Text
			x.Cause = p.Failure(x.Message)
		}
		return x
	}
	words := strings.TrimSpace(printable(n.errs.bytes(), n.errs.most))
	if words == "" {
		words = strings.TrimSpace(printable(n.odd.bytes(), n.odd.most))
	}
	x.Failed, x.Cause = true, p.Failure(words)
	if x.Message = n.reason; x.Message == "" {
		x.Message = fmt.Sprintf("the program ended with %s and without a result", e)
	}
	if words != "" {
		x.Message += "; last output: " + new(redact.Redactor).Redact(words)
	}
	return x
}
