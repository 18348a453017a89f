package editor_test

import (
	"context"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// startingAdapter is a Diagnoser that records the time that it has.
type startingAdapter struct {
	fakeAdapter
	starting bool
	left     time.Duration
}

func (a *startingAdapter) Starting(context.Context, []string) bool { return a.starting }

func (a *startingAdapter) Diagnose(ctx context.Context, _ []string) (adapter.Diagnostics, error) {
	deadline, _ := ctx.Deadline()
	a.left = time.Until(deadline)
	return adapter.Diagnostics{Fresh: true}, nil
}

// A call waits longer for an adapter that starts, unless the caller has set the wait.
func TestDiagnostics_WaitForStart(t *testing.T) {
	for name, tc := range map[string]struct {
		starting bool
		waitMS   int
		long     bool
	}{"starting": {starting: true, long: true}, "started": {}, "with a wait": {starting: true, waitMS: 1000}} {
		t.Run(name, func(t *testing.T) {
			a := &startingAdapter{fakeAdapter: fakeAdapter{name: "fake", state: adapter.State{Running: true}}, starting: tc.starting}
			p := newProject(t, with(a), map[string]string{"a.go": "package a\n"})
			if _, err := p.Diagnostics(t.Context(), editor.DiagnosticsArgs{Path: "a.go", WaitMS: tc.waitMS}); err != nil {
				t.Fatal(err)
			}
			if long := a.left > time.Second; long != tc.long {
				t.Errorf("it has %v", a.left)
			}
		})
	}
}
