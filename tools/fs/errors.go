package fs

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// Error codes of this package. Packages security and textfile define further codes.
const (
	codeBadRange      = "BAD_RANGE"
	codeBinaryFile    = "BINARY_FILE"
	codeInvalidCursor = "INVALID_CURSOR"
)

// invalid returns an INVALID_PARAMS error. next is the advice to the caller.
func invalid(next, format string, args ...any) error {
	return &mcp.ToolError{Code: string(security.InvalidParams), Message: fmt.Sprintf(format, args...), Next: next}
}

// conflict returns the error for two arguments that exclude each other.
func conflict(one, other, next string) error {
	return invalid(next, "%s and %s do not go together", one, other)
}

// badRange returns a BAD_RANGE error for lines or bytes that a file does not have.
func badRange(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeBadRange, Message: fmt.Sprintf(format, args...), Next: next}
}

// withNextStep replaces the next step of a *security.Error with the given code. It returns every other error unchanged.
func withNextStep(err error, code security.Code, next func(old string) string) error {
	known, ok := errors.AsType[*security.Error](err)
	if !ok || known.Code != code {
		return err
	}
	better := *known
	better.Next = next(known.NextStep())
	return &better
}

// wrapPath adds the action and the path to an error. An error of package security has them already and is returned unchanged.
func wrapPath(doing, path string, err error) error {
	if _, ok := errors.AsType[*security.Error](err); ok || err == nil {
		return err
	}
	return fmt.Errorf("%s %s: %w", doing, quote(path), err)
}

// quote quotes a string from outside for a message and truncates it to 300 bytes.
func quote(s string) string { return truncate.Quote(s, 300) }
