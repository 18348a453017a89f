package search_test

import (
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
)

// TestRefresh_Task checks that a call as a task waits for the end of the refresh, regardless of waitMs.
func TestRefresh_Task(t *testing.T) {
	s := newShelf(t, map[string]string{"a.go": "package a\n"})
	s.hold = make(chan struct{})
	p := newProject(t, nil, search.Options{}, s)
	task := toolsettest.Start(t, toolsettest.Tasks(t, p.Search), "refresh_index", search.RefreshArgs{WaitMs: 1})
	for range 3 {
		if info, err := task.Get(t.Context()); err != nil || info.Status != tasks.Working {
			t.Errorf("while it runs the task is %s, %v", info.Status, err)
		}
	}
	close(s.hold)
	result, err := task.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var r search.RefreshResult
	if err := json.Unmarshal(result.Structured, &r); err != nil || r.Status != "done" || r.Files != 1 {
		t.Errorf("in the end %+v, %v", r, err)
	}
}
