package main

import (
	"errors"
	"strings"
	"testing"
)

func TestBudget_Text(t *testing.T) {
	want := budgetHeader + "fastify\tsources\tabc\nfastify\tdefinitions\t900\nfastify\tlist the functions of a file\t1\t200\t30\nrxjs\tsources\tdef\n"
	b, err := parseBudget([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(b.appendText()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := parseBudget([]byte("fastify\tsources\n")); err == nil {
		t.Error("a row without a value is accepted")
	}
}

func TestBudget_Compare(t *testing.T) {
	table := budget{"fastify": {sourcesRow: "abc", definitionsRow: "1000", string(listMembers): "2\t2000\t100"}}
	for name, tc := range map[string]struct {
		sources, definitions, task string
		want                       string // part of the error
	}{
		"equal":             {"abc", "1000", "2\t2000\t100", ""},
		"within the budget": {"abc", "1030", "2\t2060\t116", ""},
		"smaller":           {"abc", "900", "2\t1800\t84", ""},
		"grown":             {"abc", "1000", "2\t2061\t100", "2061 bytes read, over the budget of 2000 and 3 %"},
		"more written":      {"abc", "1000", "2\t2000\t117", "117 bytes written, over the budget of 100"},
		"definitions":       {"abc", "1031", "2\t2000\t100", "definitions: 1031 bytes, over"},
		"stale":             {"abc", "1000", "2\t1799\t100", "1799 bytes read, and the budget of 2000 is stale"},
		"calls":             {"abc", "1000", "3\t2000\t100", "3 calls instead of 2"},
		"no row":            {"abc", "1000", "", `measured ""`},
		"other sources":     {"def", "9", "9\t9\t9", errOtherSources.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			err := table.compare(budget{"fastify": {sourcesRow: tc.sources, definitionsRow: tc.definitions, string(listMembers): tc.task}})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// A task over its budget is reported even if another project has other sources.
func TestBudget_CompareGrownAndOtherSources(t *testing.T) {
	table := budget{"fastify": {sourcesRow: "abc"}, "rxjs": {sourcesRow: "abc", definitionsRow: "100"}}
	err := table.compare(budget{"fastify": {sourcesRow: "def"}, "rxjs": {sourcesRow: "abc", definitionsRow: "200"}})
	if err == nil || errors.Is(err, errOtherSources) || !strings.Contains(err.Error(), "rxjs: definitions: 200 bytes") {
		t.Errorf("got %v", err)
	}
}
