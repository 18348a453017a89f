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

// run is an agent that has not ended, of this server.
type run struct {
	id       string
	agent    record.Agent // as it was ordered
	role     roles.Role
	executor executor.Executor
	note     string

	ctx    context.Context // ends when it is cancelled
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed at its end
	told   int           // calls of tools that wait_agent has told of

	// worktree and branch are those of the agent whose session it goes on with.
	worktree, branch string

	reserved bool // counted as waiting
	lent     int  // calls that wait for agents of its own
}

// share counts the agents of one principal: running ones, their lent places, and agents that are queued or blocked.
type share struct{ running, lent, waiting int }

// orderer is the agent, or for "" the main agent of a principal, that orders agents.
type orderer struct{ principal, parent string }

// admit records a run and lets it wait for its turn.
func (a *Agents) admit(ctx context.Context, r *run) error {
	if err := a.reserve(r); err != nil {
		return err
	}
	r.ctx, r.cancel = context.WithCancelCause(mcp.WithTrace(a.life, mcp.TraceFrom(ctx)))
	r.ended = make(chan struct{})
	if err := a.enlist(ctx, r); err != nil {
		a.forget(r)
		return err
	}
	a.emitAgent(ctx, record.AgentCreated, r.agent)
	if r.agent.Status == record.Blocked {
		a.work.Go(func() { a.unblock(r) })
		return nil
	}
	a.enqueue(r)
	return nil
}

// reserve keeps to the limits.
func (a *Agents) reserve(r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Err() != nil {
		return problem("UNAVAILABLE", "Call again when it runs.", "the server is being stopped")
	}
	own, free := a.shares[r.agent.Principal], max(a.options.MaxConcurrent-a.running, 0)
	if !quota.MayTake(r.agent.Principal, own.waiting, a.waiting, a.options.MaxQueued+free) {
		return limitReached("%d of your agents run and %d wait, which is as many as may now", own.running, own.waiting)
	}
	hourAgo := time.Now().Add(-time.Hour)
	maps.DeleteFunc(a.orders, func(_ orderer, all []time.Time) bool { return all[len(all)-1].Before(hourAgo) })
	by := orderer{r.agent.Principal, r.agent.Parent}
	recent := slices.DeleteFunc(a.orders[by], func(t time.Time) bool { return t.Before(hourAgo) })
	if len(recent) >= a.options.MaxPerHour {
		a.orders[by] = recent
		return limitReached("%d agents were ordered in an hour, which is as many as may", len(recent))
	}
	a.orders[by] = append(recent, time.Now())
	a.count(r, share{waiting: 1})
	r.reserved = true
	return nil
}

// enlist gives a run its ID and records it.
func (a *Agents) enlist(ctx context.Context, r *run) error {
	r.agent.CreatedAt = now()
	for try := 1; ; try++ {
		r.agent.ID = a.freeID(r.agent.Role)
		r.id = r.agent.ID
		if err := a.know(r); err != nil {
			return err
		}
		err := a.lease.take(r.id)
		if err == nil {
			if a.options.Peers != nil {
				r.agent.Owner = a.options.Peers.Name()
			}
			err = a.store.CreateAgent(context.WithoutCancel(ctx), r.agent)
		}
		if err == nil {
			return nil
		}
		a.lease.give(r.id)
		a.unknow(r)
		switch {
		case errors.Is(err, record.ErrExists) && try < triesForID:
		case errors.Is(err, record.ErrNotFound):
			return unknownGroup(r.agent.GroupID)
		default:
			return broken(err, "the agent was not recorded")
		}
	}
}

// freeID makes an ID that no agent has which has not ended.
func (a *Agents) freeID(role string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		id := newID(plain(role))
		if _, taken := a.runs[id]; !taken {
			return id
		}
	}
}

// plain is the ID of a role as it can be part of the names of files and branches.
func plain(roleID string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_') {
			return r
		}
		return '-'
	}, roleID)
}

// triesForID is how often another identifier is tried if one is taken.
const triesForID = 50

// newID is {prefix}-{unixTimestamp}-{random8hex}.
func newID(prefix string) string {
	var random [4]byte
	_, _ = rand.Read(random[:])
	return prefix + "-" + strconv.FormatInt(time.Now().Unix(), 10) + "-" + hex.EncodeToString(random[:])
}

// know makes a run findable.
func (a *Agents) know(r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.agent.Follows != "" && a.resumed(r.agent.SessionID) {
		return problem(codeAgentRunning, "Wait for it with wait_agent.", "another agent goes on with the session of %s already", r.agent.Follows)
	}
	if _, taken := a.runs[r.id]; taken {
		return broken(record.ErrExists, "the agent was not recorded")
	}
	a.runs[r.id] = r
	return nil
}

// resumed reports whether somebody goes on with a session.
func (a *Agents) resumed(session string) bool {
	for _, r := range a.runs {
		if r.agent.SessionID == session {
			return true
		}
	}
	return false
}

