package telemetry

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp/errorclass"
)

// sessionTimeout is the time after its last call for which a session counts as active.
const sessionTimeout = 15 * time.Minute

// ServerStatsArgs are the arguments of get_server_stats.
type ServerStatsArgs struct {
	// Tool is a name prefix that selects the tools in ByTool. The sums include all tools.
	Tool string `json:"tool,omitempty" jsonschema:"Only tools with this prefix"`
}

// ServerStats describes the state of the server since the start of the Recorder. An authenticated
// principal gets only the counts of its own calls, without memory and goroutines, which describe
// all principals.
type ServerStats struct {
	// Name and Version identify the server, from Options.Server.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// StartedAt is the time at which the Recorder was created.
	StartedAt time.Time `json:"startedAt"`
	// Uptime is the time since StartedAt, in seconds.
	Uptime float64 `json:"uptime"`
	// OwnSince is the time at which the counts of the calling principal begin. It is zero if the
	// counts cover all principals.
	OwnSince time.Time `json:"ownSince,omitzero"`
	// Requests has the tool calls that have ended.
	Requests RequestStats `json:"requests"`
	// InFlight is the number of running calls, including this one.
	InFlight int64 `json:"inFlight"`
	// Sessions has the counts of sessions.
	Sessions SessionStats `json:"sessions"`
	// Clients lists the clients with at least one call, the busiest first. Names and versions are
	// unverified.
	Clients []ClientStats `json:"clients"`
	// Memory is the memory of the process; absent for authenticated principals.
	Memory MemoryStats `json:"memory,omitzero"`
	// Goroutines is the number of goroutines; absent for authenticated principals.
	Goroutines int `json:"goroutines,omitempty"`
	// GoVersion is the version of the Go runtime.
	GoVersion string `json:"goVersion"`
	// Truncated is true if the least busy tools or clients were left out to keep the answer short.
	// Set ServerStatsArgs.Tool to see fewer tools.
	Truncated bool `json:"truncated,omitempty"`
}

// RequestStats has the calls of all tools that have ended.
type RequestStats struct {
	// Total is the number of calls, with every outcome.
	Total int64 `json:"total"`
	Outcomes
	// ByTool has the counts by name of the tool.
	ByTool map[string]CallStats `json:"byTool"`
}

// CallStats has the calls of one tool that have ended.
type CallStats struct {
	// Count is the number of calls, with every outcome.
	Count int64 `json:"count"`
	Outcomes
}

// Outcomes counts the outcomes of calls other than success, and has their latency.
type Outcomes struct {
	// Errors is the number of calls that failed by a fault of the server.
	Errors int64 `json:"errors"`
	// ErrorsByCode counts Errors and Rejected by code: the code of a tool error, the number of a
	// protocol error, ERROR for an error without a code.
	ErrorsByCode map[string]int64 `json:"errorsByCode,omitempty"`
	// Rejected is the number of calls that failed by a mistake of the caller, for example invalid
	// arguments.
	Rejected int64 `json:"rejected,omitempty"`
	// Cancelled is the number of calls that the client cancelled. They are not errors.
	Cancelled int64 `json:"cancelled,omitempty"`
	// Asked is the number of rounds that ended with a question to the client.
	Asked int64 `json:"asked,omitempty"`
	// Latency covers the calls that succeeded or failed.
	Latency Latency `json:"latency"`
}

