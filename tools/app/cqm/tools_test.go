package cqm

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

var toolNames = []string{
	"createIssue", "findSimilarCode", "getProjectContext", "get_index_status", "refresh_index", "searchDocuments", "searchIssues",
}

// A model pays for definitions with every request.
func TestTools_Size(t *testing.T) {
	dir := library(t)
	const most, mostInAll = 1500, 5000 // bytes
	total := 0
	var names []string
	for line := range strings.Lines(in().MustRun(t, "tools", "-json", "-root", dir, "-plugins-enabled", "filesystem")) {
		var tool struct{ Name, Description string }
		apptest.Must(t, json.Unmarshal([]byte(line), &tool))
		if names = append(names, tool.Name); len(line) > most || tool.Description == "" {
			t.Errorf("%s is defined in %d bytes, of %d: %s", tool.Name, len(line), most, line)
		}
		total += len(line)
	}
	if slices.Sort(names); !slices.Equal(names, toolNames) {
		t.Errorf("the tools are %q", names)
	}
	if total > mostInAll {
		t.Errorf("all definitions have %d bytes, of %d", total, mostInAll)
	}
	if got := in().Tools(t, "-root", dir, "-output-schemas", "-plugins-enabled", "filesystem"); !slices.Equal(got, toolNames) {
		t.Errorf("with the schemas of results the tools are %q", got)
	}
}

// Nothing is written to a project, whatever is done with it.
func TestTools_WriteNothing(t *testing.T) {
	dir := library(t)
	before := listed(t, dir)
	program := in()
	for _, args := range [][]string{
		{"call", "searchDocuments", "query=hello"}, {"call", "getProjectContext", "includeFiles=true"}, {"call", "refresh_index"},
		{"call", "get_index_status"}, {"status"}, {"search", "hello"}, {"tools"}, {"config"},
	} {
		args = slices.Insert(args, 1, "-root", dir)
		if code, out, errs := program.Run(t, args...); code != 0 {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	if after := listed(t, dir); !slices.Equal(before, after) {
		t.Errorf("there was %q, and is %q", before, after)
	}
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(dir)
	apptest.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A tool without its plugin returns an error with the next step.
func TestCall_MissingPlugins(t *testing.T) {
	dir := library(t)
	for _, tc := range []struct {
		enabled, says string
		args          []string
	}{
		{"filesystem", "ISSUES_UNAVAILABLE", []string{"searchIssues", "query=x"}},
		{"filesystem", "ISSUES_UNAVAILABLE", []string{"createIssue", "title=x"}},
		{"", "INDEX_UNAVAILABLE", []string{"searchDocuments", "query=x"}},
		{"", "INDEX_UNAVAILABLE", []string{"findSimilarCode", "code=func f() {}"}},
		{"filesystem,github", "NO_TOKEN: GitHub is not available: this server lacks a token for GitHub\nNext step: Tell the user to set GITHUB_TOKEN", []string{"searchIssues", "query=x"}},
		{"filesystem,github", "lacks a token for GitHub\nNext step: Tell the user to set GITHUB_TOKEN", []string{"createIssue", "title=x"}},
	} {
		code, out, errs := in().Run(t, append([]string{"call", "-root", dir, "-plugins-enabled", tc.enabled}, tc.args...)...)
		if code != 1 || !strings.Contains(out+errs, tc.says) || !strings.Contains(out+errs, "Next step") {
			t.Errorf("%q with %q: exit code %d\n%s%s", tc.args, tc.enabled, code, out, errs)
		}
	}
}
