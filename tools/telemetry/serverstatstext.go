package telemetry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp/errorclass"
)

// TextContent returns the text form of the result: the server, all calls, then one line per tool
// and per client.
func (s ServerStats) TextContent() string {
	var b strings.Builder
	if name := strings.TrimSpace(s.Name + " " + s.Version); name != "" {
		b.WriteString(name + ", ")
	}
	fmt.Fprintf(&b, "up %v since %s, %s\n", time.Duration(s.Uptime)*time.Second, s.StartedAt.Format(time.RFC3339), s.GoVersion)
	if !s.OwnSince.IsZero() {
		fmt.Fprintf(&b, "only your own calls, since %s\n", s.OwnSince.Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "%d running, %s (%d active)", s.InFlight, pluralize(s.Sessions.Total, "session"), s.Sessions.Active)
	if s.OwnSince.IsZero() {
		fmt.Fprintf(&b, ", %d goroutines, memory: heap %s, sys %s", s.Goroutines, mebibytes(s.Memory.Heap), mebibytes(s.Memory.Sys))
	}
	if s.Memory.RSS > 0 {
		fmt.Fprintf(&b, ", rss %s", mebibytes(s.Memory.RSS))
	}
	fmt.Fprintf(&b, "\nall\t%s\n", CallStats{s.Requests.Total, s.Requests.Outcomes}.text())
	names := slices.SortedFunc(maps.Keys(s.Requests.ByTool), func(x, y string) int {
		return cmp.Or(cmp.Compare(s.Requests.ByTool[y].Count, s.Requests.ByTool[x].Count), cmp.Compare(x, y))
	})
	for _, name := range names {
		fmt.Fprintf(&b, "%s\t%s\n", name, s.Requests.ByTool[name].text())
	}
	for _, c := range s.Clients {
		fmt.Fprintf(&b, "client %s\t%s\n", strings.Join(strings.Fields(c.Name+" "+c.Version+" "+c.Transport), " "), pluralize(c.Requests, "call"))
	}
	if s.Truncated {
		b.WriteString("[truncated: set tool to a name prefix to see further tools]\n")
	}
	return b.String()
}

// text formats the counts as one line.
func (c CallStats) text() string {
	var b strings.Builder
	b.WriteString(pluralize(c.Count, "call"))
	if c.Errors > 0 {
		b.WriteString(", " + pluralize(c.Errors, "error") + c.codes(false))
	}
	if c.Rejected > 0 {
		fmt.Fprintf(&b, ", %d rejected%s", c.Rejected, c.codes(true))
	}
	if c.Cancelled > 0 {
		fmt.Fprintf(&b, ", %d cancelled", c.Cancelled)
	}
	if c.Asked > 0 {
		fmt.Fprintf(&b, ", %d asked", c.Asked)
	}
	if l := c.Latency; l.Max > 0 {
		fmt.Fprintf(&b, "; ms p50 %v p95 %v p99 %v max %v mean %v", l.P50, l.P95, l.P99, l.Max, l.Mean)
	}
	return b.String()
}

// codes formats the error codes of mistakes of the caller, or else those of faults of the server.
func (c CallStats) codes(byCaller bool) string {
	var codes []string
	for _, code := range slices.Sorted(maps.Keys(c.ErrorsByCode)) {
		if errorclass.ByCaller(code) == byCaller {
			codes = append(codes, fmt.Sprintf("%s %d", code, c.ErrorsByCode[code]))
		}
	}
	return " (" + strings.Join(codes, ", ") + ")"
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
