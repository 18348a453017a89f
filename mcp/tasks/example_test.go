package tasks_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
)

type reportArgs struct {
	Year int `json:"year"`
}

// A report takes a while: its calls are tasks, for clients that take tasks.
func Example() {
	ctx := context.Background()
	runner := tasks.New(&tasks.Options{TTL: time.Hour, PollInterval: 50 * time.Millisecond})
	defer runner.Close()
	server := mcp.NewServer(mcp.Implementation{Name: "reports", Version: "1.0.0"}, &mcp.ServerOptions{Tasks: runner})
	report := mcp.NewTool(mcp.Tool{Name: "report", Description: "Writes the report of a year."},
		func(ctx context.Context, in reportArgs) (string, error) {
			mcp.Progress(ctx, 1, 2, "adding up")
			return fmt.Sprintf("%d was a good year", in.Year), nil
		}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
	if err := server.Replace("reports", mcp.Features{Tools: []mcp.ServerTool{report}}); err != nil {
		log.Fatal(err)
	}

	var options mcp.ClientOptions
	tasks.Declare(&options)
	client, err := mcp.Connect(ctx, transport.InMemory{Server: server}, mcp.Implementation{Name: "reader", Version: "1.0.0"}, &options)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	// A call waits for its task by itself.
	text, err := mcp.Call[string](ctx, client, "report", reportArgs{Year: 2025})
	fmt.Println(text, err)

	// Or one does something else meanwhile.
	task, err := tasks.Start(ctx, client, "report", reportArgs{Year: 2026}, nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := task.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(task.Last().Status, result.Blocks()[0].(mcp.TextContent).Text)
	// Output:
	// 2025 was a good year <nil>
	// completed 2026 was a good year
}

// A tool that asks before it begins, and is a task from then on.
func Example_late() {
	deploy := mcp.NewTool(mcp.Tool{Name: "deploy"}, func(ctx context.Context, _ struct{}) (string, error) {
		if err := mcp.Confirm(ctx, "sure", "Deploy to production?"); err != nil {
			return "", err
		}
		if err := mcp.BecomeTask(ctx); err != nil {
			return "", err
		}
		return "deployed", nil // after a while
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional, DeferTask: true})
	fmt.Println(deploy.Err())
	// Output: <nil>
}
