//go:build unix

package vscode_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

func TestDiagnose_Files(t *testing.T) {
	var asked string
	v, _ := one(t, answers{"diagnostics": echo(&asked, `{"items":[
		{"path":"/project/a.go","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"severity":"warning","message":"unused","code":"U1000","source":"staticcheck"},
		{"path":"/project/a.go","range":{},"severity":"catastrophe","message":"?"},
		{"path":"/project/unasked.go","range":{},"severity":"error","message":"?"}
	],"fresh":true,"covered":["/project/a.go","/project/unasked.go"],"notes":["no extension\nfor b.txt"]}`)})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	got, err := v.Diagnose(ctx, []string{"/project/a.go", "/project/b.txt", "/elsewhere/c.go"})
	if err != nil {
		t.Fatal(err)
	}
	want := adapter.Diagnostics{
		Items: []adapter.Diagnostic{
			{Path: "/project/a.go", Range: between(2, 3, 2, 4), Severity: adapter.Warning, Message: "unused", Code: "U1000", Source: "staticcheck"},
			{Path: "/project/a.go", Range: between(1, 1, 1, 1), Severity: adapter.Error, Message: "?"},
		},
		Fresh: true, Covered: []string{"/project/a.go"}, Notes: []string{"no extension for b.txt"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var in struct {
		Paths []string
		Wait  int
	}
	if err := json.Unmarshal([]byte(asked), &in); err != nil || cmp.Diff([]string{"/project/a.go", "/project/b.txt"}, in.Paths) != "" || in.Wait > 29_750 || in.Wait < 10_000 {
		t.Errorf("asked %s", asked)
	}
}

// Recent changes on the disk are sent with the next query.
func TestFilesChanged(t *testing.T) {
	var asked string
	v, _ := one(t, answers{"diagnostics": echo(&asked, `{"fresh":true,"covered":["/project/a.go"]}`)})
	v.FilesChanged([]string{"/project/b.go"})
	if _, err := v.Diagnose(t.Context(), []string{file}); err != nil || !strings.Contains(asked, `"path":"/project/b.go"`) {
		t.Errorf("asked %s, %v", asked, err)
	}
	many := make([]string, 5000)
	for i := range many {
		many[i] = "/project/" + strings.Repeat("x", i)
	}
	v.FilesChanged(many)
	if _, err := v.Diagnose(t.Context(), []string{file}); err != nil || strings.Count(asked, `"ago"`) != 1000 {
		t.Errorf("asked of %d files, %v", strings.Count(asked, `"ago"`), err)
	}
	soon(t, "they are forgotten", func() bool {
		_, err := v.Diagnose(t.Context(), []string{file})
		return err == nil && !strings.Contains(asked, "written")
	})
}

func TestDiagnose_Project(t *testing.T) {
	dir := rendezvous(t)
	for _, name := range []string{"a", "b"} {
		(&fake{dir: dir, name: name, folders: []string{"/" + name}, answers: answers{"diagnostics": func(params json.RawMessage) (any, error) {
			if strings.Contains(string(params), "paths") {
				t.Errorf("asked %s", params)
			}
			return json.RawMessage(`{"items":[{"path":"/` + name + `/x","range":{},"severity":"info","message":"m"}],"fresh":true,"covered":["/` + name + `/x"],"notes":["only what is open"]}`), nil
		}}}).open(t)
	}
	v := connected(t, vscode.Options{Dir: dir})
	soon(t, "both are found", func() bool { return len(v.State().Folders) == 2 })
	got, err := v.Diagnose(t.Context(), nil)
	if err != nil || got.Fresh || got.Covered != nil || len(got.Items) != 2 || len(got.Notes) != 2 {
		t.Errorf("%+v %v", got, err)
	}
}

// Long diagnostics are truncated and marked.
func TestDiagnose_Limits(t *testing.T) {
	item := `{"path":"/project/a.go","range":{},"severity":"error","message":"` + strings.Repeat("é", 3000) + `","code":"` + strings.Repeat("c", 300) + `"}`
	v, _ := one(t, answers{"diagnostics": raw(`{"items":[` + strings.Repeat(`{"path":"/project/a.go","range":{}},`, 10_000) + item + `],"fresh":true,"covered":["/project/a.go"],"notes":["` +
		strings.Repeat(`n","`, 1000) + `"]}`)})
	got, err := v.Diagnose(t.Context(), []string{"/project/a.go"})
	if err != nil || len(got.Items) != 10_000 || len(got.Notes) != 21 {
		t.Errorf("%d items, %d notes, %v", len(got.Items), len(got.Notes), err)
	}
	v, _ = one(t, answers{"diagnostics": raw(`{"items":[` + item + `],"fresh":true,"covered":["/project/a.go"]}`)})
	got, err = v.Diagnose(t.Context(), []string{"/project/a.go"})
	if err != nil || len(got.Items) != 1 || len(got.Items[0].Message) > 4010 || len(got.Items[0].Code) > 210 {
		t.Errorf("%v", err)
	}
}
