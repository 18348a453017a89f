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

// Options are the options of a Runner. The zero value is usable.
type Options struct {
	// Env is the environment of each child, before the variables of its Call. Default: the
	// environment of this process.
	Env []string
	// StateDir is the directory for a small file per running process, and for files of
	// runs. Reap uses it to end processes of a server that has died. No other program may
	// write to it. Default: no files are kept.
	StateDir string
	// MaxLine is the longest line that is read, in bytes; a longer one is left out, and an event says so. Default DefaultMaxLine.
	MaxLine int64
	// Begin bounds how long the beginning of a session is waited for. Default 30 s.
	Begin time.Duration
	// Silence is how long nothing must be heard of an agent whose tools are all
	// done until that is told. Default 30 s.
	Silence time.Duration
	// Farewell is how long an agent that has told its end has to exit. Default 5 s.
	Farewell time.Duration
	// Grace is how long an agent that was asked to end has before it is killed. Default 5 s.
	Grace time.Duration
	// Log receives errors of the cleanup. Default: they are discarded.
	Log *slog.Logger
}

// Local runs agents with one program of this machine. It implements executor.Local but for Models.
type Local struct {
	runner     *Runner
	kind, name string
	find       func() (string, error)
	program    func(context.Context, executor.Spec) Program
}

// NewLocal makes a Local. kind is the kind of program, with which errors begin, and name the name of the executor. find looks the
// program up, and program describes its part in a run.
func NewLocal(r *Runner, kind, name string, find func() (string, error), program func(context.Context, executor.Spec) Program) *Local {
	return &Local{r, kind, name, find, program}
}

// Name is how settings and records call the executor.
func (l *Local) Name() string { return l.name }

// Find implements executor.Local.
func (l *Local) Find() error {
	_, err := l.find()
	return err
}

// Run runs an agent; see executor.Executor.
func (l *Local) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	exit, err := l.runner.Run(ctx, l.program(ctx, s), s, tell)
	if err != nil {
		return exit, fmt.Errorf("%s: %w", l.kind, err)
	}
	return exit, nil
}

// Close releases the resources of the executor.
func (l *Local) Close() error { return l.runner.Close() }

// Runner runs agent programs as child processes. It may be used concurrently.
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
		o.Log.Warn("agents that a server which has died had left were ended", "agents", n)
	}
	if err != nil {
		o.Log.Warn("not all that a server which has died had left was ended", "error", err)
	}
	return r, nil
}

// Close releases the resources of the runner. The caller waits for all Run calls first.
func (r *Runner) Close() error { return nil }

// Run is that of executor.Executor, with a program.
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
	mark := rand.Text()
	child, err := process.Capture(r.cmd(call), process.CaptureOptions{Output: n.hear, Input: true, Mark: mark})
	if err != nil {
		n.hang()
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.Join(executor.ErrUnavailable, err)
		}
		return executor.Exit{}, fmt.Errorf("starting an agent: %w", err)
	}
	known := entry{Agent: pull.Clip(s.AgentID, maxAgent), Mark: mark, PID: child.PID()}
	if files != "" {
		known.Files = filepath.Base(files)
	}
	strike, err := r.ledger.enter(known)
	if err != nil {
		r.o.Log.Warn("a process was not written down; if this server dies, nobody ends it", "agent", s.AgentID, "error", err)
	}
	var feed group.Group
	if n.talk != nil {
		feed.Go(func() { n.out.write(child) })
	} else {
		feed.Go(func() {
			_, _ = child.Write([]byte(call.Input)) // a program need not read it
			_ = child.CloseInput()
		})
	}
	left := n.attend(ctx, child)
	if err := child.Close(); err != nil {
		r.o.Log.Warn("an agent was not ended with all that it had started", "agent", s.AgentID, "error", err)
	}
	if n.out != nil {
		n.out.close()
	}
	feed.Wait()
	strike()
	n.hang()
	exit := n.exit(child.Exit(), p)
	exit.Leftover = left
	return exit, nil
}

// scratch makes a directory for the files of a run.
func (r *Runner) scratch() (string, error) {
	dir, err := os.MkdirTemp(r.o.StateDir, scratchPrefix)
	if err != nil {
		return "", fmt.Errorf("making a directory for the files of an agent: %w", err)
	}
	return dir, nil
}

// remove removes the files of a run, if it has any.
func (r *Runner) remove(dir string) {
	if dir == "" {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		r.o.Log.Warn("files of an agent were not removed", "directory", dir, "error", err)
	}
}

// cmd is the command of a call.
func (r *Runner) cmd(call Call) *exec.Cmd {
	cmd := exec.Command(call.Path, call.Args...)
	cmd.Dir = call.Dir
	cmd.Env = append(environ(r.o.Env), call.Env...)
	if call.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+call.Dir)
	}
	return cmd
}

// ownPrefix begins the variables that are this program's own.
const ownPrefix = "DOUGU_"

