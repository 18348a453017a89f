package cursor_test

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
	"github.com/dougu-go/dougu/tools/agents/replay"
)

// The test program stands in for the Cursor CLI, too.
func TestMain(m *testing.M) {
	process.Supervise()
	if len(os.Args) > 1 && os.Args[1] == "fakeagent" {
		if file := os.Getenv(spy); file != "" {
			look(file)
		}
		os.Exit(replay.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	goleak.VerifyTestMain(m)
}

// fake answers an executor of recordings, which are played without pauses.
func fake(t testing.TB, o cursor.Options) *cursor.Executor {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if o.Program == "" {
		o.Program, o.Args = program, []string{"fakeagent"}
	}
	return standin.New(t, cursor.New, o)
}

// patient are options for tests in which nothing must be ended for being slow.
func patient() cursor.Options {
	return cursor.Options{Process: command.Options{Begin: time.Minute, Silence: time.Minute, Farewell: time.Minute, Grace: time.Minute}}
}

// spec is what an agent is given that plays a recording.
func spec(t testing.TB, prompt string) executor.Spec {
	return executor.Spec{AgentID: "agent-1", Prompt: prompt, Dir: t.TempDir(), Trust: true, Env: []string{"FAKEAGENT_SPEED=0", "GORACE=atexit_sleep_ms=0"}}
}

// story is what an agent has told.
type story struct {
	mu     sync.Mutex
	events []executor.Event
	raw    []byte
	stderr []byte
	heard  func(executor.Event) // called with every event, if it is set
}

func (s *story) tell(e executor.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Kind == executor.Output && e.Stream == "log":
		s.raw = append(s.raw, e.Data...)
	case e.Kind == executor.Output:
		s.stderr = append(s.stderr, e.Data...)
	default:
		s.events = append(s.events, e)
	}
	if s.heard != nil {
		s.heard(e)
	}
}

// of answers the events of some kinds.
func (s *story) of(kinds ...executor.Kind) []executor.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []executor.Event
	for _, e := range s.events {
		if slices.Contains(kinds, e.Kind) {
			found = append(found, e)
		}
	}
	return found
}

// one answers the only event of a kind.
func (s *story) one(t testing.TB, kind executor.Kind) executor.Event {
	t.Helper()
	found := s.of(kind)
	if len(found) != 1 {
		t.Fatalf("%d events of kind %s, want one; all are %+v", len(found), kind, s.events)
	}
	return found[0]
}

// run plays a recording to its end.
func run(t testing.TB, x *cursor.Executor, s executor.Spec) (executor.Exit, *story) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	told := new(story)
	exit, err := x.Run(ctx, s, told.tell)
	if err != nil {
		t.Fatal(err)
	}
	return exit, told
}

func withCancel(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx, cancel
}
