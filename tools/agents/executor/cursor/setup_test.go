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

// TestMain runs the tests. With the argument fakeagent the test program replaces the Cursor
// CLI.
func TestMain(m *testing.M) {
	process.Supervise()
	if len(os.Args) > 1 && os.Args[1] == "fakeagent" {
		if file := os.Getenv(spy); file != "" {
			recordSettings(file)
		}
		os.Exit(replay.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	goleak.VerifyTestMain(m)
}

// fake returns an executor that plays recordings, without pauses.
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

// longTimeouts returns options whose timeouts are too long to matter.
func longTimeouts() cursor.Options {
	return cursor.Options{Process: command.Options{Begin: time.Minute, Silence: time.Minute, Farewell: time.Minute, Grace: time.Minute}}
}

// spec returns the Spec of an agent that plays a recording.
func spec(t testing.TB, prompt string) executor.Spec {
	return executor.Spec{AgentID: "agent-1", Prompt: prompt, Dir: t.TempDir(), Trust: true, Env: []string{"FAKEAGENT_SPEED=0", "GORACE=atexit_sleep_ms=0"}}
}

// story collects the events of an agent.
type story struct {
	mu      sync.Mutex
	events  []executor.Event
	raw     []byte
	stderr  []byte
	onEvent func(executor.Event) // called with each event; may be nil
}

// tell records an event.
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
	if s.onEvent != nil {
		s.onEvent(e)
	}
}

// of returns the events of some kinds.
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

// one returns the only event of a kind.
func (s *story) one(t testing.TB, kind executor.Kind) executor.Event {
	t.Helper()
	found := s.of(kind)
	if len(found) != 1 {
		t.Fatalf("%d events of kind %s, want one; all are %+v", len(found), kind, s.events)
	}
	return found[0]
}

// run runs an agent to its end.
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

// withCancel returns a context that ends after two minutes.
func withCancel(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx, cancel
}
