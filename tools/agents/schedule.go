package agents

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/quota"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// run is an agent of this server that has not ended.
type run struct {
	id       string
	agent    record.Agent // the record at the time of the order
	role     roles.Role
	executor executor.Executor
	note     string // an unusual fact for the caller, for example another model

	ctx    context.Context // cancelled when the agent is cancelled
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when the end is recorded

	// worktree and branch belong to the agent whose session this run continues.
	worktree, branch string

	reserved  bool // counted in load.waiting
	lendCount int  // calls of this agent that wait for agents of its own
}

// load counts the agents of a principal: executing agents, slots lent to others, and queued or
// blocked agents.
type load struct{ running, lent, waiting int }

// orderer identifies the origin of orders: an agent, or the main agent of a principal if parent is
// empty.
type orderer struct{ principal, parent string }

// admit records a run and queues it, or lets it wait for its dependencies.
func (a *Agents) admit(ctx context.Context, r *run) error {
	if err := a.reserve(r); err != nil {
		return err
	}
	r.ctx, r.cancel = context.WithCancelCause(mcp.WithTrace(a.baseCtx, mcp.TraceFrom(ctx)))
	r.ended = make(chan struct{})
	if err := a.createRecord(ctx, r); err != nil {
		a.cancelReservation(r)
		return err
	}
	a.emitAgent(ctx, record.AgentCreated, r.agent)
	if r.agent.Status == record.Blocked {
		a.work.Go(func() { a.awaitDependencies(r) })
		return nil
	}
	a.enqueue(r)
	return nil
}

// reserve counts a run as waiting, or returns an error if a limit is reached.
func (a *Agents) reserve(r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.baseCtx.Err() != nil {
		return problem("UNAVAILABLE", "Call again after its restart.", "the server is stopping")
	}
	own, free := a.loads[r.agent.Principal], max(a.options.MaxConcurrent-a.running, 0)
	if !quota.MayTake(r.agent.Principal, own.waiting, a.waiting, a.options.MaxQueued+free) {
		return limitReached("%d of your agents are running and %d are waiting, which is the limit", own.running, own.waiting)
	}
	hourAgo := time.Now().Add(-time.Hour)
	maps.DeleteFunc(a.recentOrders, func(_ orderer, all []time.Time) bool { return all[len(all)-1].Before(hourAgo) })
	by := orderer{r.agent.Principal, r.agent.Parent}
	recent := slices.DeleteFunc(a.recentOrders[by], func(t time.Time) bool { return t.Before(hourAgo) })
	if len(recent) >= a.options.MaxPerHour {
		a.recentOrders[by] = recent
		return limitReached("%d agents were ordered within an hour, which is the limit", len(recent))
	}
	a.recentOrders[by] = append(recent, time.Now())
	a.addLoad(r, load{waiting: 1})
	r.reserved = true
	return nil
}

// createRecord assigns an ID to a run, claims it and stores its record.
func (a *Agents) createRecord(ctx context.Context, r *run) error {
	r.agent.CreatedAt = now()
	for try := 1; ; try++ {
		r.agent.ID = a.newAgentID(r.agent.Role)
		r.id = r.agent.ID
		if err := a.register(r); err != nil {
			return err
		}
		err := a.ownership.claim(r.id)
		if err == nil {
			if a.options.Peers != nil {
				r.agent.Owner = a.options.Peers.Name()
			}
			err = a.store.CreateAgent(context.WithoutCancel(ctx), r.agent)
		}
		if err == nil {
			return nil
		}
		a.ownership.release(r.id)
		a.unregister(r)
		switch {
		case errors.Is(err, record.ErrExists) && try < maxIDAttempts:
		case errors.Is(err, record.ErrNotFound):
			return unknownGroup(r.agent.GroupID)
		default:
			return broken(err, "the agent was not recorded")
		}
	}
}

// newAgentID returns an ID that no unfinished agent of this server has.
func (a *Agents) newAgentID(role string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		id := newID(sanitizeID(role))
		if _, taken := a.runs[id]; !taken {
			return id
		}
	}
}

// sanitizeID replaces the characters of a role ID that file and branch names must not contain.
func sanitizeID(roleID string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_') {
			return r
		}
		return '-'
	}, roleID)
}

// maxIDAttempts is the number of generated IDs that are tried if an ID exists already.
const maxIDAttempts = 50

// newID returns an identifier of the form prefix-unixSeconds-8hexDigits.
func newID(prefix string) string {
	var random [4]byte
	_, _ = rand.Read(random[:])
	return prefix + "-" + strconv.FormatInt(time.Now().Unix(), 10) + "-" + hex.EncodeToString(random[:])
}

// register adds a run to Agents.runs. It returns an error if another run continues the same
// session.
func (a *Agents) register(r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.agent.Follows != "" && a.isResumed(r.agent.SessionID) {
		return problem(codeAgentRunning, "Wait for it with wait_agent.", "another agent already continues the session of %s", r.agent.Follows)
	}
	if _, taken := a.runs[r.id]; taken {
		return broken(record.ErrExists, "the agent was not recorded")
	}
	a.runs[r.id] = r
	return nil
}

// isResumed reports whether a run continues the session. The caller holds Agents.mu.
func (a *Agents) isResumed(session string) bool {
	for _, r := range a.runs {
		if r.agent.SessionID == session {
			return true
		}
	}
	return false
}

// unregister removes a run that was not recorded.
func (a *Agents) unregister(r *run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, r.id)
}

