package debug_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

func TestBreakpoints(t *testing.T) {
	p := stopped(t, daptest.Script{}, 2)
	change := func(args debug.BreakpointsArgs) string {
		t.Helper()
		r, err := p.Breakpoints(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(r.TextContent(), "\n")
		return list
	}
	for _, tc := range []struct {
		args debug.BreakpointsArgs
		want string
	}{
		{debug.BreakpointsArgs{}, "a.fake:2\n"},
		{debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "./a.fake", Line: 4, Condition: "x > 1"}, {Path: "lib/b.fake", Line: 5, HitCondition: "3", LogMessage: "x is {x}"}}},
			"a.fake:2\na.fake:4 if x > 1\nlib/b.fake:5 hits 3 prints x is {x}\n"},
		{debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake", Line: 4}, {Path: "a.fake", Line: 40}}},
			"a.fake:2\na.fake:4\nlib/b.fake:5 hits 3 prints x is {x}\na.fake:40 (not verified) -- there is no such line\n"},
		{debug.BreakpointsArgs{Clear: []debug.ClearBreakpoint{{Path: "a.fake", Line: 2}, {Path: "lib/b.fake"}}, Set: []debug.Breakpoint{{Function: "f"}}},
			"a.fake:4\na.fake:40 (not verified) -- there is no such line\nf at line 1\n"},
		{debug.BreakpointsArgs{Clear: []debug.ClearBreakpoint{{Function: "f"}, {Path: "none"}}}, "a.fake:4\na.fake:40 (not verified) -- there is no such line\n"},
		{debug.BreakpointsArgs{ClearAll: true, Set: []debug.Breakpoint{{Path: "a.fake", Line: 7}}}, "a.fake:7\n"},
	} {
		if got := change(tc.args); got != tc.want {
			t.Errorf("%+v:\n%swant\n%s", tc.args, got, tc.want)
		}
	}
	if r := p.step(t, debug.StepArgs{Action: "continue"}); r.Line != 7 {
		t.Errorf("it stops at %+v", r)
	}
	for name, tc := range map[string]struct {
		args debug.BreakpointsArgs
		code string
	}{
		"no place":       {debug.BreakpointsArgs{Set: []debug.Breakpoint{{}}}, "INVALID_PARAMS"},
		"no line":        {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake"}}}, "INVALID_PARAMS"},
		"two places":     {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake", Line: 1, Function: "f"}}}, "INVALID_PARAMS"},
		"no file":        {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "none.fake", Line: 1}}}, "FILE_NOT_FOUND"},
		"a directory":    {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "lib", Line: 1}}}, "INVALID_PARAMS"},
		"outside":        {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "/etc/passwd", Line: 1}}}, "PERMISSION_DENIED"},
		"a long one":     {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake", Line: 1, Condition: strings.Repeat("x", 9000)}}}, "INVALID_PARAMS"},
		"a log at f":     {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Function: "f", LogMessage: "x"}}}, "INVALID_PARAMS"},
		"nothing":        {debug.BreakpointsArgs{Clear: []debug.ClearBreakpoint{{}}}, "INVALID_PARAMS"},
		"too many":       {debug.BreakpointsArgs{Set: many(201)}, "INVALID_PARAMS"},
		"what destroys":  {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake", Line: 1, Condition: "rm -rf /"}}}, "COMMAND_BLOCKED"},
		"in a message":   {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake", Line: 1, LogMessage: "it is {rm -rf /}"}}}, "COMMAND_BLOCKED"},
		"in half a one":  {debug.BreakpointsArgs{Set: []debug.Breakpoint{{Path: "a.fake", Line: 1, LogMessage: "it is {rm -rf /"}}}, "COMMAND_BLOCKED"},
		"another's name": {debug.BreakpointsArgs{SessionID: "d9"}, "UNKNOWN_SESSION"},
	} {
		_, err := p.Breakpoints(t.Context(), tc.args)
		wantCode(t, name, err, tc.code)
	}
	if got := change(debug.BreakpointsArgs{}); got != "a.fake:7\n" {
		t.Errorf("what was refused has changed something: %s", got)
	}
}

