package executor_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// echo is an executor whose agents repeat their prompt.
type echo struct{}

func (echo) Name() string { return "echo" }

func (echo) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "parrot", Name: "Parrot", Default: true}}, nil
}

func (echo) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	if s.Model != "parrot" {
		return executor.Exit{Failed: true, Message: "there is no model " + s.Model, Cause: executor.ErrUnknownModel}, nil
	}
	now := time.Now()
	tell(executor.Event{Kind: executor.Init, At: now, Session: "session-of-" + s.AgentID, Model: "Parrot"})
	for word := range strings.FieldsSeq(s.Prompt) {
		if ctx.Err() != nil {
			return executor.Exit{Failed: true, Message: context.Cause(ctx).Error()}, nil
		}
		tell(executor.Event{Kind: executor.Delta, At: now, Text: word + " "})
	}
	tell(executor.Event{Kind: executor.Finished, At: now, Text: s.Prompt, Usage: &record.Usage{OutputTokens: 2}})
	return executor.Exit{Finished: true}, nil
}

func (echo) Close() error { return nil }

// Another program for agents is a type with four methods.
func Example() {
	var x executor.Executor = echo{}
	exit, err := x.Run(context.Background(), executor.Spec{AgentID: "a-1", Model: "parrot", Prompt: "hello there"}, func(e executor.Event) {
		fmt.Printf("%s %q\n", e.Kind, e.Text)
	})
	fmt.Println(exit.Finished, exit.Failed, err)
	exit, _ = x.Run(context.Background(), executor.Spec{Model: "crow"}, func(executor.Event) {})
	fmt.Println(exit.Message)
	// Output:
	// init ""
	// delta "hello "
	// delta "there "
	// finished "hello there"
	// true false <nil>
	// there is no model crow
}