// Latency is a summary of durations in milliseconds. Quantiles are at most 3.2 % off; Max and Mean
// are exact to the microsecond.
type Latency struct {
	// P50, P95 and P99 are quantiles.
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	// Max is the longest and Mean the average duration.
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// SessionStats counts sessions. In revisions before 2026-07-28 a session begins with its handshake.
// Requests of 2026-07-28 share a session if client, principal and transport are equal. Calls within
// the process are one session. At most 4,096 sessions are remembered; a session that was evicted as
// the longest inactive one counts again at its next call.
type SessionStats struct {
	// Total is the number of sessions so far.
	Total int64 `json:"total"`
	// Active is the number of sessions with a call in the last 15 minutes.
	Active int64 `json:"active"`
}

// ClientStats has the calls of one client. At most 64 clients are counted by name, further clients
// together as "other".
type ClientStats struct {
	// Name and Version are the values that the client sends about itself.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Transport is the transport of its connection.
	Transport string `json:"transport,omitempty"`
	// Requests is the number of tool calls.
	Requests int64 `json:"requests"`
}

// MemoryStats is the memory of the process, in bytes.
type MemoryStats struct {
	// Heap is the size of objects, live or not yet swept.
	Heap int64 `json:"heap"`
	// Sys is the memory that the Go runtime has obtained from the operating system.
	Sys int64 `json:"sys"`
	// RSS is the resident set size; 0 on systems other than Linux.
	RSS int64 `json:"rss,omitempty"`
}

// ServerStats returns the state of the server. The error is always nil.
func (t *Telemetry) ServerStats(ctx context.Context, args ServerStatsArgs) (ServerStats, error) {
	r := t.recorder
	s := ServerStats{
		Name: t.options.Server.Name, Version: t.options.Server.Version, GoVersion: runtime.Version(),
		StartedAt: formatTime(r.began), Uptime: float64(time.Since(r.began).Milliseconds()) / 1_000,
	}
	if own := r.principalRecorder(ctx); own != nil {
		r, s.OwnSince = own, formatTime(own.began)
	} else {
		s.Memory, s.Goroutines = readMemory(), runtime.NumGoroutine()
	}
	s.InFlight = r.inFlight.Load()
	s.Sessions = SessionStats{Total: r.sessions.total.Load(), Active: r.sessions.active(time.Since(r.began) - sessionTimeout)}
	all := r.tools.all()
	sum := summary(slices.Collect(maps.Values(all))...)
	s.Requests.Total, s.Requests.Outcomes = sum.Count, sum.Outcomes
	room := t.room(s)

	names := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(name string) bool { return !strings.HasPrefix(name, args.Tool) })
	byTool := make(map[string]CallStats, len(names))
	for _, name := range names {
		byTool[name] = summary(all[name])
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(byTool[b].Count, byTool[a].Count), cmp.Compare(a, b))
	})
	s.Requests.ByTool, room, s.Truncated = selectEntries(room, names, byTool)
	var cut bool
	s.Clients, cut = selectClients(room, r.sessions.clients.all())
	s.Truncated = s.Truncated || cut
	return s, nil
}

// formatTime returns a time in UTC, truncated to milliseconds.
func formatTime(t time.Time) time.Time { return t.UTC().Round(0).Truncate(time.Millisecond) }

// summary adds up the counts of tools.
func summary(counts ...*toolCount) CallStats {
	var s CallStats
	var took durations
	var codes codeCounts
	for _, c := range counts {
		c.mu.Lock()
		for code, n := range c.codes {
			codes.add(code, n)
			if errorclass.ByCaller(code) {
				s.Rejected += n
			} else {
				s.Errors += n
			}
		}
		c.mu.Unlock()
		s.Cancelled += c.ended[cancelled].Load()
		s.Asked += c.ended[asked].Load()
		s.Count += c.ended[succeeded].Load()
		took.add(&c.took)
	}
	s.Count += s.Errors + s.Rejected + s.Cancelled + s.Asked
	s.ErrorsByCode, s.Latency = codes, took.latency()
	return s
}

// selectClients returns as many clients as fit into room bytes, the busiest first.
func selectClients(room int, counts []*clientCount) (shown []ClientStats, cut bool) {
	all := make([]ClientStats, 0, len(counts))
	for _, c := range counts {
		all = append(all, ClientStats{Name: c.name, Version: c.version, Transport: c.transport, Requests: c.requests.Load()})
	}
	slices.SortFunc(all, func(a, b ClientStats) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Transport, b.Transport))
	})
	for i, client := range all {
		if room -= sizeOf(client) + 1; room < 0 {
			return all[:i], true
		}
	}
	return all, false
}