func many(n int) []debug.Breakpoint {
	all := make([]debug.Breakpoint, n)
	for i := range all {
		all[i] = debug.Breakpoint{Path: "a.fake", Line: 100 + i}
	}
	return all
}

// Unsupported features of a debugger are reported and not sent.
func TestSession_UnsupportedRequests(t *testing.T) {
	script := daptest.Script{Capabilities: json.RawMessage(`{"supportsConfigurationDoneRequest":true}`)}
	p := stopped(t, script, 2, func(s *setup) { s.options.MaxSessions = 10 })
	for _, b := range []debug.Breakpoint{
		{Function: "f"}, {Path: "a.fake", Line: 1, Condition: "x"}, {Path: "a.fake", Line: 1, HitCondition: "1"}, {Path: "a.fake", Line: 1, LogMessage: "x"},
	} {
		_, err := p.Start(t.Context(), debug.StartArgs{Program: "a.fake", Breakpoints: []debug.Breakpoint{b}})
		wantCode(t, fmt.Sprintf("a start with %+v", b), err, "INVALID_PARAMS", "this debugger knows no")
		_, err = p.Breakpoints(t.Context(), debug.BreakpointsArgs{Set: []debug.Breakpoint{b}})
		wantCode(t, fmt.Sprintf("%+v", b), err, "INVALID_PARAMS", "this debugger knows no")
	}
}

// An adapter that ends with its program, and does not say so, has not failed.
func TestSession_AdapterEndsWithProgram(t *testing.T) {
	p := stopped(t, daptest.Script{Sends: map[string][]string{"continue": {`{"seq":1,"type":"event","event":"exited","body":{"exitCode":5}}`}}, Does: map[string]string{"continue": daptest.Quit}}, 2)
	if r := p.step(t, debug.StepArgs{Action: "continue"}); r.State != "ended" || *r.ExitCode != 5 {
		t.Errorf("%+v", r)
	}
	got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(20_000)})
	if err != nil || got.State.State != "ended" || got.State.Reason != "the program has ended" || *got.State.ExitCode != 5 {
		t.Errorf("%+v, %v", got.State, err)
	}
}

// A breakpoint that is only set later says so then.
func TestBreakpoints_SetLater(t *testing.T) {
	p := stopped(t, daptest.Script{
		Answers: map[string]string{"setBreakpoints": `{"breakpoints":[{"id":1,"verified":false,"message":"pending"}]}`},
		Sends: map[string][]string{
			"configurationDone": {`{"seq":1,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1}}`},
			"threads":           {`{"seq":1,"type":"event","event":"breakpoint","body":{"reason":"changed","breakpoint":{"id":1,"verified":true,"line":4}}}`},
		},
		Does: map[string]string{},
		// It stands in line 1, and goes nowhere.
		Endless: true, Lines: 1,
	}, 1)
	state := func() debug.BreakpointState {
		t.Helper()
		r, err := p.Breakpoints(t.Context(), debug.BreakpointsArgs{})
		if err != nil || len(r.Breakpoints) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Breakpoints[0]
	}
	if got := state(); got.Verified || got.Message != "pending" {
		t.Errorf("%+v", got)
	}
	if _, err := p.Variables(t.Context(), debug.VariablesArgs{}); err != nil { // asks for the threads
		t.Fatal(err)
	}
	if got := state(); !got.Verified || got.ActualLine != 4 || got.Message != "" {
		t.Errorf("%+v", got)
	}
}

