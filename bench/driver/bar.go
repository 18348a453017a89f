package driver

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Bound is a requirement on this library: a Bar or a Size.
type Bound interface {
	// Judge compares a report with the bound.
	Judge(*Report) Verdict
}

// Bar is an upper bound of the cost of a call to this library, relative to other servers in the same run.
type Bar struct {
	Workload string
	Against  []string      // servers to compare with; the cheapest counts
	Together bool          // compare with the sum of their costs
	Ratio    float64       // upper limit of the ratio of costs
	More     time.Duration // if Ratio is 0: upper limit of the difference of costs
}

// Bars returns the bounds of this library.
func Bars() []Bound {
	var all []Bound
	for _, b := range costs() {
		all = append(all, b)
	}
	for _, b := range sizes() {
		all = append(all, b)
	}
	return all
}

func costs() []Bar {
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
		{Workload: HTTPStateless, Against: []string{MCPGo}, Ratio: 1. / 2},
		{Workload: HTTPStateless, Against: []string{GoSDK}, Ratio: 1. / 5},
		{Workload: HTTPSession, Against: []string{Floor}, Ratio: 1.5},
		{Workload: WebSocket, Against: []string{DouguPipes, Echo}, Together: true, Ratio: 1.5},
	}
}

// Verdict is the result of a Bound for a report.
type Verdict struct {
	Workload string
	Demand   string // text of the bound
	Measured bool   // whether the run contains all measurements of the bound
	Passed   bool   // false if not Measured
	Value    string // measured value, for people
}

// Judge implements Bound.
func (b Bar) Judge(r *Report) Verdict {
	v := Verdict{Workload: b.Workload, Demand: b.String(), Value: "not measured"}
	ours := r.Cell(b.Workload, Dougu)
	var others []*Cell
	for _, name := range b.Against {
		other := r.Cell(b.Workload, name)
		if other == nil {
			return v
		}
		others = append(others, other)
	}
	if ours == nil || len(others) == 0 {
		return v
	}
	slices.SortStableFunc(others, func(x, y *Cell) int { return cmp.Compare(x.Cost(), y.Cost()) })
	against := others[0].Server
	if b.Together {
		against = b.against()
	} else {
		others = others[:1]
	}
	v.Measured = true
	if b.Ratio > 0 {
		ratio := ours.Ratio(others...)
		v.Passed, v.Value = ratio <= b.Ratio, fmt.Sprintf("%.3g × %s", ratio, against)
	} else {
		more := ours.Cost() - others[0].Cost()
		v.Passed, v.Value = more <= b.More, fmt.Sprintf("%s %+.1f ms", against, float64(more)/float64(time.Millisecond))
	}
	return v
}

// String returns the text of the bar.
func (b Bar) String() string {
	if b.Ratio > 0 {
		return fmt.Sprintf("≤ %.3g × %s", b.Ratio, b.against())
	}
	return fmt.Sprintf("≤ %s %+.1f ms", b.against(), float64(b.More)/float64(time.Millisecond))
}

func (b Bar) against() string {
	if b.Together {
		return "(" + strings.Join(b.Against, " + ") + ")"
	}
	return strings.Join(b.Against, " or ")
}

// WriteVerdicts writes verdicts as a Markdown table.
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.Workload, v.Demand, v.Value, outcome)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
