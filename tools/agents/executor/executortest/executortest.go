package executortest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Run tests an executor. Each test is a subtest; tests without their field of the Harness are skipped.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if h.New == nil || len(h.Answers) == 0 {
		t.Fatal("executortest: a Harness needs New and Answers")
	}
	if h.Timeout <= 0 {
		h.Timeout = defaultTimeout
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"Name", testName}, {"Models", testModels}, {"Answers", testAnswers}, {"Spec", testSpec}, {"Resume", testResume}, {"Failure", testFailure},
		{"UnknownModel", testUnknownModel}, {"Missing", testMissing}, {"Concurrent", testConcurrent}, {"EndedContext", testEndedContext},
		{"Cancel", testCancel}, {"Shutdown", testShutdown}, {"HostilePrompts", testHostilePrompts}, {"HostileOutput", testHostileOutput}, {"Close", testClose},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, h) })
	}
}

// open returns a new executor, which is closed at the end of the test.
func (h Harness) open(t *testing.T) executor.Executor {
	t.Helper()
	x := h.New(t)
	t.Cleanup(func() { h.close(t, x) })
	return x
}

// close closes an executor.
func (h Harness) close(t *testing.T, x executor.Executor) {
	h.within(t, "Close", func() {
		if err := x.Close(); err != nil {
			t.Errorf("Close returned %v", err)
		}
	})
}

// prompts returns the prompts of Answers in a fixed order.
func (h Harness) prompts() []string { return slices.Sorted(maps.Keys(h.Answers)) }

func testName(t *testing.T, h Harness) {
	x := h.open(t)
	name := x.Name()
	if err := executor.CheckName(name); err != nil {
		t.Error(err)
	}
	if again := x.Name(); again != name {
		t.Errorf("the name changed from %q to %q", name, again)
	}
	if err := executor.Find(x); err != nil {
		t.Errorf("Find returned %v for an available program", err)
	}
}

