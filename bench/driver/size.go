package driver

import (
	"fmt"
	"strings"
	"time"
)

// Size is an upper bound of the memory for held items. Zero fields have no bound, except NoGoroutines.
type Size struct {
	Hold         string
	Each         int64         // resident memory for each after a garbage collection, in bytes
	Live         int64         // objects and stacks for each, in bytes
	NoGoroutines bool          // no goroutine for each
	Total        int64         // memory of the server while all are open, in bytes
	Answer       time.Duration // longest response time of another client
}

func sizes() []Size {
	const answerLimit = 10 * time.Second
	return []Size{
		{Hold: IdleSessions, Each: 4 << 10, NoGoroutines: true, Answer: answerLimit},
		{Hold: IdleWebSockets, Live: 16 << 10, Answer: answerLimit},
		{Hold: IdleConnected, Live: 16 << 10, Answer: answerLimit},
		{Hold: Listens, Total: 400e6, Answer: answerLimit},
		{Hold: HalfOpen, Total: 400e6, Answer: answerLimit},
	}
}

// some is the share of goroutines and other resources that vary independently of the measurement.
const some = 0.01

// Judge implements Bound. Every Size also requires that the server releases everything after the clients have closed it.
func (s Size) Judge(r *Report) Verdict {
	v := Verdict{Workload: s.Hold, Demand: s.String(), Value: "not measured"}
	h := r.Holding(s.Hold, Dougu)
	if h == nil {
		return v
	}
	leftOver := float64(h.Left()) > some*float64(h.Count)+1
	v.Measured = true
	v.Passed = (s.Each == 0 || h.Each() <= s.Each) &&
		(s.Live == 0 || h.Live() <= s.Live) &&
		(!s.NoGoroutines || h.Goroutines() < some) &&
		(s.Total == 0 || h.Full <= s.Total) &&
		(s.Answer == 0 || h.Answer <= s.Answer) &&
		!leftOver
	var said []string
	if s.Each > 0 {
		said = append(said, kibibytes(h.Each())+" each")
	}
	if s.Live > 0 {
		said = append(said, kibibytes(h.Live())+" live each")
	}
	if s.NoGoroutines {
		said = append(said, fmt.Sprintf("%.2g goroutines each", h.Goroutines()))
	}
	if s.Total > 0 {
		said = append(said, mebibytes(h.Full)+" in all")
	}
	if s.Answer > 0 {
		said = append(said, fmt.Sprintf("others wait %.1f ms", milliseconds(h.Answer)))
	}
	if leftOver {
		said = append(said, fmt.Sprintf("%d goroutines are left over", h.Left()))
	}
	v.Value = strings.Join(said, ", ")
	return v
}

// String returns the text of the bound.
func (s Size) String() string {
	var all []string
	if s.Each > 0 {
		all = append(all, "≤ "+kibibytes(s.Each)+" each")
	}
	if s.Live > 0 {
		all = append(all, "≤ "+kibibytes(s.Live)+" live each")
	}
	if s.NoGoroutines {
		all = append(all, "no goroutines")
	}
	if s.Total > 0 {
		all = append(all, "≤ "+mebibytes(s.Total)+" in all")
	}
	if s.Answer > 0 {
		all = append(all, fmt.Sprintf("others wait ≤ %v", s.Answer))
	}
	return strings.Join(all, ", ")
}

func kibibytes(bytes int64) string { return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10)) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
