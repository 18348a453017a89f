package editor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// The codes that this package adds to those of packages security and textfile.
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
	codeNoPlaceholder      = "NO_NAME_TO_GIVE"
	codeNameTaken          = "NAME_TAKEN"
	codeNotIndexed         = "PROJECT_NOT_INDEXED"
)

func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid is an error about the arguments.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// stale is the error for a file that is not what the caller takes it for.
func stale(path, is, was string) error {
	return &security.Error{Code: security.StaleFile, AttemptedPath: path,
		Message: fmt.Sprintf("%s has changed: its sha256 is %s and was %s.", quote(path), is, was),
		Next:    "Read it again, and base the change on its present content."}
}

// notText says what to do about a file that is no text.
func notText(path string, err error) error {
	if errors.Is(err, textfile.ErrBinary) {
		return &mcp.ToolError{Code: codeBinaryFile, Message: quote(path) + " is not text",
			Next: "Leave it alone: the tools for code change text only.", Err: err}
	}
	return fmt.Errorf("reading %s: %w", quote(path), err)
}

// failed is the error for an adapter that could not do what it has means for.
func failed(code, doing string, err error) error {
	next := "Call again; if that fails, too, do without it."
	switch {
	case errors.Is(err, adapter.ErrStale):
		return &security.Error{Code: security.StaleFile, Message: doing + ": the document has changed meanwhile.", Next: "Call again.", Err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &security.Error{Code: security.CodeOf(err), Message: doing + ": there was no answer in time.", Next: next, Err: err}
	}
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf("%s: %s", doing, shown(err.Error())), Next: next, Err: err}
}

func badPattern(err error) error {
	if bad, ok := errors.AsType[*glob.Error](err); ok {
		return invalid(bad.Next, "%s", bad.Message)
	}
	return err
}

// hasCode tells whether an error, which may be one of this package or of security, has one of the codes.
func hasCode(err error, codes ...security.Code) bool {
	for _, code := range codes {
		if err != nil && security.CodeOf(err) == code {
			return true
		}
	}
	return false
}

// quote shows a foreign string in a message.
func quote(s string) string { return truncate.Quote(s, 300) }

// shown is a foreign text of bounded length, in valid UTF-8.
func shown(s string) string { return truncate.Cut(s, 300) }

func number(n int) string { return strconv.Itoa(n) }

// count is a number of things, with the thing's plural.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "x") {
		return number(n) + " " + thing + "es"
	}
	return number(n) + " " + thing + "s"
}

// asTool gives an error of this package a cause.
func asTool(err, cause error) error {
	if known, ok := errors.AsType[*mcp.ToolError](err); ok {
		known.Err = cause
	}
	return err
}

// asSecurity is the refusal that an error is, if it is one.
func asSecurity(err error) (*security.Error, bool) { return errors.AsType[*security.Error](err) }
