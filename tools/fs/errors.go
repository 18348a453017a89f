package fs

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// The codes that this package adds to those of packages security and textfile.
const (
	codeBadRange      = "BAD_RANGE"
	codeBinaryFile    = "BINARY_FILE"
	codeInvalidCursor = "INVALID_CURSOR"
)

// invalid is an error about the arguments.
func invalid(next, format string, args ...any) error {
	return &mcp.ToolError{Code: string(security.InvalidParams), Message: fmt.Sprintf(format, args...), Next: next}
}

// conflict is the error for two arguments that do not go together.
func conflict(one, other, next string) error {
	return invalid(next, "%s and %s do not go together", one, other)
}

// badRange is the error for lines or bytes that a file does not have.
func badRange(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeBadRange, Message: fmt.Sprintf(format, args...), Next: next}
}

// advise gives an error of package security another next step, if it has the code.
func advise(err error, code security.Code, next func(old string) string) error {
	known, ok := errors.AsType[*security.Error](err)
	if !ok || known.Code != code {
		return err
	}
	better := *known
	better.Next = next(known.NextStep())
	return &better
}

// about names the file in an error that does not.
func about(doing, path string, err error) error {
	if _, ok := errors.AsType[*security.Error](err); ok || err == nil {
		return err
	}
	return fmt.Errorf("%s %s: %w", doing, quote(path), err)
}

// quote shows a foreign string in a message.
func quote(s string) string { return truncate.Quote(s, 300) }