func TestVariables(t *testing.T) {
	p := stopped(t, daptest.Script{}, 2)
	read := func(args debug.VariablesArgs) debug.VariablesResult {
		t.Helper()
		r, err := p.Variables(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := read(debug.VariablesArgs{})
	if len(r.Stack) != 3 || r.Frames != 3 || len(r.Threads) != 2 || len(r.Scopes) != 2 || len(r.Scopes[0].Variables) != 3 || r.Scopes[1].Ref == "" {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "#0 f0 a.fake:2", "[threads]\n1 main\n", "[Locals]\nx (int) = 20\n", "list (list) = 1000 parts  [ref 1.30, 1000 parts]", "[Globals: call again with ref 1.20]")
	if g := read(debug.VariablesArgs{Ref: r.Scopes[1].Ref}); g.Scopes[0].Variables[0].Value != "global" {
		t.Errorf("%+v", g)
	}
	if g := read(debug.VariablesArgs{Scope: "globals", Frame: 2}); len(g.Scopes) != 1 || g.Scopes[0].Variables[0].Name != "g" {
		t.Errorf("%+v", g)
	}
	list := read(debug.VariablesArgs{Ref: "1.30", Limit: 3, MaxValue: 4})
	if got := list.Scopes[0]; len(got.Variables) != 3 || got.NextOffset != 3 || got.Variables[2].Value != "part…" {
		t.Errorf("%+v", got)
	}
	list = read(debug.VariablesArgs{Ref: "1.30", Limit: 3, Offset: 998})
	if got := list.Scopes[0]; len(got.Variables) != 2 || got.NextOffset != 0 || got.Variables[1].Name != "999" {
		t.Errorf("%+v", got)
	}
	deep := read(debug.VariablesArgs{Depth: 3, Limit: 4})
	if got := deep.Scopes[0].Variables[1]; len(got.Variables) != 4 || got.Note == "" || len(got.Variables[3].Variables) != 4 {
		t.Errorf("%+v", got)
	}
	for name, tc := range map[string]struct {
		args debug.VariablesArgs
		code string
	}{
		"no reference": {debug.VariablesArgs{Ref: "30"}, "INVALID_PARAMS"}, "half a one": {debug.VariablesArgs{Ref: "1.x"}, "INVALID_PARAMS"},
		"no frame": {debug.VariablesArgs{Frame: 3}, "BAD_RANGE"}, "a frame below": {debug.VariablesArgs{Frame: -1}, "BAD_RANGE"},
		"no scope": {debug.VariablesArgs{Scope: "Registers"}, "INVALID_PARAMS"}, "too deep": {debug.VariablesArgs{Depth: 6}, "INVALID_PARAMS"},
		"too many": {debug.VariablesArgs{Limit: 501}, "INVALID_PARAMS"}, "too long": {debug.VariablesArgs{MaxValue: 1 << 20}, "INVALID_PARAMS"},
	} {
		_, err := p.Variables(t.Context(), tc.args)
		wantCode(t, name, err, tc.code)
	}
	p.step(t, debug.StepArgs{Action: "over"})
	_, err := p.Variables(t.Context(), debug.VariablesArgs{Ref: "1.30"})
	wantCode(t, "a reference of before", err, "STALE_REFERENCE", "without ref")
}

// An answer contains all variables or reports that it is truncated.
func TestEndlessVariables(t *testing.T) {
	p := stopped(t, daptest.Script{Swollen: true}, 2, func(s *setup) { s.limits = tools.Limits{Answer: 4000} })
	r, err := p.Variables(t.Context(), debug.VariablesArgs{Depth: 5, Limit: 500})
	if err != nil || !r.Truncated || len(r.TextContent()) > 8000 || r.Scopes[0].NextOffset == 0 || len(r.Scopes[0].Variables) == 0 {
		t.Errorf("%d bytes, %v, %+v", len(r.TextContent()), err, r.Scopes)
	}
	s := p.step(t, debug.StepArgs{Action: "over"})
	if len(s.Changed) > 30 {
		t.Errorf("%d variables have changed", len(s.Changed))
	}
}

func TestEvaluate(t *testing.T) {
	p := stopped(t, daptest.Script{}, 2)
	r, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "echo x"})
	if err != nil || r.Value != "<echo x>" || r.Type != "text" || r.Ref != "1.30" {
		t.Errorf("%+v, %v", r, err)
	}
	contains(t, r.TextContent(), "(text) <echo x>  [ref 1.30]")
	if r, err = p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "echo " + strings.Repeat("x", 100), MaxValue: 10, Frame: 1}); err != nil || r.Value != "<echo xxxx…" {
		t.Errorf("%+v, %v", r, err)
	}
	for name, tc := range map[string]struct {
		args debug.EvaluateArgs
		code string
	}{
		"nothing": {debug.EvaluateArgs{Expression: " "}, "INVALID_PARAMS"}, "too much": {debug.EvaluateArgs{Expression: strings.Repeat("x", 9000)}, "INVALID_PARAMS"},
		"no frame": {debug.EvaluateArgs{Expression: "x", Frame: 3}, "BAD_RANGE"}, "below": {debug.EvaluateArgs{Expression: "x", Frame: -1}, "BAD_RANGE"},
		"too long": {debug.EvaluateArgs{Expression: "x", TimeoutMs: 50_000}, "INVALID_PARAMS"}, "destroys": {debug.EvaluateArgs{Expression: "rm -rf /"}, "COMMAND_BLOCKED"},
	} {
		_, err := p.Evaluate(t.Context(), tc.args)
		wantCode(t, name, err, tc.code)
	}
}

