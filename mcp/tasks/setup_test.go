package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// quiet keeps what a test provokes out of its output.
var quiet = slog.New(slog.DiscardHandler)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve returns a server with tools whose calls are tasks, and its runner, which is
// closed at the end of the test.
func serve(t testing.TB, o tasks.Options, tools ...mcp.ServerTool) (*mcp.Server, *tasks.Runner) {
	t.Helper()
	if o.Log == nil {
		o.Log = quiet
	}
	runner := tasks.New(&o)
	t.Cleanup(func() { must(t, runner.Close()) })
	return serverWith(t, runner, tools...), runner
}

func serverWith(t testing.TB, runner *tasks.Runner, tools ...mcp.ServerTool) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Tasks: runner, Log: quiet})
	must(t, srv.Err())
	must(t, srv.Replace("test", mcp.Features{Tools: tools}))
	return srv
}

// tool is a tool whose calls can be tasks.
func tool[In any](name string, h func(context.Context, In) (string, error)) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: name}, h).With(mcp.ToolOptions{Task: mcp.TaskOptional})
}

type none struct{}

type minutes struct {
	Minutes int `json:"minutes"`
}

// work takes as long as it is told, and tells of every minute.
var work = tool("work", func(ctx context.Context, in minutes) (string, error) {
	for i := range in.Minutes {
		mcp.Progress(ctx, float64(i), float64(in.Minutes), "minute "+string(rune('0'+i%10)))
		if err := wait.Sleep(ctx, time.Minute); err != nil {
			return "", context.Cause(ctx)
		}
	}
	return "done", nil
})

// connect connects a client that takes tasks.
func connect(t testing.TB, d protocol.Dispatcher, o mcp.ClientOptions) *mcp.Client {
	t.Helper()
	tasks.Declare(&o)
	return mcptest.Connect(t, d, &o)
}

// as is a server as somebody sees it who has been authenticated.
type as struct {
	protocol.Dispatcher
	principal string
}

func (a as) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	req.Peer.Principal = a.principal
	return a.Dispatcher.Dispatch(ctx, req)
}

// ask sends a request about a task.
func ask(ctx context.Context, c *mcp.Client, method string, params map[string]any) (string, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	result, err := c.Request(ctx, method, raw, nil)
	return string(result), err
}

// code is that of a protocol error.
func code(err error) int64 {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// said is the text of a tool's answer.
func said(r *mcp.ToolResult) string {
	if r == nil {
		return ""
	}
	var all []string
	for _, block := range r.Blocks() {
		if text, ok := block.(mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n")
}

// start starts a task.
func start(t testing.TB, c *mcp.Client, name string, args any) *tasks.Task {
	t.Helper()
	task, err := tasks.Start(t.Context(), c, name, args, nil)
	must(t, err)
	if task.ID() == "" {
		t.Fatalf("the call of %s is no task", name)
	}
	return task
}

// is wants a task to have a status.
func is(t testing.TB, task *tasks.Task, want tasks.Status) tasks.Info {
	t.Helper()
	info, err := task.Get(t.Context())
	must(t, err)
	if info.Status != want {
		t.Errorf("the task is %s, want %s (%s)", info.Status, want, info.Message)
	}
	return info
}
