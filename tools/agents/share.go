package agents

import "github.com/dougu-go/dougu/internal/quota"

// share counts the agents of one principal: running ones, their lent places, and agents that are queued or blocked.
type share struct{ running, lent, waiting int }

// orderer is the agent, or for "" the main agent of a principal, that orders agents.
type orderer struct{ principal, parent string }

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
