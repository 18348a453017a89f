package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/tasks/sqlite"
)

type none struct{}

// blockingTool is a tool that runs until it is cancelled.
var blockingTool = mcp.NewTool(mcp.Tool{Name: "hangs"}, func(ctx context.Context, _ none) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}).With(mcp.ToolOptions{Task: mcp.TaskOptional})

// askingTool is a tool that asks the user for a name.
var askingTool = mcp.NewTool(mcp.Tool{Name: "greeting"}, func(ctx context.Context, _ none) (string, error) {
	type answer struct {
		Name string `json:"name"`
	}
	got, err := mcp.Elicit[answer](ctx, "name", "What is your name?")
	return "Hello " + got.Value.Name, err
}).With(mcp.ToolOptions{Task: mcp.TaskOptional})

// connect connects a client with support for tasks to a server with both tools. The user of the
// client is Ada.
func connect(t *testing.T, runner *tasks.Runner) *mcp.Client {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Tasks: runner, Log: slog.New(slog.DiscardHandler)})
	must(t, srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{blockingTool, askingTool}}))
	o := mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: fmt.Appendf(nil, `{"name":"Ada"}`)}, nil
	}}
	tasks.Declare(&o)
	return mcptest.Connect(t, srv, &o)
}

func start(t *testing.T, c *mcp.Client, tool string) *tasks.Task {
	t.Helper()
	task, err := tasks.Start(t.Context(), c, tool, none{}, nil)
	must(t, err)
	return task
}

// Two servers share a file: each can answer, cancel and read tasks of the other, and a result
// outlives its server.
func TestDB_TwoServers(t *testing.T) {
	path := file(t)
	db := func() (*sqlite.DB, *tasks.Runner) {
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{PollInterval: 10 * time.Millisecond})
		must(t, err)
		return db, tasks.New(&tasks.Options{Store: db, Log: slog.New(slog.DiscardHandler), PollInterval: 20 * time.Millisecond})
	}
	first, here := db()
	second, there := db()
	t.Cleanup(func() { must(t, errors.Join(there.Close(), second.Close())) })
	c, other := connect(t, here), connect(t, there)

	asked := tasks.Open(other, start(t, c, "greeting").ID())
	if result, err := asked.Wait(t.Context()); err != nil || result.Blocks()[0].(mcp.TextContent).Text != "Hello Ada" {
		t.Errorf("answered at the other server: %v, %v", result, err)
	}
	cancelled := tasks.Open(other, start(t, c, "hangs").ID())
	must(t, cancelled.Cancel(t.Context()))
	if _, err := cancelled.Wait(t.Context()); err != tasks.ErrCancelled {
		t.Errorf("cancelled at the other server: %v", err)
	}
	stopped := tasks.Open(other, start(t, c, "hangs").ID())
	must(t, here.Close())
	must(t, first.Close())
	var failed *protocol.Error
	if _, err := stopped.Wait(t.Context()); !errors.As(err, &failed) || failed.Code != protocol.CodeInternal || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("a task that ran when its server ended: %v", err)
	}
	if info, err := tasks.Open(other, asked.ID()).Get(t.Context()); err != nil || info.Status != tasks.Completed {
		t.Errorf("a task that had ended before its server: %+v, %v", info, err)
	}
}
