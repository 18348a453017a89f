package security

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security/internal/errcode"
)

// Error is a refusal or a failure that a program can tell apart and a model can act on. Its text never holds a real path from
// outside the project: only what the caller said, shortened and quoted, and paths relative to the project.
type Error struct {
	Code          Code
	Reason        Reason // which rule refused, if one did
	AttemptedPath string // what the caller asked for, cut to 300 bytes of valid UTF-8
	Message       string // what was wrong
	Next          string // what to do about it; the code's own advice when empty
	Err           error  // the cause, without file names; may be nil
}

// Error is the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return explain(e.Code).Meaning
	}
	return e.Message
}

// Unwrap gives the cause, so that errors.Is finds fs.ErrNotExist, fs.ErrPermission and the like.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode is the stable code.
func (e *Error) ErrorCode() string { return string(e.Code) }

// NextStep tells the caller what to do about it.
func (e *Error) NextStep() string {
	if e.Next != "" {
		return e.Next
	}
	return explain(e.Code).Next
}

// ErrorDetails are the members that a structured answer carries beside code and message: "reason" and "attemptedPath", where
// they are known.
func (e *Error) ErrorDetails() map[string]any {
	details := make(map[string]any, 2)
	if e.Reason != "" {
		details["reason"] = string(e.Reason)
	}
	if e.AttemptedPath != "" {
		details["attemptedPath"] = e.AttemptedPath
	}
	return details
}

// CodeOf finds the code of an error: its own, TIMEOUT or CANCELLED for an ended context, else INTERNAL_ERROR; "" for nil.
func CodeOf(err error) Code { return Code(errcode.Of(err)) }

// refuse is an Error by one of the path rules.
func refuse(code Code, reason Reason, attempted, message, next string) *Error {
	return &Error{Code: code, Reason: reason, AttemptedPath: shorten(attempted), Message: message, Next: next, Err: fs.ErrPermission}
}

// problem is an Error about a path that no rule forbids.
func problem(code Code, attempted string, cause error, format string, args ...any) *Error {
	return &Error{Code: code, AttemptedPath: shorten(attempted), Message: fmt.Sprintf(format, args...), Err: cause}
}

// invalid is an Error about an argument.
func invalid(next, format string, args ...any) *Error {
	return &Error{Code: InvalidParams, Message: fmt.Sprintf(format, args...), Next: next, Err: fs.ErrInvalid}
}

// ended turns the end of a context into an Error; nil while it goes on.
func ended(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	return &Error{Code: CodeOf(err), Err: err}
}

const maxAttempted = 300

// shorten makes foreign text fit to be repeated: bounded, and valid UTF-8.
func shorten(s string) string {
	if len(s) > maxAttempted {
		cut := maxAttempted
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// quote shows a path in a message: bounded, with everything escaped that could not be seen or could deceive.
func quote(path string) string { return strconv.Quote(shorten(path)) }