// The message of the debugger about an expression reaches the caller.
func TestEvaluateRefused(t *testing.T) {
	p := stopped(t, daptest.Script{Errors: map[string]string{"evaluate": "undefined: y"}}, 2)
	_, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "y"})
	wantCode(t, "y", err, "DEBUGGER_FAILED", "undefined: y", `evaluating "y"`)
}

// An expression can hit a breakpoint itself.
func TestEvaluate_MovesProgram(t *testing.T) {
	p := stopped(t, daptest.Script{Sends: map[string][]string{"evaluate": {`{"seq":1,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1}}`}}}, 2)
	r, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "f"})
	if err != nil || r.Ref != "" || len(r.Notes) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	contains(t, r.TextContent(), "debug_status")
}

// An expression that takes too long is given up; a debugger that does not do so is not asked any more.
func TestEvaluateTimeouts(t *testing.T) {
	p := stopped(t, daptest.Script{Does: map[string]string{"evaluate": daptest.Ignore}}, 2)
	_, err := p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "f", TimeoutMs: 100})
	wantCode(t, "f", err, "TIMEOUT", "still busy", "debug_stop")
	_, err = p.Variables(t.Context(), debug.VariablesArgs{})
	wantCode(t, "variables", err, "DEBUGGER_BUSY", "debug_stop")
	got, err := p.Status(t.Context(), debug.StatusArgs{WaitMs: new(10)})
	if err != nil {
		t.Fatal(err)
	}
	contains(t, got.TextContent(), "still busy")
	if r, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil || r.State != "ended" {
		t.Errorf("%+v, %v", r, err)
	}

	// One adapter responds to a pause.
	const tenth = `{"seq":1,"type":"response","request_seq":10,"command":"evaluate","success":false,"message":"interrupted"}`
	p = stopped(t, daptest.Script{Does: map[string]string{"evaluate": daptest.Ignore}, Sends: map[string][]string{"pause": {tenth}}}, 2)
	_, err = p.Evaluate(t.Context(), debug.EvaluateArgs{Expression: "f", TimeoutMs: 100})
	wantCode(t, "f", err, "TIMEOUT", "it was given up", "timeoutMs")
	if _, err = p.Variables(t.Context(), debug.VariablesArgs{}); err != nil {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	printed := func(category, text string) string {
		body, _ := json.Marshal(map[string]any{"seq": 1, "type": "event", "event": "output", "body": map[string]string{"category": category, "output": text}})
		return string(body)
	}
	lines := strings.Repeat("0123456789abcde\n", 1000) // of 16 bytes
	p := stopped(t, daptest.Script{Sends: map[string][]string{"next": {printed("stdout", lines), printed("telemetry", "secret"), printed("stderr", "日本")}}}, 1)
	r := p.step(t, debug.StepArgs{Action: "over"})
	if !strings.HasSuffix(r.Output, "cde\n日本line 1\n") && !strings.HasSuffix(r.Output, "cde\n日本") || len(r.Output) > 4096 || r.OutputOffset == 0 || !strings.HasPrefix(r.Output, "0123") {
		t.Errorf("%d bytes from %d on: %.40q … %q", len(r.Output), r.OutputOffset, r.Output, r.Output[max(0, len(r.Output)-30):])
	}
	contains(t, strings.Join(r.Notes, "\n"), "offset=0")
	var all strings.Builder
	for offset := int64(0); ; {
		got, err := p.Status(t.Context(), debug.StatusArgs{Offset: &offset, Length: 1001})
		if err != nil {
			t.Fatal(err)
		}
		if got.State.Output == "" {
			break
		}
		all.WriteString(got.State.Output)
		offset = got.State.NextOffset
	}
	if all.String() != lines+"日本line 1\n" {
		t.Errorf("read in parts: %d bytes, ending in %q", all.Len(), all.String()[max(0, all.Len()-40):])
	}
	_, err := p.Status(t.Context(), debug.StatusArgs{Offset: new(int64(1 << 40))})
	wantCode(t, "an offset behind the end", err, "BAD_RANGE")
	_, err = p.Status(t.Context(), debug.StatusArgs{Length: -1})
	wantCode(t, "a negative length", err, "INVALID_PARAMS")
	_, err = p.Status(t.Context(), debug.StatusArgs{WaitMs: new(60_000)})
	wantCode(t, "a long wait", err, "INVALID_PARAMS")
}

