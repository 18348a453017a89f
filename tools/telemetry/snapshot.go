package telemetry

import (
	"maps"
	"time"
)

// Snapshot is a copy of the counts of a Recorder, for export to other programs. Counters never
// decrease.
type Snapshot struct {
	// StartedAt is the time at which the Recorder was created.
	StartedAt time.Time
	// Requests has the ended requests by method, measured by Recorder.Requests. Tools has the ended
	// calls by tool, measured by Recorder.Middleware.
	Requests, Tools map[string]Calls
	// RunningRequests is the number of running requests, and RunningCalls that of running tool calls.
	RunningRequests, RunningCalls int64
	// Sessions has the counts of sessions.
	Sessions SessionStats
	// Clients lists clients with their calls, unordered.
	Clients []ClientStats
	// Memory is the memory of the process.
	Memory MemoryStats
}

// Calls has the ended calls of one tool, or the ended requests of one method.
type Calls struct {
	// Succeeded, Failed, Cancelled and Asked count the calls by outcome, see Outcomes.
	Succeeded, Failed, Cancelled, Asked int64
	// Rejected counts errors by a mistake of the caller, for example invalid arguments. Failed does
	// not include them.
	Rejected int64
	// ErrorsByCode counts Failed and Rejected by the code of the error.
	ErrorsByCode map[string]int64
	// Durations has the durations of the calls that succeeded or failed.
	Durations Durations
}

// Durations is an immutable distribution of durations. The zero value is empty.
type Durations struct{ of *durations }

// Count returns the number of durations.
func (d Durations) Count() int64 {
	if d.of == nil {
		return 0
	}
	return int64(d.of.n)
}

// Sum returns the sum of all durations.
func (d Durations) Sum() time.Duration {
	if d.of == nil {
		return 0
	}
	return time.Duration(d.of.sum)
}

// CountUpTo returns the number of durations up to most, a limit that is at most 3.2 % off.
func (d Durations) CountUpTo(most time.Duration) (n int64) {
	if d.of == nil {
		return 0
	}
	for i, c := range d.of.counts {
		if bucketMiddle(i) > float64(most) {
			break
		}
		n += int64(c)
	}
	return n
}

// Snapshot returns a copy of the present counts.
func (r *Recorder) Snapshot() Snapshot {
	s := Snapshot{
		StartedAt: r.began, Requests: snapshotCalls(r.methods.all()), Tools: snapshotCalls(r.tools.all()),
		RunningRequests: r.requesting.Load(), RunningCalls: r.inFlight.Load(),
		Sessions: SessionStats{Total: r.sessions.total.Load(), Active: r.sessions.active(time.Since(r.began) - sessionTimeout)},
		Memory:   readMemory(),
	}
	for _, c := range r.sessions.clients.all() {
		s.Clients = append(s.Clients, ClientStats{Name: c.name, Version: c.version, Transport: c.transport, Requests: c.requests.Load()})
	}
	return s
}

func snapshotCalls(counts map[string]*toolCount) map[string]Calls {
	all := make(map[string]Calls, len(counts))
	for name, c := range counts {
		took := new(durations)
		took.add(&c.took)
		calls := Calls{
			Succeeded: c.ended[succeeded].Load(), Failed: c.ended[failed].Load(), Rejected: c.ended[rejected].Load(), Cancelled: c.ended[cancelled].Load(), Asked: c.ended[asked].Load(),
			Durations: Durations{took},
		}
		c.mu.Lock()
		calls.ErrorsByCode = maps.Clone(map[string]int64(c.codes))
		c.mu.Unlock()
		all[name] = calls
	}
	return all
}
