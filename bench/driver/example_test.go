package driver_test

import (
	"fmt"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// A bar compares the measurements of a run, here 30 µs and 60 µs for each call.
func ExampleBar_Judge() {
	took := func(server string, cpu time.Duration) *driver.Cell {
		return &driver.Cell{Workload: driver.Small, Server: server, Samples: []driver.Sample{{CPU: cpu, Wall: cpu}}}
	}
	report := &driver.Report{Cells: []*driver.Cell{
		took(driver.MCPGo, 60*time.Microsecond),
		took(driver.Dougu, 30*time.Microsecond),
	}}
	bar := driver.Bar{Workload: driver.Small, Against: []string{driver.MCPGo}, Ratio: 0.5}
	verdict := bar.Judge(report)
	fmt.Println(bar, "|", verdict.Value, "|", verdict.Passed)
	// Output: ≤ 0.5 × mcpgo | 0.5 × mcpgo | true
}
