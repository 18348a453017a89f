package editor

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Error codes of this package, in addition to those of packages security and textfile.
const (
	codeNotRunning         = "IDE_NOT_RUNNING"
	codeAnchorNotFound     = "ANCHOR_NOT_FOUND"
	codeConfirmation       = "CONFIRMATION_REQUIRED"
	codeStaleFix           = "STALE_FIX"
	codeUnknownFix         = "UNKNOWN_FIX"
	codeNoLanguageServer   = "NO_LANGUAGE_SERVER"
	codeLanguageServer     = "LANGUAGE_SERVER_FAILED"
	codeFormatterFailed    = "FORMATTER_FAILED"
	codeBadRange           = "BAD_RANGE"
	codeBinaryFile         = "BINARY_FILE"
	codeInvalidPattern     = "INVALID_PATTERN"
	codeInvalidCursor      = "INVALID_CURSOR"
	codeNoMatch            = "EDIT_NO_MATCH"
	codeCountMismatch      = "EDIT_COUNT_MISMATCH"
	codeAmbiguousSymbol    = "AMBIGUOUS_SYMBOL"
	codeSymbolNotFound     = "SYMBOL_NOT_FOUND"
	codeStaleRefactoring   = "STALE_REFACTORING"
	codeUnknownRefactoring = "UNKNOWN_REFACTORING"
	codeNoRefactoring      = "NO_REFACTORING"
	codeRefactoringChoice  = "AMBIGUOUS_REFACTORING"
	codeNoPlaceholder      = "NO_NAME_TO_GIVE"
	codeNameTaken          = "NAME_TAKEN"
	codeNotIndexed         = "PROJECT_NOT_INDEXED"
	codeSymbolInUse        = "SYMBOL_IN_USE"
	codeNoParser           = "NO_PARSER"
	codeDoesNotParse       = "DOES_NOT_PARSE"
)

func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid returns an error about the arguments.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// stale returns the error for a file with another digest than expected.
func stale(path, is, was string) error {
	return &security.Error{Code: security.StaleFile, AttemptedPath: path,
		Message: fmt.Sprintf("%s has changed: its sha256 is %s and was %s.", quote(path), security.ShortSHA256(is), security.ShortSHA256(was)),
		Next:    "Read it again, and base the change on its present content."}
}

// notText returns the error for a file that cannot be decoded as text.
func notText(path string, err error) error {
	if errors.Is(err, textfile.ErrBinary) {
		return &mcp.ToolError{Code: codeBinaryFile, Message: quote(path) + " is not text",
			Next: "Leave it alone: the tools for code change text only.", Err: err}
	}
	return fmt.Errorf("reading %s: %w", quote(path), err)
}

// failed returns the error for a failed adapter call.
func failed(code, doing string, err error) error {
	next := "Call again; if that fails, too, do without it."
	switch {
	case errors.Is(err, adapter.ErrStale):
		return &security.Error{Code: security.StaleFile, Message: doing + ": the document has changed meanwhile.", Next: "Call again.", Err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &security.Error{Code: security.CodeOf(err), Message: doing + ": there was no answer in time.", Next: next, Err: err}
	}
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf("%s: %s", doing, truncateText(err.Error())), Next: next, Err: err}
}

func badPattern(err error) error {
	if bad, ok := errors.AsType[*glob.Error](err); ok {
		return invalid(bad.Next, "%s", bad.Message)
	}
	return err
}

// hasCode reports whether an error has one of the codes.
func hasCode(err error, codes ...security.Code) bool {
	for _, code := range codes {
		if err != nil && security.CodeOf(err) == code {
			return true
		}
	}
	return false
}

// quote quotes external text for a message, up to 300 bytes.
func quote(s string) string { return truncate.Quote(s, 300) }

// truncateText returns external text as valid UTF-8 of at most 300 bytes.
func truncateText(s string) string { return truncate.Cut(s, 300) }

func number(n int) string { return strconv.Itoa(n) }

// withCause sets the cause of a tool error.
func withCause(err, cause error) error {
	if known, ok := errors.AsType[*mcp.ToolError](err); ok {
		known.Err = cause
	}
	return err
}

// securityError returns the security error in an error chain.
func securityError(err error) (*security.Error, bool) { return errors.AsType[*security.Error](err) }
