package debug_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

// A session from its beginning to its end, by each way to speak.
func TestSession(t *testing.T) {
	for name, s := range map[string]daptest.Script{
		"over its streams": {Exit: 3}, "over TCP": {Listen: true, Exit: 3}, "early": {Early: true, Exit: 3}, "late": {Late: true, Exit: 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := played(t, s)
			r := p.start(t, debug.StartArgs{Program: "a.fake", Args: []string{"x"}, Env: map[string]string{"A": "b"}, CWD: "lib", Breakpoints: at(3)})
			if r.State != "stopped" || r.Reason != "breakpoint" || r.Function != "f0" || r.Path != "a.fake" || r.Line != 3 || len(r.Stack) != 3 || r.Output != "line 1\nline 2\n" {
				t.Errorf("it has stopped: %+v", r)
			}
			contains(t, r.TextContent(), "stopped: breakpoint in f0 at a.fake:3", ">    3  three\n", "     1  one\n", "     8  eight\n", "#2 f2", "x (int) = 30", "same (text) = always", "[output]\nline 1\n")
			if strings.Contains(r.Source, "nine") {
				t.Errorf("the source is\n%s", r.Source)
			}
			r = p.step(t, debug.StepArgs{Action: "over"})
			if r.Line != 4 || r.Reason != "step" || r.Output != "line 3\n" || len(r.Changed) != 1 || r.Changed[0].Value != "40" {
				t.Errorf("a step: %+v", r)
			}
			for _, action := range []string{"into", "out"} {
				p.step(t, debug.StepArgs{Action: action})
			}
			if r = p.step(t, debug.StepArgs{Action: "until", Line: 8}); r.Line != 8 || r.Reason != "breakpoint" {
				t.Errorf("until: %+v", r)
			}
			got, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{})
			if err != nil || len(got.Breakpoints) != 1 || got.Breakpoints[0].Line != 3 || !got.Breakpoints[0].Verified {
				t.Errorf("the breakpoints are %+v, %v", got, err)
			}
			r = p.step(t, debug.StepArgs{Action: "continue"})
			if r.State != "ended" || r.ExitCode == nil || *r.ExitCode != 3 || r.Output != "line 8\nline 9\nline 10\nthe end\n" {
				t.Errorf("the end: %+v", r)
			}
			contains(t, r.TextContent(), "ended: the program has ended, exit code 3")
			_, err = p.Step(t.Context(), debug.StepArgs{Action: "over"})
			wantCode(t, "a step behind the end", err, "SESSION_ENDED", "debug_start")
			status, err := p.Status(t.Context(), debug.StatusArgs{Offset: new(int64(-8)), Length: 100})
			if err != nil || status.State.Output != "the end\n" || status.OutputSize != int64(len(strings.Repeat("line 1\n", 9)+"line 10\nthe end\n")) {
				t.Errorf("the status is %+v, %v", status, err)
			}
		})
	}
}

func TestStart_StopOnEntry(t *testing.T) {
	p := played(t, daptest.Script{})
	if r := p.start(t, debug.StartArgs{Program: "a.fake", StopOnEntry: true}); r.Line != 1 || r.Reason != "entry" {
		t.Errorf("%+v", r)
	}
	// An adapter without a usable entry gets a function breakpoint, which no call has to remove.
	r := p.start(t, debug.StartArgs{Program: "notes.txt", StopOnEntry: true})
	if r.Line != 1 || r.State != "stopped" || r.Reason != "breakpoint" {
		t.Errorf("%+v", r)
	}
	if got, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{SessionID: r.SessionID}); err != nil || len(got.Breakpoints) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A program that runs on is waited for, paused and stopped.
func TestRunningOn(t *testing.T) {
	p := played(t, daptest.Script{Endless: true})
	r := p.start(t, debug.StartArgs{Program: "a.fake", WaitMs: new(200)})
	if r.State != "running" && r.State != "starting" {
		t.Fatalf("%+v", r)
	}
	contains(t, r.TextContent(), "debug_status")
	for deadline := time.Now().Add(hang); r.State != "running"; {
		status, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(100)})
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", status, err)
		}
		r = *status.State
	}
	_, err := p.Variables(t.Context(), debug.VariablesArgs{})
	wantCode(t, "variables", err, "NOT_STOPPED", "action=pause")
	_, err = p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "1"})
	wantCode(t, "evaluate", err, "NOT_STOPPED")
	_, err = p.Step(t.Context(), debug.StepArgs{Action: "over"})
	wantCode(t, "step", err, "NOT_STOPPED")
	if r = p.step(t, debug.StepArgs{Action: "pause"}); r.State != "stopped" || r.Reason != "pause" {
		t.Errorf("paused: %+v", r)
	}
	if r = p.step(t, debug.StepArgs{Action: "pause"}); r.State != "stopped" {
		t.Errorf("paused again: %+v", r)
	}
	waits := make(chan debug.State, 1)
	go func() { // a waiting call does not block a pause
		r, _ := p.Step(t.Context(), debug.StepArgs{Action: "continue", WaitMs: new(40_000)})
		waits <- r
	}()
	for deadline := time.Now().Add(hang); ; {
		got, err := p.Status(t.Context(), debug.StatusArgs{})
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", got, err)
		}
		if got.State.State == "running" {
			break
		}
	}
	if r = p.step(t, debug.StepArgs{Action: "pause"}); r.State != "stopped" {
		t.Errorf("paused by another: %+v", r)
	}
	if r = <-waits; r.State != "stopped" {
		t.Errorf("paused for who waits: %+v", r)
	}
	if r = p.step(t, debug.StepArgs{Action: "continue", WaitMs: new(0)}); r.State != "running" {
		t.Errorf("going on: %+v", r)
	}
	r, err = p.Stop(t.Context(), debug.StopArgs{})
	if err != nil || r.State != "ended" || r.Reason != "debug_stop was called" {
		t.Errorf("stopped: %+v, %v", r, err)
	}
	if r, err = p.Stop(t.Context(), debug.StopArgs{}); err != nil || r.State != "ended" {
		t.Errorf("stopped again: %+v, %v", r, err)
	}
}