func testModels(t *testing.T, h Harness) {
	x := h.open(t)
	var models []executor.Model
	var err error
	if !h.within(t, "Models", func() { models, err = x.Models(t.Context()) }) {
		return
	}
	if err != nil {
		t.Fatalf("Models returned %v", err)
	}
	seen, defaults, current := make(map[string]bool), 0, 0
	for _, m := range models {
		if m.ID == "" || strings.ContainsAny(m.ID, " \t\r\n\x00") || seen[m.ID] {
			t.Errorf("the ID of the model %+v is empty, has spaces, or occurs twice", m)
		}
		seen[m.ID] = true
		if m.Default {
			defaults++
		}
		if m.Current {
			current++
		}
	}
	if defaults > 1 || current > 1 {
		t.Errorf("%d models are the default and %d are current", defaults, current)
	}
	if len(models) > 0 { // the caller owns the list
		models[0].ID = "changed by the caller"
		again, err := x.Models(t.Context())
		if err != nil || len(again) != len(models) || again[0].ID == models[0].ID {
			t.Errorf("after a change of the list by the caller, Models returned %v, %v", again, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	h.within(t, "Models with an ended context", func() { _, _ = x.Models(ended) })
}

func testAnswers(t *testing.T, h Harness) {
	x := h.open(t)
	for _, prompt := range h.prompts() {
		r := h.run(t.Context(), t, x, h.spec(t, prompt), nil)
		h.checkAnswer(t, prompt, r)
	}
}

// checkAnswer checks the run of an agent that finishes successfully.
func (h Harness) checkAnswer(t *testing.T, prompt string, r result) {
	t.Helper()
	end, ok := r.one(executor.Finished)
	if r.err != nil || !ok || r.exit.Failed || end.Failed || !strings.Contains(end.Text, h.Answers[prompt]) {
		t.Errorf("the agent with the prompt %.100q did not finish with %q: %s", prompt, h.Answers[prompt], r.summary())
		return
	}
	began, finished, placed := false, false, false
	for _, e := range r.events {
		switch e.Kind {
		case executor.Placed:
			placed = true
			if e.Attempt < 1 {
				t.Errorf("the event placed has the attempt %d; they count from 1", e.Attempt)
			}
		case executor.Init:
			began = true
			if finished {
				t.Error("a session began after the event finished")
			}
		case executor.Thinking, executor.Delta, executor.Said, executor.ToolStarted, executor.ToolCompleted, executor.Finished:
			if !began {
				t.Errorf("the event %s arrived before init", e.Kind)
			}
			if finished {
				t.Errorf("the event %s arrived after finished", e.Kind)
			}
			finished = e.Kind == executor.Finished
		}
	}
	if r.of(executor.Waiting) > 0 && !placed {
		t.Error("a remote agent waited for another attempt without one before")
	}
}

// testSpec checks that the executor does not change the slices of a Spec, which concurrent runs may share.
func testSpec(t *testing.T, h Harness) {
	x := h.open(t)
	prompt := h.prompts()[0]
	s := h.spec(t, prompt)
	env := append(slices.Grow(slices.Clone(s.Env), 8), "EXECUTORTEST_SPARE=1")
	s.Env = env[:len(env)-1] // a spare element follows the slice
	want := slices.Clone(env)
	h.checkAnswer(t, prompt, h.run(t.Context(), t, x, s, nil))
	if !slices.Equal(env, want) {
		t.Errorf("Run changed the environment of the Spec from %q to %q", want, env)
	}
}

func testResume(t *testing.T, h Harness) {
	if !h.Resumes {
		t.Skip("Harness.Resumes is not set")
	}
	x := h.open(t)
	prompt := h.prompts()[0]
	s := h.spec(t, prompt)
	begun, ok := h.run(t.Context(), t, x, s, nil).one(executor.Init)
	if !ok || begun.Session == "" {
		t.Fatalf("the event init has no session: %+v", begun)
	}
	s.Resume = begun.Session
	h.checkAnswer(t, prompt, h.run(t.Context(), t, x, s, nil))
}

func testFailure(t *testing.T, h Harness) {
	if h.Failure == "" {
		t.Skip("Harness.Failure is empty")
	}
	r := h.run(t.Context(), t, h.open(t), h.spec(t, h.Failure), nil)
	if r.err != nil || !r.exit.Failed {
		t.Errorf("the agent has not failed: %s", r.summary())
	}
}

func testUnknownModel(t *testing.T, h Harness) {
	if h.UnknownModel == "" {
		t.Skip("Harness.UnknownModel is empty")
	}
	s := h.spec(t, h.prompts()[0])
	s.Model = h.UnknownModel
	r := h.run(t.Context(), t, h.open(t), s, nil)
	if r.err == nil && !r.exit.Failed || !errors.Is(r.err, executor.ErrUnknownModel) && !errors.Is(r.exit.Cause, executor.ErrUnknownModel) {
		t.Errorf("an unknown model does not fail with ErrUnknownModel: %s", r.summary())
	}
}

func testMissing(t *testing.T, h Harness) {
	if h.Missing == nil {
		t.Skip("Harness.Missing is nil")
	}
	x := h.Missing(t)
	defer h.close(t, x)
	if models, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) {
		t.Errorf("Models returned %v, %v; the error must wrap ErrUnavailable", models, err)
	}
	r := h.run(t.Context(), t, x, h.spec(t, h.prompts()[0]), nil)
	if !errors.Is(r.err, executor.ErrUnavailable) && !errors.Is(r.exit.Cause, executor.ErrUnavailable) {
		t.Errorf("Run does not fail with ErrUnavailable: %s", r.summary())
	}
	if _, ok := x.(executor.Local); ok {
		if err := executor.Find(x); !errors.Is(err, executor.ErrUnavailable) {
			t.Errorf("Find returned %v; the error must wrap ErrUnavailable", err)
		}
	}
}

// concurrentRuns is the number of runs of each prompt in testConcurrent.
const concurrentRuns = 3

func testConcurrent(t *testing.T, h Harness) {
	x := h.open(t)
	var runs group.Group
	for _, prompt := range h.prompts() {
		for range concurrentRuns {
			s := h.spec(t, prompt)
			runs.Go(func() { h.checkAnswer(t, prompt, h.run(t.Context(), t, x, s, nil)) })
		}
	}
	runs.Wait()
}

func testEndedContext(t *testing.T, h Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := h.run(ctx, t, h.open(t), h.spec(t, h.prompts()[0]), nil)
	if r.err == nil && !r.exit.Failed {
		t.Errorf("an agent succeeded although the context had ended before: %s", r.summary())
	}
}

func testCancel(t *testing.T, h Harness) {
	testEnding(t, h, errors.New("the test ended it"))
}

func testShutdown(t *testing.T, h Harness) { testEnding(t, h, executor.ErrShutdown) }

// testEnding ends an endless agent in its session and checks that Run ends.
func testEnding(t *testing.T, h Harness, cause error) {
	if h.Endless == "" {
		t.Skip("Harness.Endless is empty")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	x := h.open(t)
	began := time.Time{}
	r := h.run(ctx, t, x, h.spec(t, h.Endless), func(e executor.Event) {
		switch e.Kind {
		case executor.Init, executor.Prompted, executor.Thinking, executor.Delta, executor.Said, executor.ToolStarted:
			if began.IsZero() {
				began = time.Now()
				cancel(cause)
			}
		}
	})
	if began.IsZero() {
		t.Fatalf("the agent has ended without an event: %s", r.summary())
	}
	t.Logf("Run returned %v after the end of the context", time.Since(began).Round(time.Millisecond))
	if r.err == nil && !r.exit.Failed {
		t.Errorf("a cancelled agent succeeded: %s", r.summary())
	}
	prompt := h.prompts()[0]
	h.checkAnswer(t, prompt, h.run(t.Context(), t, x, h.spec(t, prompt), nil)) // the executor can still be used
}

func testHostilePrompts(t *testing.T, h Harness) {
	x := h.open(t)
	for name, prompt := range hostilePrompts() {
		r := h.run(t.Context(), t, x, h.spec(t, prompt), nil)
		if r.err != nil && r.err.Error() == "" {
			t.Errorf("%s: the error has no text", name)
		}
	}
}

func testHostileOutput(t *testing.T, h Harness) {
	if h.Hostile == "" {
		t.Skip("Harness.Hostile is empty")
	}
	r := h.run(t.Context(), t, h.open(t), h.spec(t, h.Hostile), nil)
	if r.err != nil || !r.exit.Finished || r.exit.Failed {
		t.Errorf("the agent has not finished after the noise: %s", r.summary())
	}
}

func testClose(t *testing.T, h Harness) {
	for i := range 2 { // without a run, and after one
		x := h.New(t)
		if i > 0 {
			h.run(t.Context(), t, x, h.spec(t, h.prompts()[0]), nil)
		}
		h.close(t, x)
	}
}
