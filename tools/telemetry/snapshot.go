package telemetry

import (
	"maps"
	"time"
)

// Snapshot is what a Recorder has counted until a moment, for programs that show it elsewhere. Counts only grow.
type Snapshot struct {
	StartedAt time.Time
	// Requests are those that Requests has measured, by method, and Tools the calls that Middleware has, by tool.
	Requests, Tools map[string]Calls
	// Requesting and Calling are those that are running.
	Requesting, Calling int64
	Sessions            SessionStats
	Clients             []ClientStats // in no order
	Memory              MemoryStats
}

// Calls are the calls of one tool, or the requests of one method, that have ended.
type Calls struct {
	Succeeded, Failed, Cancelled, Asked int64
	// Rejected are those that were answered with an error for a mistake of the caller, like wrong arguments. They are not among
	// Failed. ErrorsByCode has the codes of both.
	Rejected     int64
	ErrorsByCode map[string]int64
	// Took are those that succeeded or failed.
	Took Durations
}

// Durations tell how long something took. The zero value is of nothing.
type Durations struct{ of *durations }

// Count is how often it was measured.
func (d Durations) Count() int64 {
	if d.of == nil {
		return 0
	}
	return int64(d.of.n)
}

// Sum is how long all took together.
func (d Durations) Sum() time.Duration {
	if d.of == nil {
		return 0
	}
	return time.Duration(d.of.sum)
}

// AtMost is how many took no longer than most, which is at most 3.2 % off.
func (d Durations) AtMost(most time.Duration) (n int64) {
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

// Snapshot is what was counted until now.
func (r *Recorder) Snapshot() Snapshot {
	s := Snapshot{
		StartedAt: r.began, Requests: snapshotCalls(r.methods.all()), Tools: snapshotCalls(r.tools.all()),
		Requesting: r.requesting.Load(), Calling: r.inFlight.Load(),
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
			Took: Durations{took},
		}
		c.mu.Lock()
		calls.ErrorsByCode = maps.Clone(map[string]int64(c.codes))
		c.mu.Unlock()
		all[name] = calls
	}
	return all
}
