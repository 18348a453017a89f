package chunking_test

import (
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// A task waits for the end of the analysis, even with a short waitMs.
func TestAnalyze_Task(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"a.go": "package a\n\nfunc A() {}\n"})
	task := toolsettest.Start(t, toolsettest.Tasks(t, p.Chunks), "analyze_project", chunking.AnalyzeArgs{ProjectPath: ".", WaitMs: 1})
	result, err := task.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var r chunking.AnalyzeResult
	if err := json.Unmarshal(result.Structured, &r); err != nil || r.Status != "success" || r.Functions != 1 {
		t.Errorf("in the end %+v, %v", r, err)
	}
}
