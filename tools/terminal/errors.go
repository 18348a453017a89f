package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// Error codes of this package. Package security defines further codes.
const (
	codeUnknownProcess = "UNKNOWN_PROCESS"
	codeTooMany        = "TOO_MANY_PROCESSES"
	codeInputClosed    = "INPUT_CLOSED"
)

// problem returns an error with a code and the advice next.
func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid returns an INVALID_PARAMS error.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// notStarted returns the error for a program that could not be started.
func notStarted(program string, err error) error {
	failed := &mcp.ToolError{Code: string(security.InternalError), Message: fmt.Sprintf("%s was not started: %v", quote(program), err), Err: err}
	switch {
	case errors.Is(err, exec.ErrDot):
		failed.Code, failed.Next = string(security.FileNotFound), "To run a program of the working directory, begin its name with ./"
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		failed.Code, failed.Next = string(security.FileNotFound), "Check the name. With args, command is the program alone; a line for a shell goes into command without args."
	case errors.Is(err, fs.ErrPermission):
		failed.Code, failed.Next = string(security.PermissionDenied), "Use a program that may be executed, or name its interpreter as the command."
	case errors.Is(err, pty.ErrNoTerminal):
		failed.Code, failed.Next = string(security.InvalidParams), "Leave pty out."
	}
	return failed
}

// TimeoutError is the error of a command that exceeded its timeout. Its process tree was ended.
type TimeoutError struct {
	// Result has the output until then. Its TimedOut is set.
	Result CommandResult

	timeout time.Duration
}

// Error describes the timeout and contains the output.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the command did not end within %v and was ended with all that it had started\n%s", e.timeout, e.Result.TextContent())
}

// ErrorCode returns TIMEOUT.
func (e *TimeoutError) ErrorCode() string { return string(security.Timeout) }

// NextStep advises a longer timeout or background.
func (e *TimeoutError) NextStep() string {
	follow := e.Result.offers.advice("run it with background=true and follow it with read_process_output", "let it do less at once", "read_process_output")
	return "Give it a larger timeout, or " + follow + ". If it waited for input, give stdin, or an option that makes it ask nothing."
}

// ErrorDetails returns the members of Result.
func (e *TimeoutError) ErrorDetails() map[string]any {
	r := e.Result
	return map[string]any{
		"timedOut": true, "exitCode": r.ExitCode, "signal": r.Signal, "stdout": r.Stdout, "stderr": r.Stderr,
		"executionTime": r.ExecutionTime, "processId": r.ProcessID, "truncated": r.Truncated,
	}
}

// quote quotes a string from outside for a message and truncates it to 300 bytes.
func quote(s string) string { return truncate.Quote(s, 300) }