// cancelReservation reverts reserve for a run that was not recorded.
func (a *Agents) cancelReservation(r *run) {
	r.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addLoad(r, load{waiting: -1})
	r.reserved = false
	by := orderer{r.agent.Principal, r.agent.Parent}
	if n := len(a.recentOrders[by]); n > 1 {
		a.recentOrders[by] = a.recentOrders[by][:n-1]
	} else {
		delete(a.recentOrders, by)
	}
}

// minStartDelay is the shortest time between an order and its start if starts are staggered. It
// lets the call return before the start of a program uses the processor.
const minStartDelay = 10 * time.Millisecond

// enqueue appends a run to the queue, or ends it if it was cancelled meanwhile.
func (a *Agents) enqueue(r *run) {
	a.mu.Lock()
	gone := r.ctx.Err() != nil
	if !gone {
		if soon := time.Now().Add(min(minStartDelay, a.options.Stagger)); len(a.queue) == 0 && a.nextStart.Before(soon) {
			a.nextStart = soon
		}
		a.queue = append(a.queue, r)
	}
	a.mu.Unlock()
	if gone {
		a.endUnstarted(r, endingForCause(context.Cause(r.ctx)))
		return
	}
	a.wakeScheduler()
}

// wakeScheduler makes schedule examine the queue. It does not block.
func (a *Agents) wakeScheduler() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// schedule starts queued agents until Close; nextQueued selects the order.
func (a *Agents) schedule() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		r, wait := a.dequeue()
		if r != nil {
			a.work.Go(func() {
				defer a.releaseSlot(r)
				a.execute(r)
			})
			continue
		}
		var soon <-chan time.Time
		if wait > 0 {
			timer.Reset(wait)
			soon = timer.C
		}
		select {
		case <-a.wake:
		case <-soon:
		case <-a.baseCtx.Done():
			return
		}
	}
}

// dequeue removes the next run from the queue. Without a run it returns the time to wait, or 0 to
// wait for a signal.
func (a *Agents) dequeue() (*run, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 || a.running-a.lentSlots >= a.options.MaxConcurrent || a.baseCtx.Err() != nil {
		return nil, 0
	}
	if wait := time.Until(a.nextStart); wait > 0 {
		return nil, wait
	}
	at := a.nextQueued()
	if at < 0 {
		return nil, 0
	}
	r := a.queue[at]
	a.queue = slices.Delete(a.queue, at, at+1)
	a.addLoad(r, load{running: 1, waiting: -1})
	r.reserved = false
	a.nextStart = time.Now().Add(a.options.Stagger)
	return r, 0
}

// nextQueued returns the index of the run to start: the first run of the principal with the fewest
// executing agents, among the principals below their quota. It is -1 if there is none. The caller
// holds Agents.mu.
func (a *Agents) nextQueued() int {
	next, fewest := -1, 0
	for i, r := range a.queue {
		own := a.loads[r.agent.Principal]
		busy := own.running - own.lent
		if next >= 0 && busy >= fewest || !quota.MayTake(r.agent.Principal, busy, a.running-a.lentSlots, a.options.MaxConcurrent) {
			continue
		}
		next, fewest = i, busy
	}
	return next
}

// releaseSlot frees the slot of a run that has ended.
func (a *Agents) releaseSlot(r *run) {
	a.mu.Lock()
	a.addLoad(r, load{running: -1})
	a.mu.Unlock()
	a.wakeScheduler()
}

// lendSlot lets other agents use the slot of a waiting agent until back is called.
func (a *Agents) lendSlot(agentID string) (back func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.runs[agentID]
	if !ok || r.reserved {
		return func() {}
	}
	if r.lendCount++; r.lendCount == 1 {
		a.addLoad(r, load{lent: 1})
		a.wakeScheduler()
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if r.lendCount--; r.lendCount == 0 {
			a.addLoad(r, load{lent: -1})
		}
	}
}

// addLoad adds to the counts of the run's principal and to the totals. The caller holds Agents.mu.
func (a *Agents) addLoad(r *run, more load) {
	a.running += more.running
	a.lentSlots += more.lent
	a.waiting += more.waiting
	own := a.loads[r.agent.Principal]
	own.running += more.running
	own.lent += more.lent
	own.waiting += more.waiting
	if own == (load{}) {
		delete(a.loads, r.agent.Principal)
		return
	}
	a.loads[r.agent.Principal] = own
}

// awaitDependencies waits for the agents that a run depends on, then queues the run or ends it.
func (a *Agents) awaitDependencies(r *run) {
	for _, id := range r.agent.DependsOn {
		other, err := a.awaitEnd(r.ctx, id)
		switch {
		case r.ctx.Err() != nil:
			a.endUnstarted(r, endingForCause(context.Cause(r.ctx)))
			return
		case err != nil:
			a.endUnstarted(r, ending{outcome: record.Failed, reason: "it depends on " + id + ", which no longer exists"})
			return
		case other.Outcome != record.Completed && a.options.FailedDependency == FailDependents:
			a.endUnstarted(r, ending{outcome: record.Failed, reason: "it depends on " + id + ", which has ended as " + string(other.Outcome)})
			return
		}
	}
	_, _, err := a.updateAgent(a.baseCtx, r.id, record.AgentStatusUpdate, func(agent *record.Agent) error { return setStatus(agent, record.Queued) })
	if err != nil {
		a.endUnstarted(r, ending{outcome: record.Failed, reason: err.Error()})
		return
	}
	a.enqueue(r)
}

// now returns the time in UTC with the precision of records, a millisecond.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
