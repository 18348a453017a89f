package app_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
)

// Tasks are available with the flag -tasks alone, and end before the resources that they
// use are released.
func TestTasks_OptIn(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}` + "\n"
	for _, on := range []bool{false, true} {
		var out, errs strings.Builder
		ended, released := false, false
		server := &app.App{
			Name: "prog", Version: "1", Summary: "waits", Tasks: true,
			Build: func(_ context.Context, start app.Start) (*app.Program, error) {
				if (start.Tasks != nil) != on {
					t.Errorf("-tasks is %v and there is %v", on, start.Tasks)
				}
				srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1"}, &mcp.ServerOptions{Log: start.Log, Tasks: start.Tasks})
				tool := mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
					if mcp.InTask(ctx) {
						<-ctx.Done()
					}
					if released {
						t.Error("a task goes on when what it uses is released")
					}
					ended = true
					return "done", nil
				}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
				err := srv.Replace("prog", mcp.Features{Tools: []mcp.ServerTool{tool}})
				return &app.Program{Server: srv, Close: func(context.Context) error { released = true; return nil }}, err
			},
			Stdin: strings.NewReader(call), Stdout: &out, Stderr: &errs,
		}
		args := []string{"serve"}
		if on {
			args = append(args, "-tasks")
		}
		if code := server.Run(t.Context(), args); code != 0 || !ended || !released {
			t.Errorf("it ends with %d, the task has ended: %v\n%s", code, ended, errs.String())
		}
		if got := strings.Contains(out.String(), `"resultType":"task"`); got != on {
			t.Errorf("with -tasks=%v it answers %s", on, out.String())
		}
	}
}

// A program without App.Tasks refuses the flag -tasks.
func TestTasks_UnsupportedFlag(t *testing.T) {
	var errs strings.Builder
	server := &app.App{
		Name: "prog", Version: "1", Summary: "hurries", Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs,
		Build: func(context.Context, app.Start) (*app.Program, error) {
			t.Error("it is started")
			return nil, errors.New("not started")
		},
	}
	if code := server.Run(t.Context(), []string{"serve", "-tasks"}); code != 2 || !strings.Contains(errs.String(), "-tasks") {
		t.Errorf("it ends with %d\n%s", code, errs.String())
	}
}

// taskCall is the message of a client that calls the tool wait as a task.
const taskCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}` + "\n"
