//go:build unix

package budget

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "write the measured sizes into the tables")

// renew is the command that writes the tables.
const renew = "go test -count=1 -run Definitions ./internal/test/budget -update"

// TestDefinitions_Budget starts each program in each profile, with and without its optional parts, and compares the sizes of its
// definitions with the tables.
func TestDefinitions_Budget(t *testing.T) {
	var names []string
	sizes := make(map[string]size)
	for _, s := range servers(t) {
		names = append(names, s.name())
		t.Run(s.name(), func(t *testing.T) { sizes[s.name()] = s.measure(t) })
	}
	if t.Failed() {
		return
	}
	if *update {
		writeTables(t, names, sizes)
		return
	}
	tables := readTables(t)
	for _, name := range names {
		table, ok := tables[name]
		if !ok {
			t.Errorf("%s has no budget.", name)
			continue
		}
		for _, problem := range sizes[name].compare(table) {
			t.Errorf("%s: %s", name, problem)
		}
		delete(tables, name)
	}
	for name := range tables {
		t.Errorf("%s is in the table, and no program has this profile.", name)
	}
	if t.Failed() {
		t.Log("If these sizes are intended: " + renew)
	}
}
