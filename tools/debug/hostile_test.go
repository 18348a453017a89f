package debug_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

// impatient is a project that does not give debuggers much time.
func impatient(s *setup) {
	s.options.CallTimeout, s.options.StartTimeout = 300*time.Millisecond, 2*time.Second
}

// Every call returns a result, or an error with a next step, for every behaviour of the adapter. No process remains.
func TestDebugger_HostileAdapters(t *testing.T) {
	deeds := []string{daptest.Hang, daptest.Die, daptest.Garbage, daptest.Flood, daptest.Ignore}
	for _, command := range []string{"initialize", "launch", "setBreakpoints", "configurationDone", "stackTrace", "variables", "threads", "next", "evaluate", "disconnect"} {
		for i, deed := range deeds {
			if testing.Short() && i != len(command)%len(deeds) {
				continue // one deed a command
			}
			t.Run(command+" "+deed, func(t *testing.T) {
				t.Parallel()
				p := played(t, daptest.Script{Listen: i%2 == 0, Deaf: true, Does: map[string]string{command: deed}}, impatient)
				began := time.Now()
				var failed []error
				note := func(_ any, err error) { failed = append(failed, err) }
				r, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake", Breakpoints: at(2), WaitMs: new(3000)})
				note(r, err)
				note(p.Variables(t.Context(), debug.VariablesArgs{}))
				note(p.Breakpoints(t.Context(), debug.BreakpointsArgs{Set: at(5)}))
				note(p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "echo 1", TimeoutMs: 100}))
				note(p.Step(t.Context(), debug.StepArgs{Action: "over", WaitMs: new(300)}))
				note(p.Step(t.Context(), debug.StepArgs{Action: "pause", WaitMs: new(300)}))
				note(p.Status(t.Context(), debug.StatusArgs{}))
				last, err := p.Stop(t.Context(), debug.StopArgs{})
				if note(last, err); err != nil && !strings.Contains(err.Error(), "there is no session") || err == nil && last.State != "ended" {
					t.Errorf("stopped: %+v, %v", last, err)
				}
				some := false
				for _, err := range failed {
					if err == nil {
						continue
					}
					some = true
					coded, ok := err.(interface {
						ErrorCode() string
						NextStep() string
					})
					if !ok || coded.ErrorCode() == "" || coded.NextStep() == "" || len(err.Error()) > 8000 {
						t.Errorf("%d bytes: %.300v", len(err.Error()), err)
					}
				}
				if notes := fmt.Sprint(r.Notes); !some && command != "disconnect" && command+deed != "threads"+daptest.Ignore && !strings.Contains(notes, "cannot be") {
					t.Errorf("nothing has failed: %+v", r)
				}
				if took := time.Since(began); took > 3*hang {
					t.Errorf("it took %v", took)
				}
				if err := p.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A refusal of the debugger is distinguished from its failure.
func TestRefusedStarts(t *testing.T) {
	for _, command := range []string{"launch", "setBreakpoints", "configurationDone"} {
		p := played(t, daptest.Script{Errors: map[string]string{command: "the program does not compile"},
			Sends: map[string][]string{command: {`{"seq":1,"type":"event","event":"output","body":{"category":"stderr","output":"main.go:1: syntax error\n"}}`}}})
		_, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
		wantCode(t, command, err, "DEBUGGER_FAILED", "the program does not compile", "main.go:1: syntax error")
		got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(10_000)})
		if err != nil || got.State.State != "ended" || !strings.Contains(got.TextContent(), "does not compile") {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A debugger that dies at work ends its session, with its last words.
func TestSession_DebuggerDies(t *testing.T) {
	p := stopped(t, daptest.Script{Does: map[string]string{"next": daptest.Die}}, 2)
	_, err := p.Step(t.Context(), debug.StepArgs{Action: "over"})
	wantCode(t, "a step", err, "DEBUGGER_FAILED", "exit code 7", "the adapter has a fault", "debug_start")
}

// Close ends sessions in every state.
func TestClose(t *testing.T) {
	p := played(t, daptest.Script{Endless: true})
	p.start(t, debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
	p.start(t, debug.StartArgs{Program: "a.fake", WaitMs: new(0)})
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake"})
	wantCode(t, "a start behind the end", err, "INTERNAL_ERROR")
	if got, err := p.Status(t.Context(), debug.StatusArgs{}); err != nil || len(got.Sessions) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A session is one program: two calls do not work with it at once.
func TestTurns(t *testing.T) {
	p := stopped(t, daptest.Script{Does: map[string]string{"evaluate": daptest.Ignore}}, 2)
	first := make(chan error, 1)
	go func() {
		_, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "echo 1", TimeoutMs: 500})
		first <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for ctx.Err() == nil {
		_, _ = p.Breakpoints(ctx, debug.BreakpointsArgs{})
	}
	wantCode(t, "evaluate", <-first, "TIMEOUT")
}
