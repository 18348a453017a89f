package main

import (
	"regexp"
	"testing"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
)

func TestRun(t *testing.T) {
	t.Parallel()
	out := drivertest.Run(run).Output(t)
	rows := []string{`\| dougu \| 9 \| [0-9]{4} \|`, `\| Serena \(modelled\) \| 10 \| [0-9]{5} \|`, `\| \*\*all\*\* \| 21 \| [0-9]+ \| [0-9]+ \| [0-9]+ \|`}
	for _, task := range tasks() {
		rows = append(rows, `\| `+regexp.QuoteMeta(task.name)+` \| [12] \| [0-9]+ \| [12] \| [0-9]+ \|`)
	}
	drivertest.Rows(t, out, rows...)
}

func TestRun_Arguments(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"more"}, []string{"-unknown"})
}
