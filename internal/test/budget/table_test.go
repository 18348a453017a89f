package budget

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// size is the size of the definitions of a server, in bytes.
type size struct {
	list         int // of the result of tools/list
	instructions int
	tools        map[string]int // of each definition, by name
}

// The limits of a size, relative to the size in the tables. A smaller one makes the tables stale: the definitions could grow to the
// former size unnoticed. A difference of fewBytes is always allowed.
const (
	maxGrowth = 1.03
	minSize   = 0.90
	fewBytes  = 16
)

// compare returns the differences to the size in the tables that are not allowed, each as a sentence.
func (s size) compare(table size) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		if table.tools[name] == 0 {
			problems = append(problems, fmt.Sprintf("The tool %s is listed, with %d bytes, and the table lacks it.", name, s.tools[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table.tools)) {
		if s.tools[name] == 0 {
			problems = append(problems, fmt.Sprintf("The tool %s is not listed any more.", name))
		}
	}
	for _, part := range []struct {
		name        string
		now, before int
		cause       string
	}{{"tools/list", s.list, table.list, s.cause(table)}, {"the instructions", s.instructions, table.instructions, ""}} {
		before := float64(part.before)
		most, least := max(int(before*maxGrowth), part.before+fewBytes), min(int(before*minSize), part.before-fewBytes)
		switch {
		case part.now > most:
			problems = append(problems, fmt.Sprintf("The size of %s is %d bytes, over the budget of %d (%d and %.0f %%)%s.",
				part.name, part.now, most, part.before, (maxGrowth-1)*100, part.cause))
		case part.now < least:
			problems = append(problems, fmt.Sprintf("The size of %s is %d bytes, and the budget for %d bytes is stale.", part.name, part.now, part.before))
		}
	}
	return problems
}

// cause names the tool that has grown most.
func (s size) cause(table size) string {
	most, grown := "", 0
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		if growth := s.tools[name] - table.tools[name]; growth > grown {
			most, grown = name, growth
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf("; %s has grown most, from %d to %d bytes", most, table.tools[most], s.tools[most])
}

// The tables: one row for each server, and one row for each tool of each server.
const (
	serversTable = "testdata/servers.tsv"
	toolsTable   = "testdata/tools.tsv"

	serversHeader = "# Bytes of the definitions of each program in each profile: server, number of tools, bytes of tools/list, bytes of the instructions.\n"
	toolsHeader   = "# Bytes of each definition in servers.tsv: server, tool, bytes.\n"
)

// readTables reads the tables, by the name of the server.
func readTables(t *testing.T) map[string]size {
	t.Helper()
	all := make(map[string]size)
	for _, row := range readRows(t, serversTable, 4) {
		all[row[0]] = size{list: number(t, row[2]), instructions: number(t, row[3]), tools: make(map[string]int)}
	}
	for _, row := range readRows(t, toolsTable, 3) {
		all[row[0]].tools[row[1]] = number(t, row[2])
	}
	return all
}

// readRows reads the rows of a table.
func readRows(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	text, err := os.ReadFile(name)
	apptest.Must(t, err)
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != columns {
			t.Fatalf("%s: %q has %d columns, want %d", name, line, len(row), columns)
		}
		rows = append(rows, row)
	}
	return rows
}

// writeTables writes the tables, with the servers in the given order.
func writeTables(t *testing.T, names []string, sizes map[string]size) {
	t.Helper()
	servers, tools := serversHeader, toolsHeader
	for _, name := range names {
		s := sizes[name]
		servers += fmt.Sprintf("%s\t%d\t%d\t%d\n", name, len(s.tools), s.list, s.instructions)
		for _, tool := range slices.Sorted(maps.Keys(s.tools)) {
			tools += fmt.Sprintf("%s\t%s\t%d\n", name, tool, s.tools[tool])
		}
	}
	apptest.Must(t, os.MkdirAll("testdata", 0o755))
	apptest.Must(t, os.WriteFile(serversTable, []byte(servers), 0o644))
	apptest.Must(t, os.WriteFile(toolsTable, []byte(tools), 0o644))
}

func number(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	apptest.Must(t, err)
	return n
}

func TestSize_Compare(t *testing.T) {
	table := size{list: 1000, instructions: 1000, tools: map[string]int{"read": 600, "write": 400}}
	if got := (size{list: 1000, instructions: 66, tools: table.tools}).compare(size{list: 1000, instructions: 50, tools: table.tools}); len(got) > 0 {
		t.Errorf("a difference of few bytes: %q", got)
	}
	for name, tc := range map[string]struct {
		now  size
		want []string // parts of the problems, in order
	}{
		"equal":             {now: table},
		"within the budget": {now: size{list: 1030, instructions: 1030, tools: map[string]int{"read": 630, "write": 400}}},
		"smaller":           {now: size{list: 900, instructions: 900, tools: map[string]int{"read": 500, "write": 400}}},
		"grown": {
			now:  size{list: 1100, instructions: 1040, tools: map[string]int{"read": 610, "write": 490}},
			want: []string{"tools/list is 1100 bytes, over the budget of 1030 (1000 and 3 %); write has grown most, from 400 to 490 bytes", "the instructions is 1040 bytes"},
		},
		"stale": {
			now:  size{list: 899, instructions: 899, tools: map[string]int{"read": 499, "write": 400}},
			want: []string{"tools/list is 899 bytes, and the budget for 1000 bytes is stale", "the instructions is 899 bytes, and the budget"},
		},
		"other tools": {
			now:  size{list: 1000, instructions: 1000, tools: map[string]int{"read": 600, "edit": 400}},
			want: []string{"edit is listed, with 400 bytes", "write is not listed any more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.now.compare(table)
			if len(got) != len(tc.want) {
				t.Fatalf("got %q, want %d problems", got, len(tc.want))
			}
			for i, want := range tc.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("%q lacks %q", got[i], want)
				}
			}
		})
	}
}
