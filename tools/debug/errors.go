package debug

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/internal/dap"
)

// Error codes of this package. Package security defines further codes.
const (
	codeUnknownSession = "UNKNOWN_SESSION"
	codeTooMany        = "TOO_MANY_SESSIONS"
	codeEnded          = "SESSION_ENDED"
	codeNoDebugger     = "NO_DEBUGGER"
	codeFailed         = "DEBUGGER_FAILED"
	codeBusy           = "DEBUGGER_BUSY"
	codeNotStopped     = "NOT_STOPPED"
	codeStaleReference = "STALE_REFERENCE"
	codeBadRange       = "BAD_RANGE"
)

func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid is an error about the arguments.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// failed returns the error for a request that the debugger did not fulfil.
func failed(doing string, err error) error {
	if refused, ok := errors.AsType[*dap.Refusal](err); ok {
		return &mcp.ToolError{Code: codeFailed, Message: fmt.Sprintf("%s: the debugger says: %s", doing, cutText(refused.Message)),
			Next: "Correct the cause in the message, and call again.", Err: err}
	}
	if known, ok := errors.AsType[*mcp.ToolError](err); ok {
		return known
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	e, _ := errors.AsType[*dap.Error](err)
	switch {
	case e != nil && e.Gone:
		return &mcp.ToolError{Code: codeFailed, Message: fmt.Sprintf("%s: the debugger is gone: %s%s", doing, cutText(err.Error()), sanitize(e.Words)),
			Next: "Start a new session with debug_start.", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &mcp.ToolError{Code: string(security.Timeout), Message: fmt.Sprintf("%s: %s", doing, cutText(err.Error())),
			Next: "Call again; if that fails, too, end the session with debug_stop and start a new one.", Err: err}
	}
	return &mcp.ToolError{Code: codeFailed, Message: fmt.Sprintf("%s: %s", doing, cutText(err.Error())), Next: "Call again; if that fails, too, end the session with debug_stop and start a new one.", Err: err}
}

// recordOutcome records the outcome of an operation in the audit log and returns err.
func recordOutcome(entry *audit.Call, err error) error {
	if unrecorded := entry.End(err); unrecorded != nil {
		return errors.Join(err, unrecorded)
	}
	return err
}

// sanitize returns the output of a debugger before its failure.
func sanitize(words string) string {
	if words == "" {
		return ""
	}
	return "\nIts last words:\n" + words
}

// quote shows a foreign string in a message.
func quote(s string) string { return truncate.Quote(s, maxShown) }

// cutText is a foreign text of bounded length.
func cutText(s string) string { return truncate.Cut(s, 4*maxShown) }

const maxShown = 300
