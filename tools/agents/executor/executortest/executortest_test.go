package executortest_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testfault"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
)

// echo is an executor whose agents are functions of this process and repeat their prompt. fault selects a violation of
// the contract; empty is none.
type echo struct{ fault string }

func (e *echo) Name() string {
	if e.fault == "name" {
		return "two words"
	}
	return "echo"
}

func (e *echo) Models(context.Context) ([]executor.Model, error) {
	models := []executor.Model{{ID: "parrot", Name: "Parrot", Default: true}}
	switch e.fault {
	case "missing":
		return nil, errors.New("no program")
	case "models":
		models = append(models, models...)
	}
	return models, nil
}

func (e *echo) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	send := func(kind executor.Kind, text string) { tell(executor.Event{Kind: kind, At: time.Now(), Text: text}) }
	if s.Model == "crow" && e.fault != "model" {
		return executor.Exit{Failed: true, Message: "there is no model crow", Cause: executor.ErrUnknownModel}, nil
	}
	if ctx.Err() != nil && e.fault != "ended" {
		return executor.Exit{}, context.Cause(ctx)
	}
	if strings.HasPrefix(s.Prompt, "a\xff") && e.fault != "text" {
		return executor.Exit{}, errors.New("the prompt is not UTF-8")
	}
	if e.fault != "init" {
		tell(executor.Event{Kind: executor.Init, At: time.Now(), Session: "s-1"})
	}
	switch s.Prompt {
	case "fail":
		return executor.Exit{Failed: e.fault != "failure", Message: "it failed"}, nil
	case "endless":
		switch e.fault {
		case "endless":
			time.Sleep(time.Hour)
		case "cancel": // it succeeds
		case "process":
			child := exec.Command("sleep", "3")
			child.Env = s.Env
			if err := child.Start(); err != nil {
				return executor.Exit{}, err
			}
			fallthrough
		default:
			<-ctx.Done()
			return executor.Exit{Failed: true, Message: context.Cause(ctx).Error()}, nil
		}
	}
	switch e.fault {
	case "error":
		return executor.Exit{}, errors.New("the agent has crashed")
	case "panic":
		panic("out of cages")
	case "kind":
		send("dream", "")
	case "time":
		tell(executor.Event{Kind: executor.Thinking})
	case "tool":
		send(executor.ToolStarted, "")
	case "environment":
		_ = append(s.Env, "X=1")
	case "twice":
		send(executor.Finished, s.Prompt)
	}
	send(executor.Said, s.Prompt)
	if e.fault == "mixed" {
		s.Prompt = "one"
	}
	send(executor.Finished, s.Prompt)
	if e.fault == "late" {
		go func() {
			for {
				time.Sleep(time.Millisecond)
				send(executor.Said, "late")
			}
		}()
	}
	return executor.Exit{Finished: e.fault != "exit"}, nil
}

func (e *echo) Close() error {
	if e.fault == "close" {
		return errors.New("it cannot be closed")
	}
	return nil
}

// missing is an executor without its program.
type missing struct{ echo }

func (m *missing) Models(context.Context) ([]executor.Model, error) {
	return nil, fmt.Errorf("echo: %w", executor.ErrUnavailable)
}

func (m *missing) Run(context.Context, executor.Spec, func(executor.Event)) (executor.Exit, error) {
	return executor.Exit{}, fmt.Errorf("echo: %w", executor.ErrUnavailable)
}

// harness describes echo.
func harness(fault string) executortest.Harness {
	h := executortest.Harness{
		New:     func(*testing.T) executor.Executor { return &echo{fault} },
		Answers: map[string]string{"one": "one", "two": "two"}, Failure: "fail", Endless: "endless", UnknownModel: "crow", Resumes: true,
		Missing: func(*testing.T) executor.Executor { return new(missing) },
	}
	switch fault {
	case "missing":
		h.Missing = func(*testing.T) executor.Executor { return &echo{fault} }
	case "endless":
		h.Timeout = 300 * time.Millisecond
	case "process":
		h.Timeout = time.Second
	}
	return h
}

func TestRun(t *testing.T) { executortest.Run(t, harness("")) }

// keeper is an executor that keeps the function for events of its last run.
type keeper struct {
	echo
	mu   *sync.Mutex
	tell *func(executor.Event)
}

func (k keeper) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	k.mu.Lock()
	*k.tell = tell
	k.mu.Unlock()
	return k.echo.Run(ctx, s, tell)
}

// An event that arrives after the end of its test has no effect, because package testing would end the program.
func TestRun_EventAfterTest(t *testing.T) {
	var mu sync.Mutex
	var tell func(executor.Event)
	h := harness("")
	h.New = func(*testing.T) executor.Executor { return &keeper{mu: &mu, tell: &tell} }
	executortest.Run(t, h)
	if tell == nil {
		t.Fatal("no agent ran")
	}
	tell(executor.Event{Kind: executor.Said, At: time.Now(), Text: "late"})
}

// TestFault runs in the processes of TestRun_Faults.
func TestFault(t *testing.T) { executortest.Run(t, harness(testfault.Selected(t))) }

// Each violation of the contract fails a test.
func TestRun_Faults(t *testing.T) {
	for fault, expected := range map[string]struct{ test, message string }{
		"name": {"Name", "an executor cannot be named"}, "models": {"Models", "occurs twice"}, "missing": {"Missing", "must wrap ErrUnavailable"},
		"model": {"UnknownModel", "does not fail with ErrUnknownModel"}, "ended": {"EndedContext", "although the context had ended"},
		"init": {"Answers", "arrived before init"}, "failure": {"Failure", "has not failed"}, "endless": {"Cancel", "has not returned within 300ms"},
		"cancel": {"Shutdown", "a cancelled agent succeeded"}, "text": {"HostilePrompts", "is not UTF-8"}, "kind": {"Answers", `no kind of event "dream"`},
		"time": {"Answers", "has no time"}, "tool": {"Answers", "has no Tool"}, "environment": {"Spec", "changed the environment"},
		"twice": {"Answers", "2 events finished"}, "mixed": {"Concurrent", "did not finish with"}, "exit": {"Answers", "Exit.Finished is false"},
		"error": {"Answers", "for an agent that was started"}, "close": {"Close", "it cannot be closed"}, "late": {"Answers", "after Run had returned"}, "panic": {"Answers", "Run panicked: out of cages"},
	} {
		t.Run(fault, func(t *testing.T) { testfault.Expect(t, fault, "^TestFault$/^"+expected.test+"$", expected.message) })
	}
}