// environ is what every child gets; nil stands for what this process has. Secrets
// stay: an agent program is logged in by them.
func environ(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), ownPrefix) })
}

const (
	// maxOpen bounds the calls of tools that are known to be at work, maxCallID what is kept of the name of one.
	maxOpen, maxCallID = 1024, 256
)

// run is what is known of one agent while it runs.
type run struct {
	o       *Options
	decoder Decoder
	talk    Dialogue // decoder, if the program is talked with
	out     *outbox  // what it is told; nil if it is not talked with

	broken   chan struct{} // closed when it cannot be talked with any more
	began    chan struct{} // closed with the beginning of the session
	finished chan struct{} // closed when the agent has told its end

	mu     sync.Mutex // guards all below and serializes tell
	tell   func(executor.Event)
	lines  lines
	errs   tail // the end of standard error
	odd    tail // the end of what was on standard output and is no event
	last   time.Time
	silent bool
	open   map[string]struct{}
	end    *executor.Event // Finished
	over   bool            // nothing more is told
	reason string          // why it was ended here
}

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

// hear receives output of the program.
func (n *run) hear(s process.Stream, p []byte) {
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

// wake notes that something was heard.
func (n *run) wake() {
	now := time.Now()
	if n.silent {
		n.silent = false
		n.emit(executor.Event{Kind: executor.Heard, At: now, Silent: now.Sub(n.last)})
	}
	n.last = now
}

// line reads a line of standard output.
func (n *run) line(text []byte) {
	if n.decoder.Decode(text, n.emit) {
		return
	}
	n.odd.write(text)
	n.odd.write([]byte{'\n'})
	n.emit(executor.Event{Kind: executor.Line, Text: printable(text, shownLine)})
}

func (n *run) dropped(begin []byte, size int64) {
	if n.talk != nil { // somebody may wait for an answer to it for ever
		n.breakOff(fmt.Sprintf("it sent a message of %d bytes, and %d are the most", size, n.o.MaxLine))
	}
	n.emit(executor.Event{Kind: executor.Line, Text: fmt.Sprintf("a line of %d bytes was left out, which begins: %s", size, printable(begin, shownLine/2))})
}

// emit tells something, and draws from it what matters here.
func (n *run) emit(e executor.Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	switch e.Kind {
	case executor.Init:
		once(n.began)
	case executor.ToolStarted:
		if len(n.open) < maxOpen {
			n.open[callID(e)] = struct{}{}
		}
	case executor.ToolCompleted:
		delete(n.open, callID(e))
	case executor.Finished:
		if n.end != nil {
			e.Kind = executor.Unknown // an agent ends once
			break
		}
		once(n.began)
		once(n.finished)
		if n.out != nil {
			n.out.close()
		}
		end := e
		n.end = &end
	}
	n.tell(e)
}

func callID(e executor.Event) string {
	if e.Tool == nil {
		return ""
	}
	return e.Tool.CallID[:min(len(e.Tool.CallID), maxCallID)]
}

func once(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// attend waits for the end of the process, and sees to it when it is due. It
// reports whether something that the process has started outlived it.
func (n *run) attend(ctx context.Context, child *process.Captured) (left bool) {
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
			quiet.Reset(n.listen())
			continue
		case <-begin.C:
			n.because(fmt.Sprintf("the program did not begin a session within %v", n.o.Begin))
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
			n.because("it was ended: " + context.Cause(ctx).Error())
			n.stop(child, grace-n.cancel(child, grace))
			return false
		}
	}
}

// stop ends a process that does not end by itself.
func (n *run) stop(child *process.Captured, grace time.Duration) {
	if err := child.Stop(process.Terminate, grace); err != nil {
		n.o.Log.Warn("an agent was not ended with all that it had started", "error", err)
	}
}

// begin begins a dialogue, if it is one.
func (n *run) begin() {
	if n.talk == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.talk.Begin(func(line []byte) {
		if err := n.out.put(line); err != nil {
			n.breakOff(err.Error())
		}
	})
}

// breakOff has a program ended that cannot be talked with.
func (n *run) breakOff(reason string) {
	if n.reason == "" {
		n.reason = reason
	}
	once(n.broken)
}

// shutdownGrace is the time of an agent to end when its server stops.
const shutdownGrace = 700 * time.Millisecond

// cancel asks a program with a dialogue to end by itself, and waits for a third of grace. It returns the time that it waited for at most.
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

func (n *run) because(reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reason = reason
}

// listen tells of silence, and answers when to listen again.
func (n *run) listen() time.Duration {
	if !n.mu.TryLock() {
		return n.o.Silence // something is being told just now
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

// hang tells what is left to tell. Nothing is told afterwards.
func (n *run) hang() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines.close()
	n.over = true
	if n.talk != nil {
		n.talk.Close()
	}
}

// exit says how it ended.
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
		x.Message = fmt.Sprintf("the program ended with %s and has not told a result", e)
	}
	if words != "" {
		x.Message += "; it said: " + new(redact.Redactor).Redact(words)
	}
	return x
}
