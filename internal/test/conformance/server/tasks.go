package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

type personArgs struct {
	Name string `json:"name" jsonschema:"description=Whom to greet"`
}

type computeArgs struct {
	Seconds float64 `json:"seconds" jsonschema:"minimum=0,maximum=3600,description=How long to compute"`
	Label   string  `json:"label,omitempty" jsonschema:"description=What to call the result"`
}

type fileArgs struct {
	Filename string `json:"filename" jsonschema:"description=What to delete"`
}

type confirmForm struct {
	Confirm bool `json:"confirm"`
}

// taskTools returns the tools of the tasks extension (io.modelcontextprotocol/tasks).
func taskTools() []mcp.ServerTool {
	optional, required := mcp.ToolOptions{Task: mcp.TaskOptional}, mcp.ToolOptions{Task: mcp.TaskRequired}
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "greet", Description: "Greets, at once."},
			func(_ context.Context, in personArgs) (string, error) { return "Hello, " + in.Name + "!", nil }),
		mcp.NewTool(mcp.Tool{Name: "slow_compute", Description: "Takes as long as it is told."}, slowCompute).With(optional),
		mcp.NewTool(mcp.Tool{Name: "failing_job", Description: "Fails as a tool, after a while."}, failLate).With(required),
		mcp.NewTool(mcp.Tool{Name: "protocol_error_job", Description: "Fails as a request."},
			func(context.Context, none) (string, error) {
				return "", protocol.Errorf(protocol.CodeInternal, "this job intentionally breaks")
			}).With(optional),
		mcp.NewTool(mcp.Tool{Name: "confirm_delete", Description: "Asks before it pretends to delete a file."}, confirmDelete).With(optional),
		mcp.NewTool(mcp.Tool{Name: "multi_input", Description: "Asks two questions at once."}, askTwoAtOnce).With(optional),
		mcp.NewTool(mcp.Tool{Name: "test_tool_with_task", Description: "Asks the user's name, and is a task from then on."}, askThenWork).
			With(mcp.ToolOptions{Task: mcp.TaskRequired, DeferTask: true}),
	}
}

func slowCompute(ctx context.Context, in computeArgs) (string, error) {
	mcp.Progress(ctx, 0, in.Seconds, "computing")
	if err := wait.Sleep(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
		return "", err
	}
	return fmt.Sprintf("Computed %q in %v seconds.", in.Label, in.Seconds), nil
}

func failLate(ctx context.Context, _ none) (string, error) {
	if err := wait.Sleep(ctx, time.Second); err != nil {
		return "", err
	}
	return "", errors.New("this job intentionally fails")
}

func confirmDelete(ctx context.Context, in fileArgs) (string, error) {
	answer, err := mcp.Elicit[confirmForm](ctx, "confirm", "Delete "+in.Filename+"?")
	if err != nil {
		return "", err
	}
	if answer.Action != mcp.Accept || !answer.Value.Confirm {
		return "Kept " + in.Filename + ".", nil
	}
	return "Deleted " + in.Filename + ".", nil
}

func askTwoAtOnce(ctx context.Context, _ none) (string, error) {
	first, err := mcp.FormQuestion[confirmForm]("first", "Is the first thing right?")
	if err != nil {
		return "", err
	}
	second, err := mcp.FormQuestion[confirmForm]("second", "Is the second thing right?")
	if err != nil {
		return "", err
	}
	answers, err := mcp.AskAll(ctx, first, second)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("First: %s\nSecond: %s", answers[0], answers[1]), nil
}

func askThenWork(ctx context.Context, _ none) (string, error) {
	greeting, err := greetUser(ctx, none{})
	if err != nil {
		return "", err
	}
	if err := mcp.BecomeTask(ctx); err != nil {
		return "", err
	}
	if err := wait.Sleep(ctx, step); err != nil {
		return "", err
	}
	return greeting, nil
}
