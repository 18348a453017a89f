package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// maxAhead is how much an agent may tell that is not written yet, in bytes; then it waits.
const maxAhead = 2 << 20

// The reasons for which a runner ends an agent.
var (
	errFenced    = errors.New("the run was taken from this runner, or no longer exists")
	errCancelled = errors.New("it was cancelled")
	errOrphaned  = errors.New("the server that started it sends no heartbeat any more")
	errStopped   = errors.New("the runner was stopped")
)

// session is a run that a runner holds.
type session struct {
	r     *Runner
	order order
	log   runLog
	lease time.Duration
	key   string // of the run, for hints

	ctx  context.Context // ends the agent
	stop context.CancelCauseFunc
	hint chan struct{} // there may be something to read
	news chan struct{} // there is something to write

	heard   time.Time // when NATS last took something
	missing time.Time // since when its server is not heard of
	over    bool      // the agent has ended

	mu    sync.Mutex
	ahead []wireEvent
	size  int
	room  chan struct{} // is closed when there is room again; nil if no writer waits
}

func newSession(ctx context.Context, r *Runner, l runLog, o order) *session {
	s := &session{r: r, order: o, log: l, lease: max(o.Lease, time.Second), key: l.subject[strings.LastIndexByte(l.subject, '.')+1:]}
	s.hint, s.news = make(chan struct{}, 1), make(chan struct{}, 1)
	var cancel context.CancelCauseFunc
	s.ctx, cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	stopped := context.AfterFunc(ctx, func() { cancel(errStopped) })
	s.stop = func(cause error) {
		stopped()
		cancel(cause)
	}
	return s
}

// poke tells of something without waiting.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// hintServer says to the server that there is something to read.
func (s *session) hintServer() {
	_ = s.r.s.nc.Publish(s.r.s.subject("hint", s.order.Owner, s.key), nil) // else it looks by itself
}

// run runs the agent to its end.
func (s *session) run() {
	defer s.stop(nil)
	sub, err := s.r.s.nc.Subscribe(s.r.s.subject("run", s.key), func(*nats.Msg) { poke(s.hint) })
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }() // on a closed connection there is nothing to end
	}
	var writing group.Group
	ended := make(chan struct{})
	var fenced error
	writing.Go(func() { fenced = s.write(ended) })
	exit, err := s.perform()
	close(ended)
	writing.Wait()
	if fenced != nil {
		s.r.s.opts.Log.Warn("a run was lost, and its agent ended", slog.String("agent", s.order.Spec.AgentID), slog.Any("why", fenced))
		return
	}
	s.over = true
	e := end{Exit: exit, Cause: causeName(exit.Cause), Stopped: errors.Is(context.Cause(s.ctx), errStopped)}
	e.Exit.Cause = nil
	if err != nil {
		e.Error, e.Why = err.Error(), causeName(err)
	}
	if err := s.add(kindEnd, &e); err != nil {
		s.r.s.opts.Log.Warn("the end of a run was not recorded; it counts as lost", slog.String("agent", s.order.Spec.AgentID), slog.Any("error", err))
	}
}

// perform lets an executor run the agent.
func (s *session) perform() (exit executor.Exit, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.r.s.opts.Log.Error("an executor panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("the executor has a fault: %v", v)
		}
	}()
	if err := s.r.allowed(s.order.Spec.Dir); err != nil {
		return exit, err
	}
	for _, e := range s.r.o.Executors {
		if e.Name() == s.order.Program {
			return e.Run(s.ctx, s.order.Spec, s.queueEvent)
		}
	}
	return exit, fmt.Errorf("%w: this runner has no %s", executor.ErrUnavailable, s.order.Program)
}

// queueEvent queues an event of the agent. The executor calls it, never concurrently.
func (s *session) queueEvent(e executor.Event) {
	w := wireOf(e)
	for {
		s.mu.Lock()
		if s.size < maxAhead || s.ctx.Err() != nil {
			break
		}
		if s.room == nil {
			s.room = make(chan struct{})
		}
		room := s.room
		s.mu.Unlock()
		select {
		case <-room:
		case <-s.ctx.Done():
		}
	}
	defer s.mu.Unlock()
	if s.size >= 2*maxAhead { // it is being ended, and nothing can be written
		return
	}
	s.size += w.size()
	if n := len(s.ahead); n == 0 || !s.ahead[n-1].join(&w) {
		s.ahead = append(s.ahead, w)
	}
	poke(s.news)
}

// batch takes the next events to write.
func (s *session) batch() []wireEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, size := 0, 0
	for n < len(s.ahead) && (n == 0 || size+s.ahead[n].size() <= maxBatch) {
		size += s.ahead[n].size()
		n++
	}
	batch := s.ahead[:n:n]
	s.ahead = append([]wireEvent(nil), s.ahead[n:]...)
	s.size = 0
	for i := range s.ahead {
		s.size += s.ahead[i].size()
	}
	if s.room != nil && s.size < maxAhead {
		close(s.room)
		s.room = nil
	}
	return batch
}
