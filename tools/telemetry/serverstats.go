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

// sessionTimeout is how long after its last call a session counts as active.
const sessionTimeout = 15 * time.Minute

// ServerStatsArgs are the arguments of get_server_stats.
type ServerStatsArgs struct {
	// Tool is the beginning of the names of those tools that are named; the sums are those of all.
	Tool string `json:"tool,omitempty" jsonschema:"Only tools with this prefix"`
}

// ServerStats tells how the server does. Its time begins with the Recorder. A principal that was authenticated gets the figures of
// its own calls alone, and neither memory nor goroutines, which tell of others.
type ServerStats struct {
	Name      string    `json:"name,omitempty"`
	Version   string    `json:"version,omitempty"`
	StartedAt time.Time `json:"startedAt"`
	// Uptime is in seconds.
	Uptime float64 `json:"uptime"`
	// OwnSince is the time at which the figures of the calling principal begin. It is not set where the figures are of all principals.
	OwnSince time.Time    `json:"ownSince,omitzero"`
	Requests RequestStats `json:"requests"`
	// InFlight are the calls that are running, this one included.
	InFlight int64        `json:"inFlight"`
	Sessions SessionStats `json:"sessions"`
	// Clients are those that have called, the busiest first. What they say of themselves is not proven.
	Clients    []ClientStats `json:"clients"`
	Memory     MemoryStats   `json:"memory,omitzero"`
	Goroutines int           `json:"goroutines,omitempty"`
	GoVersion  string        `json:"goVersion"`
	// Truncated says that tools or clients were left out, the least busy ones, to keep the answer short. Ask for tools by the
	// beginning of their name.
	Truncated bool `json:"truncated,omitempty"`
}

// RequestStats is what is known of the calls of all tools that have ended.
type RequestStats struct {
	Total int64 `json:"total"`
	Endings
	ByTool map[string]CallStats `json:"byTool"`
}

// CallStats is what is known of the calls of one tool that have ended.
type CallStats struct {
	Count int64 `json:"count"`
	Endings
}

// Endings tells how calls have ended, those aside that simply went well.
type Endings struct {
	// Errors are the calls that failed, and Rejected those that were answered with an error for a mistake of the caller, like
	// wrong arguments. ErrorsByCode has them by the code of the error: that of a tool error, the number of a
	// protocol error, ERROR for one that has no code.
	Errors       int64            `json:"errors"`
	ErrorsByCode map[string]int64 `json:"errorsByCode,omitempty"`
	Rejected     int64            `json:"rejected,omitempty"`
	// Cancelled are the calls that the client gave up. They are no errors.
	Cancelled int64 `json:"cancelled,omitempty"`
	// Asked are the rounds that ended with a question to the client.
	Asked int64 `json:"asked,omitempty"`
	// Latency is that of the calls that succeeded or failed.
	Latency Latency `json:"latency"`
}

// Latency sums up how long calls took, in milliseconds. The quantiles are at most 3.2 % off; Max and Mean are exact to the
// microsecond.
type Latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// SessionStats counts sessions. A session of a revision before 2026-07-28 is one from its handshake on; requests of 2026-07-28
// belong together when client, principal and transport are the same. Calls of the program itself are one session. Of more than
// 4,096 some are forgotten, those that have been silent for long, and count again when they come back.
type SessionStats struct {
	Total  int64 `json:"total"`
	Active int64 `json:"active"` // has called something in the last 15 minutes
}

// ClientStats is what is known of a client. At most 64 are told apart; more are counted together as "other".
type ClientStats struct {
	Name      string `json:"name"`
	Version   string `json:"version,omitempty"`
	Transport string `json:"transport,omitempty"`
	Requests  int64  `json:"requests"`
}

// MemoryStats is the memory of the process, in bytes.
type MemoryStats struct {
	Heap int64 `json:"heap"`          // objects, alive or not yet swept
	Sys  int64 `json:"sys"`           // what the runtime has from the system
	RSS  int64 `json:"rss,omitempty"` // what is in main memory, where the system tells: Linux
}

// ServerStats tells how the server does. There is no error.
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
	s.Requests.Total, s.Requests.Endings = sum.Count, sum.Endings
	room := t.room(s)

	names := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(name string) bool { return !strings.HasPrefix(name, args.Tool) })
	byTool := make(map[string]CallStats, len(names))
	for _, name := range names {
		byTool[name] = summary(all[name])
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(byTool[b].Count, byTool[a].Count), cmp.Compare(a, b))
	})
	s.Requests.ByTool, room, s.Truncated = fitEntries(room, names, byTool)
	var cut bool
	s.Clients, cut = fitClients(room, r.sessions.clients.all())
	s.Truncated = s.Truncated || cut
	return s, nil
}

// formatTime is a time as answers have it.
func formatTime(t time.Time) time.Time { return t.UTC().Round(0).Truncate(time.Millisecond) }

// summary puts the counts of tools together.
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

// fitClients are the clients for which there is room, the busiest first.
func fitClients(room int, counts []*clientCount) (shown []ClientStats, cut bool) {
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
