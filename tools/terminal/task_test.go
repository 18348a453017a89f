package terminal_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

// A task waits for the end of its build regardless of WaitMs, and its cancellation ends the build.
func TestBuild_Task(t *testing.T) {
	fake(t, "make", `echo $$ >started; while ! test -e go; do sleep 0.05; done; echo ended`)
	p := newProject(t, setup{files: map[string]string{"a/Makefile": "all:\n", "b/Makefile": "all:\n"}})
	c := toolsettest.Tasks(t, p.Terminal)
	task := toolsettest.Start(t, c, "execute_build", terminal.BuildArgs{ProjectPath: "a", WaitMs: new(0)})
	awaitFile(t, filepath.Join(p.dir, "a", "started"))
	if info, err := task.Get(t.Context()); err != nil || info.Status != tasks.Working {
		t.Errorf("while it runs the task is %s, %v", info.Status, err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "a", "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := task.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var r terminal.BuildResult
	if err := json.Unmarshal(result.Structured, &r); err != nil || r.Running || !r.Success || r.BuildLog != "ended\n" {
		t.Errorf("in the end %+v, %v", r, err)
	}

	task = toolsettest.Start(t, c, "execute_build", terminal.BuildArgs{ProjectPath: "b"})
	pid := awaitFile(t, filepath.Join(p.dir, "b", "started"))
	if err := task.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitDeath(t, pid)
	if _, err := task.Wait(t.Context()); !errors.Is(err, tasks.ErrCancelled) {
		t.Errorf("when it is cancelled: %v", err)
	}
	plain, err := toolsettest.Tool(t, p.Terminal, "execute_build").Call(t.Context(), json.RawMessage(`{"projectPath":"b","waitMs":0}`))
	if err != nil || plain.IsError {
		t.Fatalf("%v, %v", plain, err)
	}
	if err := json.Unmarshal(plain.Structured, &r); err != nil || !r.Running {
		t.Errorf("without a task it is waited for: %+v, %v", r, err)
	}
	if _, err := mcp.Call[terminal.KillResult](t.Context(), c, "kill_process", terminal.KillArgs{ProcessID: r.ProcessID}); err != nil {
		t.Error(err)
	}
}
