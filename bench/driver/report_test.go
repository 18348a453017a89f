package driver

import (
	"strings"
	"testing"
	"time"
)

// made returns a report of one workload with a sample of each server in each round.
func made(workload string, costs map[string][]time.Duration) *Report {
	r := &Report{Go: "go1", OS: "plan9", Arch: "mips", CPUs: 2, InFlight: 16, Tools: 50,
		Versions: map[string]string{MCPGo: "v1.2.1"}}
	for _, s := range Servers() {
		samples, ok := costs[s.Name]
		if !ok {
			continue
		}
		cell := r.add(workload, 10, []entrant{{name: s.Name}})[0]
		cell.AnswerBytes = 100
		for _, cost := range samples {
			cell.Samples = append(cell.Samples, Sample{CPU: cost, Wall: 2 * cost, PeakRSS: 3 << 20})
		}
	}
	return r
}

const us = time.Microsecond

func TestReport_RatioByRound(t *testing.T) {
	t.Parallel()
	// The machine was busy in the second round: both costs are ten times higher.
	r := made(Small, map[string][]time.Duration{
		Floor: {10 * us, 100 * us, 12 * us},
		Dougu: {20 * us, 150 * us, 30 * us},
	})
	if got := r.Cell(Small, Dougu).Ratio(r.Cell(Small, Floor)); got != 2 {
		t.Errorf("the ratio is %v, want the median of 2, 1.5 and 2.5", got)
	}
	if got := r.Cell(Small, Floor).Cost(); got != 12*us {
		t.Errorf("the cost is %v, want the median", got)
	}
	if r.Cell(Small, GoSDK) != nil || r.Cell(List, Floor) != nil {
		t.Error("there is a cell for what was not measured")
	}
}

func TestReport_WallTime(t *testing.T) {
	t.Parallel()
	c := &Cell{Workload: Small, Samples: []Sample{{Wall: 4 * us}, {Wall: 6 * us}}}
	if got := c.Cost(); got != 5*us {
		t.Errorf("the cost without processor time is %v, want 5 µs", got)
	}
	start := &Cell{Workload: Start, Samples: []Sample{{CPU: 1 * us, Wall: 9 * us}}}
	if got := start.Cost(); got != 9*us {
		t.Errorf("the cost of a start is %v, want the wall time", got)
	}
	if got := (&Cell{}).Cost(); got != 0 {
		t.Errorf("the cost of nothing is %v", got)
	}
}

func TestReport_Table(t *testing.T) {
	t.Parallel()
	r := made(Search, map[string][]time.Duration{
		Floor: {10 * us, 11 * us, 12 * us},
		MCPGo: {3000 * us, 2000 * us, 2500 * us},
	})
	r.Cell(Search, Floor).Samples[1].PeakRSS = 5 << 20
	unknown := r.add(Start, 1, []entrant{{name: Floor}})[0]
	unknown.Samples = []Sample{{Wall: 20 * time.Millisecond}}
	const want = `go1 plan9/mips, 2 CPUs, 16 in flight, 50 tools; mcpgo v1.2.1

| workload | server | CPU a call | wall a call | × floor | × mcpgo | × gosdk | answer | peak RSS |
|---|---|---:|---:|---:|---:|---:|---:|---:|
| search | floor | 11.0 µs [10.0–12.0] | 22.0 µs [20.0–24.0] |  | 0.0048 |  | 100 B | 5.0 MiB |
| search | mcpgo | 2.50 ms [2.00–3.00] | 5.00 ms [4.00–6.00] | 208 |  |  | 100 B | 3.0 MiB |
| start | floor | unknown | 20.00 ms [20.00–20.00] |  |  |  |  | unknown |
`
	var got strings.Builder
	if err := r.WriteTable(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestBar_Judge(t *testing.T) {
	t.Parallel()
	peers := []string{MCPGo, GoSDK}
	costs := map[string][]time.Duration{Floor: {10 * us}, MCPGo: {80 * us}, GoSDK: {40 * us}, Dougu: {10 * us}}
	tests := []struct {
		name             string
		bar              Bar
		workload         string
		measured, passed bool
		says             string
	}{
		{"met to the point", Bar{Workload: Small, Against: []string{Floor}, Ratio: 1}, Small, true, true, "1 × floor"},
		{"met", Bar{Workload: Small, Against: []string{MCPGo}, Ratio: .5}, Small, true, true, "0.125 × mcpgo"},
		{"not met", Bar{Workload: Small, Against: []string{MCPGo}, Ratio: .1}, Small, true, false, "0.125 × mcpgo"},
		{"the cheaper peer counts", Bar{Workload: Small, Against: peers, Ratio: .2}, Small, true, false, "0.25 × gosdk"},
		{"a difference met", Bar{Workload: Start, Against: []string{Floor}, More: time.Millisecond}, Start, true, true, "floor +0.0 ms"},
		{"a difference not met", Bar{Workload: Start, Against: []string{MCPGo}, More: -time.Millisecond}, Start, true, false, "mcpgo -0.1 ms"},
		{"a sum", Bar{Workload: Small, Against: []string{GoSDK, Floor}, Together: true, Ratio: .2}, Small, true, true, "0.2 × (gosdk + floor)"},
		{"a sum not measured", Bar{Workload: Small, Against: []string{GoSDK, Echo}, Together: true, Ratio: .2}, Small, false, false, "not measured"},
		{"another workload", Bar{Workload: List, Against: peers, Ratio: 1}, Small, false, false, "not measured"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := test.bar.Judge(made(test.workload, costs))
			if v.Measured != test.measured || v.Passed != test.passed || v.Value != test.says {
				t.Errorf("got %+v, want measured %t, passed %t: %s", v, test.measured, test.passed, test.says)
			}
		})
	}
	if v := tests[0].bar.Judge(made(Small, map[string][]time.Duration{Floor: {us}})); v.Measured || v.Passed {
		t.Errorf("without the server that the bars are for, got %+v", v)
	}
}

func TestWriteVerdicts_Table(t *testing.T) {
	t.Parallel()
	r := made(Small, map[string][]time.Duration{Floor: {10 * us}, MCPGo: {40 * us}, Dougu: {22 * us}})
	var verdicts []Verdict
	for _, bar := range Bars() {
		if v := bar.Judge(r); v.Workload == Small || v.Workload == Start {
			verdicts = append(verdicts, v)
		}
	}
	const want = `| workload | bar | measured | |
|---|---|---|---|
| small | ≤ 0.5 × mcpgo | 0.55 × mcpgo | FAIL |
| small | ≤ 0.125 × gosdk | not measured | — |
| small | ≤ 2.5 × floor | 2.2 × floor | pass |
| start | ≤ floor +5.0 ms | not measured | — |
`
	var got strings.Builder
	if err := WriteVerdicts(&got, verdicts); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
