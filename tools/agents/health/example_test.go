package health_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// alwaysOK is an executor with one model, which always responds.
type alwaysOK struct{}

func (alwaysOK) Name() string { return "polite" }
func (alwaysOK) Close() error { return nil }
func (alwaysOK) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "claude-4.6-sonnet"}}, nil
}

func (alwaysOK) Run(context.Context, executor.Spec, func(executor.Event)) (executor.Exit, error) {
	return executor.Exit{Finished: true}, nil
}

func Example() {
	staff := []roles.Role{{ID: "writer", Model: "claude-4.6-sonnet"}, {ID: "reader", Model: "claude-4-sonnet"}}
	checker := health.New(health.Options{
		Executors: []executor.Executor{alwaysOK{}},
		Roles:     func() []roles.Role { return staff },
	})
	defer checker.Close()
	ctx := context.Background()
	checker.Start(ctx)
	for _, r := range staff {
		s, err := checker.Wait(ctx, r.ID)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %v %q\n", s.ID, s.Available, s.ModelValidation.Suggestion)
	}
	// Output:
	// writer: true ""
	// reader: false "claude-4.6-sonnet"
}
