package terminal

import (
	"context"
	"crypto/rand"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/quota"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

// proc is a process that the set has started, until it is forgotten.
type proc struct {
	id      string
	owner   string // the principal that has started it, which alone sees it
	line    string // of the command, for people
	path    string // of the working directory, for other calls
	dir     string // the same, absolute
	pty     bool
	shell   string // whose commands it reads; "" for others
	input   bool   // it was started with an input that can be written to
	offers  offering
	started time.Time
	*process.Captured
	out *spool.Spool
	// observe, unless it is nil, is given the output too, before it is kept.
	observe func(s process.Stream, p []byte)

	protection *sandbox.Protection // of the project, as it was before
	refused    []string            // new paths of protected files that were made or changed; read after over
	unrefused  string              // why some were not renamed; read after over

	abandoned chan struct{} // closed when nobody waits for it any more
	forgotten chan struct{} // closed when it is to be forgotten
	over      chan struct{} // closed when it has ended and ended is set
	writing   chan struct{} // holds the right to write to its input

	mu       sync.Mutex
	ended    time.Time
	timedOut bool
	read     [3]int64
}

// state is what there is to tell about a process.
type state struct {
	running  bool
	timedOut bool
	exit     process.Exit
	took     time.Duration
}

func (p *proc) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended.IsZero() {
		return state{running: true, exit: process.Exit{Code: -1}, took: time.Since(p.started)}
	}
	return state{timedOut: p.timedOut, exit: p.Exit(), took: p.ended.Sub(p.started)}
}

// holdsOutput reports whether something holds the output of a process that has
// ended.
func (p *proc) holdsOutput() bool {
	select {
	case <-p.Drained():
		return false
	default:
		return !p.state().running
	}
}

// leftBehind reports whether something that a process has started lives on after
// it, as far as that is known: without a supervisor only the processes that hold its output are known.
func (p *proc) leftBehind() bool {
	return p.holdsOutput() || p.Vanished() != nil && !p.state().running && p.Left()
}

// settle gives the programs that a process has started a moment to end with it.
func (t *Terminal) settle(p *proc) {
	if p.Vanished() == nil || !p.Left() {
		return
	}
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-p.Vanished():
	case <-timer.C:
	case <-t.life.Done():
	}
}

// settleTime is how long that takes at most.
const settleTime = 50 * time.Millisecond

// hear takes what the process says.
func (p *proc) hear(s process.Stream, b []byte) {
	view := spool.Stdout
	if s == process.Stderr {
		view = spool.Stderr
	}
	if p.observe != nil {
		p.observe(s, b)
	}
	p.out.Append(view, b)
}

// abandon has the process ended, because nobody can hear of it.
func (p *proc) abandon() { p.once(p.abandoned) }

// forget has the process forgotten, once it has ended.
func (p *proc) forget() { p.once(p.forgotten) }

func (p *proc) once(c chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

// run is the life of a process from its start until it is forgotten.
func (t *Terminal) run(p *proc, timeout time.Duration, conclude func(state)) {
	t.awaitEnd(p, timeout)
	t.settle(p)
	var err error
	if p.refused, err = t.refuse(p); err != nil {
		p.unrefused = err.Error()
	}
	p.mu.Lock()
	p.ended = time.Now()
	p.mu.Unlock()
	close(p.over)
	conclude(p.state())
	t.tidy()
	left := t.options.Sandbox.Active() && p.Left()
	if left && p.Vanished() != nil {
		t.work.Go(func() {
			select {
			case <-p.Vanished():
			case <-t.life.Done():
				return // it is checked below
			}
			_, _ = t.refuse(p) // the log has it
		})
	}
	t.keep(p)
	t.remove(p)
	if !marked && t.life.Err() != nil && p.Left() {
		_ = p.Signal(process.Kill)
	}
	if err := p.Close(); err != nil {
		t.log.Warn("a process was not ended with all that it had started", "process", p.id, "error", err)
	}
	if left { // it may have gone on to make files
		_, _ = t.refuse(p) // the log has it
	}
	p.protection.Close()
	if err := p.out.Close(); err != nil {
		t.log.Warn("the output of a process was not removed", "process", p.id, "error", err)
	}
}

// refuse renames protected files that were made or changed since the command began.
func (t *Terminal) refuse(p *proc) ([]string, error) {
	renamed, err := p.protection.Refuse()
	if err != nil {
		t.log.Warn("not all protected files were checked", "process", p.id, "error", err)
	}
	for _, path := range renamed {
		t.log.Warn("a protected file that was made or changed was renamed", "process", p.id, "path", path)
	}
	return renamed, err
}

// awaitEnd waits until the process has ended, and sees to that when it is due.
func (t *Terminal) awaitEnd(p *proc, timeout time.Duration) {
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	grace := killGrace
	select {
	case <-p.Ended():
		return
	case <-late:
		p.mu.Lock()
		p.timedOut = true
		p.mu.Unlock()
		grace = timeoutGrace
	case <-p.abandoned:
		grace = timeoutGrace
	case <-t.life.Done():
		grace = closeGrace
	}
	if grace > closeGrace {
		stopped := make(chan struct{})
		defer close(stopped)
		t.work.Go(func() { t.hurry(p, stopped) })
	}
	if err := p.Stop(process.Terminate, grace); err != nil {
		t.log.Warn("a process was not ended with all that it had started", "process", p.id, "error", err)
	}
	<-p.Ended()
}

// hurry kills a process that is being stopped when the set is closed meanwhile.
func (t *Terminal) hurry(p *proc, stopped <-chan struct{}) {
	select {
	case <-stopped:
		return
	case <-t.life.Done():
	}
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-stopped:
	case <-timer.C:
		_ = p.Signal(process.Kill) // Stop reports errors
	}
}

