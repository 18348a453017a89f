package debug_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestStart_Refused(t *testing.T) {
	dir := t.TempDir()
	exe := filepath.Join(dir, "dbg")
	if err := os.WriteFile(exe, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	missing := debug.Adapter{Name: "missing", Extensions: []string{".none"}, Command: "no-such-debugger", Install: "get it",
		Launches: map[string]debug.Launch{debug.ModeProgram: {}}}
	p := played(t, daptest.Script{}, func(s *setup) {
		s.options.Adapters = append(s.options.Adapters, missing)
		s.options.Policy = &command.Policy{Denied: []string{"run * forbidden *"}}
		s.files["x.none"] = ""
	})
	for name, tc := range map[string]struct {
		args debug.StartArgs
		code string
		says string
	}{
		"nothing":            {debug.StartArgs{}, "INVALID_PARAMS", "there is no program"},
		"no file":            {debug.StartArgs{Program: "b.fake"}, "FILE_NOT_FOUND", ""},
		"a file outside":     {debug.StartArgs{Program: "/bin/ls"}, "PERMISSION_DENIED", ""},
		"another language":   {debug.StartArgs{Program: "notes.txt", Mode: "program"}, "NO_DEBUGGER", "fake, missing"},
		"no such adapter":    {debug.StartArgs{Program: "a.fake", Adapter: "other"}, "NO_DEBUGGER", "fake, missing"},
		"not installed":      {debug.StartArgs{Program: "x.none"}, "NO_DEBUGGER", "get it"},
		"no such mode":       {debug.StartArgs{Program: "a.fake", Mode: "race"}, "INVALID_PARAMS", "attach"},
		"not of the adapter": {debug.StartArgs{Program: "x.none", Mode: "test"}, "INVALID_PARAMS", "has no mode"},
		"attaching":          {debug.StartArgs{Mode: "attach", ProcessID: 1}, "PERMISSION_DENIED", "turned off"},
		"forbidden":          {debug.StartArgs{Program: "a.fake", Args: []string{"a", "forbidden", "b"}}, "COMMAND_BLOCKED", "denied"},
		"a zero byte":        {debug.StartArgs{Program: "a.fake", Args: []string{"\x00"}}, "INVALID_PARAMS", "zero byte"},
		"too much":           {debug.StartArgs{Program: "a.fake", Args: []string{strings.Repeat("x", 100_000)}}, "INVALID_PARAMS", "65536"},
		"our variable":       {debug.StartArgs{Program: "a.fake", Env: map[string]string{"DOUGU_X": "1"}}, "INVALID_PARAMS", "this server"},
		"no variable":        {debug.StartArgs{Program: "a.fake", Env: map[string]string{"A=B": "1"}}, "INVALID_PARAMS", "cannot be set"},
		"no directory":       {debug.StartArgs{Program: "a.fake", CWD: "none"}, "FILE_NOT_FOUND", ""},
		"a file for one":     {debug.StartArgs{Program: "a.fake", CWD: "a.fake"}, "NOT_A_DIRECTORY", ""},
		"a breakpoint":       {debug.StartArgs{Program: "a.fake", Breakpoints: []debug.Breakpoint{{Path: "none", Line: 1}}}, "FILE_NOT_FOUND", ""},
		"a long wait":        {debug.StartArgs{Program: "a.fake", WaitMs: new(60_000)}, "INVALID_PARAMS", "debug_status"},
	} {
		_, err := p.Start(t.Context(), tc.args)
		wantCode(t, name, err, tc.code, tc.says)
	}
	if got, err := p.Status(t.Context(), debug.StatusArgs{}); err != nil || len(got.Sessions) != 0 {
		t.Errorf("something was started: %+v, %v", got, err)
	}
	readOnly := played(t, daptest.Script{}, func(s *setup) { s.readOnly = true })
	_, err := readOnly.Start(t.Context(), debug.StartArgs{Program: "a.fake"})
	wantCode(t, "a read-only project", err, "PERMISSION_DENIED")
}

// A debugger of the project is not taken for the one that is installed.
func TestStart_DebuggerOfProjectRefused(t *testing.T) {
	p := played(t, daptest.Script{}, func(s *setup) { s.options.Adapters[0].Command = "dbg" })
	bin := filepath.Join(p.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "dbg"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "relative:"+bin)
	_, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake"})
	wantCode(t, "start", err, "NO_DEBUGGER")
}

// Installed debuggers are detected and work.
func TestInstalled(t *testing.T) {
	p := played(t, daptest.Script{Does: map[string]string{"initialize": daptest.Die}}, func(s *setup) {
		exe := s.options.Adapters[0].Command
		s.options.Adapters = append(s.options.Adapters,
			debug.Adapter{Name: "none", Command: "no-such-debugger"}, debug.Adapter{Name: "half", Command: exe, Probe: []string{"-no-such-flag"}},
			debug.Adapter{Name: "whole", Command: exe, Probe: []string{"-test.list=^$"}})
	})
	got := p.Installed(t.Context())
	if got["fake"] == "" || got["none"] != "" || got["half"] != "" || got["whole"] != got["fake"] {
		t.Errorf("%q", got)
	}
	_, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake"})
	wantCode(t, "one that does not start", err, "DEBUGGER_FAILED", "the adapter has a fault", "it is this test")
}

func TestAttach(t *testing.T) {
	p := played(t, daptest.Script{Sends: map[string][]string{"configurationDone": {`{"seq":1,"type":"event","event":"stopped","body":{"reason":"pause","threadId":1}}`}}},
		func(s *setup) { s.options.Attach = true })
	_, err := p.Start(t.Context(), debug.StartArgs{Mode: "attach", ProcessID: os.Getpid()})
	wantCode(t, "to itself", err, "INVALID_PARAMS")
	r := p.start(t, debug.StartArgs{Mode: "attach", ProcessID: os.Getppid(), Adapter: "fake"})
	if r.State != "stopped" && r.State != "ended" {
		t.Errorf("%+v", r)
	}
}

// The audit log has an entry before every effect.
func TestAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	audit, err := audit.Open(audit.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	p := played(t, daptest.Script{})
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := debug.New(t.Context(), tools.Env{Root: root, Audit: audit}, debug.Options{Adapters: []debug.Adapter{fake(t, daptest.Script{})}, OutputDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	_, err = d.Start(t.Context(), debug.StartArgs{Program: "a.fake", Breakpoints: at(2), Env: map[string]string{"API_TOKEN": "hush"}})
	do(err)
	_, err = d.Breakpoints(t.Context(), debug.BreakpointsArgs{ClearAll: true})
	do(err)
	_, err = d.Step(t.Context(), debug.StepArgs{Action: "over"})
	do(err)
	_, err = d.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "echo 1"})
	do(err)
	_, err = d.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "rm -rf /"})
	wantCode(t, "evaluate", err, "COMMAND_BLOCKED")
	_, err = d.Stop(t.Context(), debug.StopArgs{})
	do(err)
	do(d.Close(t.Context()))
	do(audit.Close())
	text, err := os.ReadFile(path)
	do(err)
	contains(t, string(text), `"debug_start"`, `"debug_breakpoints"`, `"debug_step"`, `"debug_evaluate"`, `"debug_stop"`, "COMMAND_BLOCKED", "echo 1")
	if strings.Contains(string(text), "hush") {
		t.Errorf("a secret is in the log:\n%s", text)
	}
}

func TestAsTools(t *testing.T) {
	p := played(t, daptest.Script{})
	var names []string
	for _, tool := range p.Features().Tools {
		names = append(names, tool.Tool().Name)
	}
	if want := []string{"debug_start", "debug_status", "debug_breakpoints", "debug_step", "debug_variables", "debug_evaluate", "debug_stop"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %q", names)
	}
	if a := toolsettest.Tool(t, p, "debug_evaluate").Tool().Annotations; a == nil || a.Destructive == nil || !*a.Destructive || !*a.OpenWorld {
		t.Errorf("debug_evaluate is %+v", a)
	}
	r := toolsettest.Structured[debug.State](t, toolsettest.Call(t, p, "debug_start", `{"program":"a.fake","breakpoints":[{"path":"a.fake","line":2}]}`))
	if r.State != "stopped" || r.Line != 2 {
		t.Errorf("%+v", r)
	}
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p, "debug_step", `{"action":"over"}`)), "stopped: step in f0 at a.fake:3")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p, "debug_step", `{"action":"jump"}`)), "action")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p, "debug_variables", `{}`)), "x (int) = 30")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p, "debug_status", `{}`)), "stopped")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p, "debug_stop", `{}`)), "ended")
}
