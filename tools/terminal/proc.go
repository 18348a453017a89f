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

// proc is a process of the set, until it is forgotten.
type proc struct {
	id    string
	owner string // principal that started it; other principals do not see it
	line  string // command line for people
	path  string // working directory for other calls
	dir   string // absolute working directory
	pty   bool
	// kind of shell if the program is one; otherwise ""
	shell   string
	input   bool // the process has a writable input
	offers  offering
	started time.Time
	*process.Captured
	out *spool.Spool
	// observe receives the output before it is stored, unless it is nil.
	observe func(s process.Stream, p []byte)

	protection *sandbox.Protection // state of the protected files before the command
	refused    []string            // new paths of protected files that were created or changed; read after over
	unrefused  string              // reason if some were not renamed; read after over

	abandoned chan struct{} // closed when no caller can learn of the process
	forgotten chan struct{} // closed when the process may be forgotten
	over      chan struct{} // closed when the process has ended and ended is set
	writing   chan struct{} // semaphore for writing the input

	mu       sync.Mutex
	ended    time.Time
	timedOut bool
	read     [3]int64
}

// state is a snapshot of the state of a process.
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

// holdsOutput reports whether a child of an ended process still holds its output.
func (p *proc) holdsOutput() bool {
	select {
	case <-p.Drained():
		return false
	default:
		return !p.state().running
	}
}

// leftBehind reports whether children of an ended process still run. Without a supervisor only children that hold its output
// are known.
func (p *proc) leftBehind() bool {
	return p.holdsOutput() || p.Vanished() != nil && !p.state().running && p.Left()
}

// awaitChildren waits a moment for the children of a process to end with it.
func (t *Terminal) awaitChildren(p *proc) {
	if p.Vanished() == nil || !p.Left() {
		return
	}
	timer := time.NewTimer(childrenTimeout)
	defer timer.Stop()
	select {
	case <-p.Vanished():
	case <-timer.C:
	case <-t.life.Done():
	}
}

// childrenTimeout is the longest wait of awaitChildren.
const childrenTimeout = 50 * time.Millisecond

// store stores output of the process.
func (p *proc) store(s process.Stream, b []byte) {
	view := spool.Stdout
	if s == process.Stderr {
		view = spool.Stderr
	}
	if p.observe != nil {
		p.observe(s, b)
	}
	p.out.Append(view, b)
}

// abandon ends the process, because no caller knows of it.
func (p *proc) abandon() { p.once(p.abandoned) }

// forget makes the set forget the process after its end.
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

// run manages a process from its start until it is forgotten.
func (t *Terminal) run(p *proc, timeout time.Duration, conclude func(state)) {
	t.awaitEnd(p, timeout)
	t.awaitChildren(p)
	var err error
	if p.refused, err = t.renameProtected(p); err != nil {
		p.unrefused = err.Error()
	}
	p.mu.Lock()
	p.ended = time.Now()
	p.mu.Unlock()
	close(p.over)
	conclude(p.state())
	t.forgetOldest()
	left := t.options.Sandbox.Active() && p.Left()
	if left && p.Vanished() != nil {
		t.work.Go(func() {
			select {
			case <-p.Vanished():
			case <-t.life.Done():
				return // the end is checked below
			}
			_, _ = t.renameProtected(p) // the error is logged
		})
	}
	t.keep(p)
	t.remove(p)
	if !usesMark && t.life.Err() != nil && p.Left() {
		_ = p.Signal(process.Kill)
	}
	if err := p.Close(); err != nil {
		t.log.Warn("a process was not ended with all that it had started", "process", p.id, "error", err)
	}
	if left { // a child can have created files
		_, _ = t.renameProtected(p) // the error is logged
	}
	p.protection.Close()
	if err := p.out.Close(); err != nil {
		t.log.Warn("the output of a process was not removed", "process", p.id, "error", err)
	}
}

// renameProtected renames protected files that were created or changed since the start of the command.
func (t *Terminal) renameProtected(p *proc) ([]string, error) {
	renamed, err := p.protection.Refuse()
	if err != nil {
		t.log.Warn("not all protected files were checked", "process", p.id, "error", err)
	}
	for _, path := range renamed {
		t.log.Warn("a protected file that was made or changed was renamed", "process", p.id, "path", path)
	}
	return renamed, err
}

// awaitEnd waits for the end of the process, and ends it after its timeout or on request.
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
		t.work.Go(func() { t.killOnClose(p, stopped) })
	}
	if err := p.Stop(process.Terminate, grace); err != nil {
		t.log.Warn("a process was not ended with all that it had started", "process", p.id, "error", err)
	}
	<-p.Ended()
}

// killOnClose kills a process that is being stopped when the set is closed.
func (t *Terminal) killOnClose(p *proc, stopped <-chan struct{}) {
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
		_ = p.Signal(process.Kill) // Stop reports the error
	}
}

// keep waits until the output is no longer needed. It keeps the pipe of background children open, because a write to a closed
// pipe would end them.
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
	if p.Left() && (!usesMark || p.Vanished() != nil) {
		select { // no other code could find it then
		case <-p.Vanished():
		case <-t.life.Done():
		}
	}
}

// usesMark means that descendants are found by a mark in their environment, unless they have supervisors.
const usesMark = runtime.GOOS == "linux"

// reserve reserves a place for a process of a principal. add or leave ends the reservation.
func (t *Terminal) reserve(owner string) error {
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

// unreserve ends the reservation of a process that was not started.
func (t *Terminal) unreserve(owner string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeReservation(owner)
}

// removeReservation removes a reservation. The caller holds the lock.
func (t *Terminal) removeReservation(owner string) {
	if i := slices.Index(t.starting, owner); i >= 0 {
		t.starting = slices.Delete(t.starting, i, i+1)
	}
}

// add registers a started process.
func (t *Terminal) add(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeReservation(p.owner)
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

// newID returns a random process ID. It reveals nothing of other processes and differs from the IDs of earlier runs.
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

// idLength is the number of random characters of a process ID, 5 bits each.
const idLength = 6

// known returns the known processes, ordered by start.
func (t *Terminal) known() []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*proc(nil), t.order...)
}

// forgetOldest forgets the oldest ended process of the principal with the most processes if there are too many.
func (t *Terminal) forgetOldest() {
	ended := slices.DeleteFunc(t.known(), func(p *proc) bool { return p.state().running || p.holdsOutput() })
	surplus := quota.Surplus(ended, func(p *proc) string { return p.owner }, func(p *proc) int64 { return p.out.OnDisk() }, maxKept, maxKeptOutputs*t.options.MaxOutput)
	for _, p := range surplus {
		p.forget()
	}
}

// find returns a process of the caller by its ID.
func (t *Terminal) find(ctx context.Context, id string) (*proc, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.byID[id]; ok && p.owner == caller.PrincipalOf(ctx) {
		return p, nil
	}
	return nil, problem(codeUnknownProcess, t.offers().advice("list_processes shows the known processes. ", "Use the processId of an answer of execute_command or execute_build. ", "list_processes")+"Output is kept for a while after the end of a process.", "there is no process %s", quote(id))
}

// await waits for the end of a process or build and reports whether it has ended. It reports progress regularly. The end of ctx
// is an error.
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
