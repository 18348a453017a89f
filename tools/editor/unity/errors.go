package unity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/unity/internal/bridge"
)

// The codes of this package.
const (
	codeNotRunning   = "IDE_NOT_RUNNING"
	codeReloading    = "UNITY_RELOADING"
	codeBusy         = "UNITY_BUSY"
	codeTestsRunning = "TESTS_RUNNING"
	codeUncertain    = "UNITY_UNCERTAIN"
	codeFailed       = "UNITY_FAILED"
	codeCommandOff   = "UNITY_COMMAND_OFF"
	codeAmbiguous    = "AMBIGUOUS_PROJECT"
	codeUnknownJob   = "UNKNOWN_TEST_RUN"
)

const maxErrorText = 500

// failure is an answer of Unity that is not a success.
type failure struct{ answer *bridge.Answer }

func (f *failure) Error() string {
	text := f.answer.Error
	if text == "" {
		text = f.answer.Message
	}
	return "Unity says: " + truncate.Line(text, maxErrorText)
}

// testsRun tells whether a test run keeps Unity from it, and how long to wait before trying again.
func (f *failure) testsRun() (after time.Duration, ok bool) {
	var data struct {
		Reason string `json:"reason"`
		After  int64  `json:"retry_after_ms"`
	}
	_ = json.Unmarshal(f.answer.Data, &data)
	if data.Reason != "tests_running" && f.answer.Code != "tests_running" {
		return 0, false
	}
	return time.Duration(min(max(data.After, 1000), 60_000)) * time.Millisecond, true
}

func problem(code, next string, cause error, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next, Err: cause}
}

// explain converts an error of a command for a model. Commands without side effects were already repeated.
func explain(doing string, err error) error {
	var refusal *bridge.Refusal
	var said *failure
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bridge.ErrGone):
		return problem(codeNotRunning, "Ask the user to do this, and call again: "+howToStart+".", err, "%s: Unity is no longer running", doing)
	case errors.Is(err, bridge.ErrForeign):
		return problem(codeNotRunning, "Ask the user to end the session in the window of MCP for Unity and to start it again.", err,
			"%s: another program listens at the port of Unity's status file", doing)
	case errors.Is(err, bridge.ErrReloading):
		return problem(codeReloading, "Wait some seconds and call again. If that lasts, ask the user whether Unity shows a dialog.", err,
			"%s: Unity is reloading its scripts; it has not got the command", doing)
	case errors.Is(err, bridge.ErrDropped):
		return problem(codeUncertain, "Check its result with read_console before you call again.", err,
			"%s: the connection ended before Unity answered; the command may have run", doing)
	case errors.As(err, &refusal) && refusal.TimedOut():
		return problem(codeBusy, "Wait and call again. If that lasts, ask the user whether Unity shows a dialog or is in the background.", err,
			"%s: the main thread of Unity is busy and has not come to it; it may come to it later", doing)
	case errors.As(err, &refusal) && refusal.Disabled():
		return problem(codeCommandOff, "Ask the user to turn it on under Tools in the window of MCP for Unity.", err, "%s: %s", doing, refusal.Message)
	case errors.As(err, &refusal) && refusal.Unknown():
		return problem(codeCommandOff, "Ask the user to update the package MCP for Unity.", err, "%s: %s", doing, refusal.Message)
	case errors.As(err, &said):
		if after, ok := said.testsRun(); ok {
			return problem(codeTestsRunning, fmt.Sprintf("Call again after %v, or wait for the tests with run_tests and their jobId.", after), err, "%s: tests are running in Unity", doing)
		}
		return problem(codeFailed, "Correct the arguments that the message names.", err, "%s: %v", doing, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &security.Error{Code: security.CodeOf(err), Message: doing + ": there was no answer in time.", Next: "Call again; if that fails, too, do without it.", Err: err}
	}
	return problem(codeFailed, "Call again; if that fails, too, do without it.", err, "%s: %s", doing, truncate.Line(err.Error(), maxErrorText))
}