func TestUntil(t *testing.T) {
	p := stopped(t, daptest.Script{}, 2)
	_, err := p.Step(t.Context(), debug.StepArgs{Action: "until", Line: 50})
	wantCode(t, "until a line that is none", err, "INVALID_PARAMS", "there is no such line")
	_, err = p.Step(t.Context(), debug.StepArgs{Action: "until"})
	wantCode(t, "until no line", err, "INVALID_PARAMS")
	_, err = p.Step(t.Context(), debug.StepArgs{Action: "jump"})
	wantCode(t, "jump", err, "INVALID_PARAMS", "pause")
	if r := p.step(t, debug.StepArgs{Action: "until", Path: "lib/b.fake", Line: 6}); r.Line != 6 {
		t.Errorf("%+v", r)
	}
	if r := p.step(t, debug.StepArgs{Action: "continue"}); r.State != "ended" {
		t.Errorf("%+v", r)
	}
}

func TestExceptions(t *testing.T) {
	p := played(t, daptest.Script{Sends: map[string][]string{"next": {`{"seq":1,"type":"event","event":"stopped","body":{"reason":"exception","threadId":1,"description":"Paused","text":"Fault"}}`}},
		Does: map[string]string{"next": daptest.Ignore}}, func(s *setup) { s.options.CallTimeout = 3 * time.Second })
	p.start(t, debug.StartArgs{Program: "a.fake", StopOnEntry: true})
	_, err := p.Step(t.Context(), debug.StepArgs{Action: "over"})
	wantCode(t, "a step without an answer", err, "TIMEOUT")
	got, err := p.Status(t.Context(), debug.StatusArgs{})
	if err != nil || got.State.Reason != "exception" {
		t.Fatalf("%+v, %v", got, err)
	}
	contains(t, got.TextContent(), "Paused: Fault", "Fault: it is broken")
}