func TestSeveralSessions(t *testing.T) {
	p := played(t, daptest.Script{}, func(s *setup) { s.options.MaxSessions = 2 })
	if got, err := p.Status(t.Context(), debug.StatusArgs{}); err != nil || len(got.Sessions) != 0 || got.State != nil || got.TextContent() != "[0 sessions]\n" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err := p.Stop(t.Context(), debug.StopArgs{})
	wantCode(t, "no session", err, "UNKNOWN_SESSION", "debug_start")
	first := p.start(t, debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
	second := p.start(t, debug.StartArgs{Program: "lib/b.fake", StopOnEntry: true})
	if first.SessionID == second.SessionID {
		t.Errorf("both are %s", first.SessionID)
	}
	_, err = p.Start(t.Context(), debug.StartArgs{Program: "a.fake"})
	wantCode(t, "a third", err, "TOO_MANY_SESSIONS", "debug_stop")
	_, err = p.Step(t.Context(), debug.StepArgs{Action: "over"})
	wantCode(t, "no id", err, "INVALID_PARAMS", "sessionId")
	_, err = p.Step(t.Context(), debug.StepArgs{Action: "over", SessionID: "none"})
	wantCode(t, "another id", err, "UNKNOWN_SESSION")
	got, err := p.Status(t.Context(), debug.StatusArgs{})
	if err != nil || len(got.Sessions) != 2 || got.State != nil || got.Sessions[1].Program != "lib/b.fake" {
		t.Errorf("%+v, %v", got, err)
	}
	contains(t, got.TextContent(), "[2 sessions]", first.SessionID+" stopped: program a.fake with fake")
	if _, err := p.Stop(t.Context(), debug.StopArgs{SessionID: first.SessionID}); err != nil {
		t.Fatal(err)
	}
	if r := p.step(t, debug.StepArgs{Action: "over"}); r.SessionID != second.SessionID { // the only one that is left
		t.Errorf("%+v", r)
	}
	p.start(t, debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
}

// TestDebugger_PrincipalsAreApart: a principal sees and reaches its own sessions alone, also by their ids.
func TestDebugger_PrincipalsAreApart(t *testing.T) {
	p := played(t, daptest.Script{})
	alice, bob := protocol.WithPrincipal(t.Context(), "alice"), protocol.WithPrincipal(t.Context(), "bob")
	started, err := p.Start(alice, debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
	if err != nil {
		t.Fatal(err)
	}
	for name, ctx := range map[string]context.Context{"another principal": bob, "a client without authentication": t.Context()} {
		if got, err := p.Status(ctx, debug.StatusArgs{}); err != nil || len(got.Sessions) != 0 || got.State != nil {
			t.Errorf("%s sees %+v, %v", name, got, err)
		}
		for _, id := range []string{"", started.SessionID} {
			_, stepErr := p.Step(ctx, debug.StepArgs{Action: "over", SessionID: id})
			wantCode(t, name, stepErr, "UNKNOWN_SESSION")
			_, stopErr := p.Stop(ctx, debug.StopArgs{SessionID: id})
			wantCode(t, name, stopErr, "UNKNOWN_SESSION")
		}
	}
	if r, err := p.Stop(alice, debug.StopArgs{}); err != nil || r.SessionID != started.SessionID {
		t.Errorf("the owner: %+v, %v", r, err)
	}
}

func TestSessions_IdleEnded(t *testing.T) {
	p := stopped(t, daptest.Script{}, 2, func(s *setup) { s.options.Idle, s.options.MaxSessions = 3*time.Second, 1 })
	for deadline := time.Now().Add(hang); ; { // until there is room for another one
		_, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
		if err == nil {
			break
		}
		if wantCode(t, "another session", err, "TOO_MANY_SESSIONS"); time.Now().After(deadline) {
			t.Fatal("it does not end")
		}
	}
	got, err := p.Status(t.Context(), debug.StatusArgs{})
	if err != nil || got.Sessions[0].State != "ended" {
		t.Fatalf("%+v, %v", got, err)
	}
	got, err = p.Status(t.Context(), debug.StatusArgs{SessionID: got.Sessions[0].SessionID})
	if err != nil || got.State.Reason != "it was idle for too long" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Output is forgotten with its session.
func TestSessions_EndedRemoved(t *testing.T) {
	p := played(t, daptest.Script{}, func(s *setup) { s.options.KeepOutput = time.Millisecond })
	r := p.start(t, debug.StartArgs{Program: "a.fake"})
	for deadline := time.Now().Add(hang); ; {
		_, err := p.Status(t.Context(), debug.StatusArgs{SessionID: r.SessionID, WaitMs: new(10)})
		if err != nil {
			wantCode(t, "a forgotten session", err, "UNKNOWN_SESSION")
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it is not forgotten")
		}
	}
}

// A start whose call is cancelled ends.
func TestAbandonedStart(t *testing.T) {
	p := played(t, daptest.Script{Endless: true})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := p.Start(ctx, debug.StartArgs{Program: "a.fake"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v", err)
	}
	got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(40_000)})
	if err != nil || got.State.State != "ended" {
		t.Errorf("%+v, %v", got, err)
	}
}
