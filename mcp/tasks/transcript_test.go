package tasks_test

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

var _ = flag.Bool("update", false, "rewrite the transcripts to what the server does")

// Every transcript ends its tasks: the runner is not closed.
func TestTranscripts(t *testing.T) {
	mcptest.Transcripts(t, "testdata/*.txt", func() protocol.Dispatcher {
		late := tool("late", func(ctx context.Context, _ none) (string, error) {
			answer, err := mcp.Elicit[name](ctx, "who", "Who is it?")
			if err != nil {
				return "", err
			}
			return "Hello, " + answer.Value.Name, mcp.BecomeTask(ctx)
		}).With(mcp.ToolOptions{DeferTask: true})
		plain := mcp.NewTool(mcp.Tool{Name: "plain"}, func(context.Context, none) (string, error) { return "at once", nil })
		return serverWith(t, tasks.New(&tasks.Options{Log: quiet}), plain, work, interview, late,
			tool("must", func(context.Context, none) (string, error) { return "it must", nil }).With(mcp.ToolOptions{Task: mcp.TaskRequired}),
			tool("sleep", func(ctx context.Context, _ none) (string, error) { return "rested", wait.Sleep(ctx, time.Minute) }),
			tool("fails", func(context.Context, none) (string, error) { return "", errors.New("no luck") }),
			tool("breaks", func(context.Context, none) (string, error) { return "", protocol.Errorf(-5, "broken") }),
		)
	})
}