// timeoutGrace is how long a command that takes too long, or that was cancelled,
// has to end by itself.
const timeoutGrace = 2 * time.Second

// keep waits until the output is needed no longer. What the process has left
// behind keeps its output open: closed, it would die of it.
func (t *Terminal) keep(p *proc) {
	timer := time.NewTimer(t.options.KeepOutput)
	defer timer.Stop()
	select {
	case <-p.forgotten:
	case <-timer.C:
	case <-t.life.Done():
		return
	}
	select {
	case <-p.Drained():
	case <-t.life.Done():
		return
	}
	if p.Left() && (!marked || p.Vanished() != nil) {
		select { // nothing else could find it then
		case <-p.Vanished():
		case <-t.life.Done():
		}
	}
}

// marked says that the descendants of processes are found by their mark, unless
// they have supervisors.
const marked = runtime.GOOS == "linux"

// enter makes room for a process of a principal, until add or leave.
func (t *Terminal) enter(owner string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return problem(string(security.InternalError), "Start the server again.", "the terminal is closed")
	}
	busy := slices.Clone(t.starting)
	for _, p := range t.order {
		if p.state().running || p.holdsOutput() {
			busy = append(busy, p.owner)
		}
	}
	own := 0
	for _, other := range busy {
		if other == owner {
			own++
		}
	}
	if !quota.MayTake(owner, own, len(busy), t.options.MaxProcesses) {
		return problem(codeTooMany, t.offers().advice("Wait for one to end, or end one with kill_process; list_processes shows them.",
			t.offers().advice("Wait for one to end, or end one with kill_process.", "Wait for one to end.", "kill_process"), "kill_process", "list_processes"), "%d processes of yours are running, and no more may now", own)
	}
	t.starting = append(t.starting, owner)
	return nil
}

// leave gives the room back for a process that was not started.
func (t *Terminal) leave(owner string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.started(owner)
}

// started takes a process of a principal off the processes that are being started; the lock is held.
func (t *Terminal) started(owner string) {
	if i := slices.Index(t.starting, owner); i >= 0 {
		t.starting = slices.Delete(t.starting, i, i+1)
	}
}

// add enters a process that has been started.
func (t *Terminal) add(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.started(p.owner)
	t.byID[p.id] = p
	t.order = append(t.order, p)
}

func (t *Terminal) remove(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, p.id)
	for i, other := range t.order {
		if other == p {
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return
		}
	}
}

// newID names a process. The name tells nothing of other processes, and is not one of
// a process before a restart.
func (t *Terminal) newID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		id := "p-" + strings.ToLower(rand.Text()[:idLength])
		if _, taken := t.byID[id]; !taken {
			return id
		}
	}
}

// idLength is the number of random characters in the name of a process, of 5 bits each.
const idLength = 6

// known are the processes that are remembered, by start.
func (t *Terminal) known() []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*proc(nil), t.order...)
}

// tidy forgets the oldest processes that have ended, if there are too many, of the
// principal that has the most.
func (t *Terminal) tidy() {
	ended := slices.DeleteFunc(t.known(), func(p *proc) bool { return p.state().running || p.holdsOutput() })
	surplus := quota.Surplus(ended, func(p *proc) string { return p.owner }, func(p *proc) int64 { return p.out.OnDisk() }, maxKept, maxKeptOutputs*t.options.MaxOutput)
	for _, p := range surplus {
		p.forget()
	}
}

// find finds a process of the caller by its id.
func (t *Terminal) find(ctx context.Context, id string) (*proc, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.byID[id]; ok && p.owner == caller.PrincipalOf(ctx) {
		return p, nil
	}
	return nil, problem(codeUnknownProcess, t.offers().advice("list_processes shows those that are known. ", "Use the processId of an answer of execute_command or execute_build. ", "list_processes")+"Output is kept for a while after the end of a process.", "there is no process %s", quote(id))
}

// await waits for the end of a process or a build, and reports whether it has come.
// Every now and then it tells how things stand. The end of ctx is an error.
func await(ctx context.Context, over <-chan struct{}, wait time.Duration, tell func(context.Context)) (bool, error) {
	select {
	case <-over:
		return true, nil
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return true, nil
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick.C:
			tell(ctx)
		}
	}
}
