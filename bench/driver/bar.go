package driver

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Bar is a bound on what a call to this library may cost, relative to others in
// the same run.
type Bar struct {
	Workload string
	Against  []string      // the servers compared with; the cheapest of them counts
	Ratio    float64       // the cost is at most so many times theirs
	More     time.Duration // where Ratio is 0: the cost is at most so much above theirs
}

// Bars returns the bounds that this library sets itself.
func Bars() []Bar {
	peers := []string{MCPGo, GoSDK}
	return []Bar{
		{Workload: Small, Against: []string{MCPGo}, Ratio: 1. / 2},
		{Workload: Small, Against: []string{GoSDK}, Ratio: 1. / 8},
		{Workload: Small, Against: []string{Floor}, Ratio: 2.5},
		{Workload: Search, Against: []string{MCPGo}, Ratio: 1. / 2},
		{Workload: List, Against: []string{MCPGo}, Ratio: 1. / 20},
		{Workload: Text64K, Against: peers, Ratio: 1. / 4},
		{Workload: Text64K, Against: []string{Floor}, Ratio: 1},
		{Workload: Text1M, Against: peers, Ratio: 1. / 4},
		{Workload: Text1M, Against: []string{Floor}, Ratio: 1},
		{Workload: Start, Against: []string{Floor}, More: 5 * time.Millisecond},
	}
}

// Verdict is what a report says of a Bar.
type Verdict struct {
	Bar      Bar
	Measured bool   // whether the run has all that the bar compares
	Passed   bool   // false when not measured
	Value    string // what was measured, for people
}

// Judge compares a report with a bar.
func (b Bar) Judge(r *Report) Verdict {
	v := Verdict{Bar: b, Value: "not measured"}
	ours, cheapest := r.Cell(b.Workload, Dougu), (*Cell)(nil)
	for _, name := range b.Against {
		other := r.Cell(b.Workload, name)
		if other == nil {
			return v
		}
		if cheapest == nil || other.Cost() < cheapest.Cost() {
			cheapest = other
		}
	}
	if ours == nil || cheapest == nil {
		return v
	}
	v.Measured = true
	if b.Ratio > 0 {
		ratio := ours.Ratio(cheapest)
		v.Passed, v.Value = ratio <= b.Ratio, fmt.Sprintf("%.3g × %s", ratio, cheapest.Server)
	} else {
		more := ours.Cost() - cheapest.Cost()
		v.Passed, v.Value = more <= b.More, fmt.Sprintf("%s %+.1f ms", cheapest.Server, float64(more)/float64(time.Millisecond))
	}
	return v
}

// String says what the bar asks for.
func (b Bar) String() string {
	against := strings.Join(b.Against, " or ")
	if b.Ratio > 0 {
		return fmt.Sprintf("≤ %.3g × %s", b.Ratio, against)
	}
	return fmt.Sprintf("≤ %s %+.1f ms", against, float64(b.More)/float64(time.Millisecond))
}

// WriteVerdicts writes verdicts as a table in Markdown.
func WriteVerdicts(w io.Writer, verdicts []Verdict) error {
	var b strings.Builder
	b.WriteString("| workload | bar | measured | |\n|---|---|---|---|\n")
	for _, v := range verdicts {
		outcome := "FAIL"
		switch {
		case !v.Measured:
			outcome = "—"
		case v.Passed:
			outcome = "pass"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.Bar.Workload, v.Bar, v.Value, outcome)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
