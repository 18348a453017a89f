package agents_test

import (
	"context"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"

	natsagents "github.com/dougu-go/dougu/nats/agents"
)

func TestExecutor_Contract(t *testing.T) {
	c := newFixture(t, timeout, natsagents.ExecutorOptions{})
	c.runner(natsagents.RunnerOptions{Name: "one", Slots: 8}, func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		if s.Model == "m-9" {
			return executor.Exit{Failed: true, Message: "there is no such model", Cause: executor.ErrUnknownModel}, nil
		}
		tell(executor.Event{Kind: executor.Init, At: time.Now(), Session: "s-1"})
		switch s.Prompt {
		case "fail":
			return executor.Exit{Failed: true, Message: "it failed"}, nil
		case "endless":
			<-ctx.Done()
			return executor.Exit{Failed: true, Message: context.Cause(ctx).Error()}, nil
		}
		tell(executor.Event{Kind: executor.Finished, At: time.Now(), Text: s.Prompt})
		return executor.Exit{Finished: true}, nil
	})
	waittest.Until(t, "the runner is known", func() bool {
		_, err := c.x.Models(t.Context())
		return err == nil
	})
	executortest.Run(t, executortest.Harness{
		New: func(*testing.T) executor.Executor {
			return c.server.Executor(natsagents.ExecutorOptions{Program: "fake"})
		},
		Spec:    executor.Spec{Dir: c.dir},
		Answers: map[string]string{"one": "one", "two": "two"}, Failure: "fail", Endless: "endless", UnknownModel: "m-9", Resumes: true,
	})
}