func (a *Agents) unknow(r *run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, r.id)
}

// forget takes back what reserve has given to a run that was never recorded.
func (a *Agents) forget(r *run) {
	r.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(r, share{waiting: -1})
	r.reserved = false
	by := orderer{r.agent.Principal, r.agent.Parent}
	if n := len(a.orders[by]); n > 1 {
		a.orders[by] = a.orders[by][:n-1]
	} else {
		delete(a.orders, by)
	}
}

// breath is how long a run is left in the queue at least if starts are staggered at all: starting its program would hold up the answer
// to its order.
const breath = 10 * time.Millisecond

// enqueue puts a run at the end of the queue, or ends it if that was asked for meanwhile.
func (a *Agents) enqueue(r *run) {
	a.mu.Lock()
	gone := r.ctx.Err() != nil
	if !gone {
		if soon := time.Now().Add(min(breath, a.options.Stagger)); len(a.queue) == 0 && a.next.Before(soon) {
			a.next = soon
		}
		a.queue = append(a.queue, r)
	}
	a.mu.Unlock()
	if gone {
		a.conclude(r, endingOf(context.Cause(r.ctx)))
		return
	}
	a.look()
}

// look makes the scheduler look.
func (a *Agents) look() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// schedule starts the agents of the queue as places become free; see nextQueued for their order.
func (a *Agents) schedule() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		r, wait := a.take()
		if r != nil {
			a.work.Go(func() {
				defer a.leave(r)
				a.perform(r)
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
		case <-a.life.Done():
			return
		}
	}
}

// take takes the next run out of the queue, or says when to look again.
func (a *Agents) take() (*run, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 || a.running-a.lent >= a.options.MaxConcurrent || a.life.Err() != nil {
		return nil, 0
	}
	if wait := time.Until(a.next); wait > 0 {
		return nil, wait
	}
	at := a.nextQueued()
	if at < 0 {
		return nil, 0
	}
	r := a.queue[at]
	a.queue = slices.Delete(a.queue, at, at+1)
	a.count(r, share{running: 1, waiting: -1})
	r.reserved = false
	a.next = time.Now().Add(a.options.Stagger)
	return r, 0
}

// nextQueued returns the index of the run in the queue that is to be started: of the principals that may have another place, the
// first run of the one that has the fewest. It is -1 if there is none. The lock is held.
func (a *Agents) nextQueued() int {
	next, fewest := -1, 0
	for i, r := range a.queue {
		own := a.shares[r.agent.Principal]
		busy := own.running - own.lent
		if next >= 0 && busy >= fewest || !quota.MayTake(r.agent.Principal, busy, a.running-a.lent, a.options.MaxConcurrent) {
			continue
		}
		next, fewest = i, busy
	}
	return next
}

// leave frees a place.
func (a *Agents) leave(r *run) {
	a.mu.Lock()
	a.count(r, share{running: -1})
	a.mu.Unlock()
	a.look()
}

// lend gives the place of an agent that waits to others, until back is called.
func (a *Agents) lend(agentID string) (back func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.runs[agentID]
	if !ok || r.reserved {
		return func() {}
	}
	if r.lent++; r.lent == 1 {
		a.count(r, share{lent: 1})
		a.look()
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if r.lent--; r.lent == 0 {
			a.count(r, share{lent: -1})
		}
	}
}

// count adds to the counts of a run's principal, and to the counts of all; the lock is held.
func (a *Agents) count(r *run, more share) {
	a.running += more.running
	a.lent += more.lent
	a.waiting += more.waiting
	own := a.shares[r.agent.Principal]
	own.running += more.running
	own.lent += more.lent
	own.waiting += more.waiting
	if own == (share{}) {
		delete(a.shares, r.agent.Principal)
		return
	}
	a.shares[r.agent.Principal] = own
}

// unblock waits for what a run depends on.
func (a *Agents) unblock(r *run) {
	for _, id := range r.agent.DependsOn {
		other, err := a.awaitEnd(r.ctx, id)
		switch {
		case r.ctx.Err() != nil:
			a.conclude(r, endingOf(context.Cause(r.ctx)))
			return
		case err != nil:
			a.conclude(r, ending{outcome: record.Failed, why: "it depends on " + id + ", which is not there any more"})
			return
		case other.Outcome != record.Completed && a.options.FailedDependency == FailDependents:
			a.conclude(r, ending{outcome: record.Failed, why: "it depends on " + id + ", which has ended as " + string(other.Outcome)})
			return
		}
	}
	_, _, err := a.change(a.life, r.id, record.AgentStatusUpdate, func(agent *record.Agent) error { return advance(agent, record.Queued) })
	if err != nil {
		a.conclude(r, ending{outcome: record.Failed, why: err.Error()})
		return
	}
	a.enqueue(r)
}

// now is the time as records have it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
