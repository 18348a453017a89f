package driver

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Bound is something that is asked of this library: a Bar or a Size.
type Bound interface {
	// Judge compares a report with what is asked.
	Judge(*Report) Verdict
}

// Bar is a bound on what a call to this library may cost, relative to others in
// the same run.
type Bar struct {
	Workload string
	Against  []string      // the servers compared with; the cheapest of them counts
	Together bool          // all of them count, with the sum of their costs
	Ratio    float64       // the cost is at most so many times theirs
	More     time.Duration // where Ratio is 0: the cost is at most so much above theirs
}

// Bars returns the bounds that this library sets itself.
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

// Verdict is what a report says of a Bound.
type Verdict struct {
	Workload string
	Demand   string // what the bound asks for
	Measured bool   // whether the run has all that the bound compares
	Passed   bool   // false when not measured
	Value    string // what was measured, for people
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

// String says what the bar asks for.
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.Workload, v.Demand, v.Value, outcome)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
