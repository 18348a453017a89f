package toolsettest

import (
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools"
)

// Tasks connects a client that takes tasks to a server of a set, whose tasks end
// before the test does.
func Tasks(t testing.TB, set tools.Set) *mcp.Client {
	t.Helper()
	runner := tasks.New(&tasks.Options{PollInterval: 20 * time.Millisecond})
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Errorf("ending tasks: %v", err)
		}
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "settest", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	if err := srv.Replace("set", set.Features()); err != nil {
		t.Fatal(err)
	}
	o := new(mcp.ClientOptions)
	tasks.Declare(o)
	return mcptest.Connect(t, srv, o)
}

// Start starts a task, and waits until it is at work.
func Start(t testing.TB, c *mcp.Client, name string, args any) *tasks.Task {
	t.Helper()
	task, err := tasks.Start(t.Context(), c, name, args, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if task.ID() == "" {
		t.Fatalf("the call of %s is no task", name)
	}
	return task
}
