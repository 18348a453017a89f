package driver

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteTable writes the report as Markdown tables: one of calls and one of held items. Times are medians with minimum and maximum;
// ratios compare costs.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s, %d CPUs, %d in flight, %d tools", r.Go, r.OS, r.Arch, r.CPUs, r.InFlight, r.Tools)
	for _, s := range Servers() {
		if version, ok := r.Versions[s.Name]; ok && s.Library != "" {
			fmt.Fprintf(&b, "; %s %s", s.Name, version)
		}
	}
	b.WriteString("\n")
	r.writeCells(&b)
	r.writeHeld(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeCells(b *strings.Builder) {
	if len(r.Cells) == 0 {
		return
	}
	b.WriteString("\n| workload | server | CPU a call | wall a call | × floor | × mcpgo | × gosdk | answer | peak RSS |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, c := range r.Cells {
		cpu := spreadOf(c.Samples, func(s Sample) time.Duration { return s.CPU })
		wall := spreadOf(c.Samples, func(s Sample) time.Duration { return s.Wall })
		rss := spreadOf(c.Samples, func(s Sample) int64 { return s.PeakRSS })
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			c.Workload, c.Server, times(cpu), times(wall),
			r.times(c, Floor), r.times(c, MCPGo), r.times(c, GoSDK),
			size(c.AnswerBytes), mebibytes(rss.Max))
	}
}

func (r *Report) writeHeld(b *strings.Builder) {
	if len(r.Held) == 0 {
		return
	}
	b.WriteString("\n| held open | server | count | RSS each | of it live | goroutines each | RSS in all | others wait | closed by the server | goroutines left |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, h := range r.Held {
		fmt.Fprintf(b, "| %s | %s | %d | %s | %s | %.2f | %s | %.1f ms | %d | %d |\n",
			h.Hold, h.Server, h.Count, kibibytes(h.Each()), kibibytes(h.Live()), h.Goroutines(),
			mebibytes(h.Full), milliseconds(h.Answer), h.Refused, h.Left())
	}
}

// times returns the cost of a cell as a multiple of another server's cost.
func (r *Report) times(c *Cell, server string) string {
	other := r.Cell(c.Workload, server)
	if other == nil || other == c {
		return ""
	}
	return fmt.Sprintf("%.3g", c.Ratio(other))
}

func times(s spread[time.Duration]) string {
	if s.Max == 0 {
		return "unknown"
	}
	unit, format := time.Microsecond, "%.1f µs [%.1f–%.1f]"
	if s.Median >= time.Millisecond {
		unit, format = time.Millisecond, "%.2f ms [%.2f–%.2f]"
	}
	in := func(d time.Duration) float64 { return float64(d) / float64(unit) }
	return fmt.Sprintf(format, in(s.Median), in(s.Min), in(s.Max))
}

func size(bytes int) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%d B", bytes)
}

func mebibytes(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
