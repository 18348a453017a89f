package security

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/errcode"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// Error is a refusal or a failure with a stable code for programs and a next step for models. Its text contains no
// real path outside of the project: only the caller's argument, shortened and quoted, and paths relative to the
// project.
type Error struct {
	// Code identifies the kind of failure.
	Code Code
	// Reason is the rule that refused the path; "" if no path rule did.
	Reason Reason
	// AttemptedPath is the caller's path, shortened to 300 bytes of valid UTF-8.
	AttemptedPath string
	// Message describes the problem; "" stands for the meaning of the code.
	Message string
	// Next is the next step for the caller; "" stands for the next step of the code.
	Next string
	// Err is the cause, without file names; it may be nil.
	Err error
}

// Error returns Message, or the meaning of the code if Message is empty.
func (e *Error) Error() string {
	if e.Message == "" {
		return explain(e.Code).Meaning
	}
	return e.Message
}

// Unwrap returns the cause, so that errors.Is finds fs.ErrNotExist, fs.ErrPermission and similar errors.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the stable code as a string.
func (e *Error) ErrorCode() string { return string(e.Code) }

// NextStep returns Next, or the next step of the code if Next is empty.
func (e *Error) NextStep() string {
	if e.Next != "" {
		return e.Next
	}
	return explain(e.Code).Next
}

// ErrorDetails returns additional members for a structured result: "reason" and "attemptedPath", unless they are
// empty.
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

// CodeOf returns the code of an error: its own, TIMEOUT or CANCELLED for an ended context, otherwise INTERNAL_ERROR.
// It returns "" for nil.
func CodeOf(err error) Code { return Code(errcode.Of(err)) }

// refuse returns the Error of a path rule.
func refuse(code Code, reason Reason, attempted, message, next string) *Error {
	return &Error{Code: code, Reason: reason, AttemptedPath: shorten(attempted), Message: message, Next: next, Err: fs.ErrPermission}
}

// problem returns an Error about a path that no rule forbids.
func problem(code Code, attempted string, cause error, format string, args ...any) *Error {
	return &Error{Code: code, AttemptedPath: shorten(attempted), Message: fmt.Sprintf(format, args...), Err: cause}
}

// invalid returns an INVALID_PARAMS Error about an argument.
func invalid(next, format string, args ...any) *Error {
	return &Error{Code: InvalidParams, Message: fmt.Sprintf(format, args...), Next: next, Err: fs.ErrInvalid}
}

// contextError returns an Error if the context has ended, otherwise nil.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	return &Error{Code: CodeOf(err), Err: err}
}

// maxAttempted is the limit of an argument that a message repeats, in bytes.
const maxAttempted = 300

// shorten truncates untrusted text to maxAttempted bytes and makes it valid UTF-8.
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

// quote returns a path for a message: shortened, with invisible and deceptive characters escaped.
func quote(path string) string { return strconv.Quote(shorten(path)) }

// Code is a stable identifier of a kind of failure. Programs and models decide by it.
type Code string

// Codes of errors. The function Codes returns their meanings and next steps.
const (
	InvalidParams    Code = "INVALID_PARAMS"
	FileNotFound     Code = "FILE_NOT_FOUND"
	PermissionDenied Code = "PERMISSION_DENIED"
	CommandBlocked   Code = "COMMAND_BLOCKED"
	Timeout          Code = "TIMEOUT"
	Cancelled        Code = "CANCELLED"
	InternalError    Code = "INTERNAL_ERROR"
	NotRegularFile   Code = "NOT_A_REGULAR_FILE"
	NotDirectory     Code = "NOT_A_DIRECTORY"
	IsDirectory      Code = "IS_A_DIRECTORY"
	AlreadyExists    Code = "ALREADY_EXISTS"
	StaleFile        Code = "STALE_FILE"
	FileTooLarge     Code = "FILE_TOO_LARGE"
	FileBusy         Code = "FILE_BUSY"
	ReadOnly         Code = "READ_ONLY"
	NoSpace          Code = "NO_SPACE"
	AuditFailed      Code = "AUDIT_FAILED"
)

// Reason is the rule that refused a path.
type Reason string

// Rules that refuse a path.
const (
	PathTraversal      Reason = "PATH_TRAVERSAL"       // ".." climbs out of the project
	OutsideProjectRoot Reason = "OUTSIDE_PROJECT_ROOT" // an absolute path or a link leads out of the project
	BlockedPattern     Reason = "BLOCKED_PATTERN"      // the file is blocked, usually because it contains secrets
	ProtectedFile      Reason = "PROTECTED_FILE"       // the file can be read but not written, because it makes other programs run code
	ReadOnlyRoot       Reason = "READ_ONLY_ROOT"       // the Root refuses every change
	UnsafeName         Reason = "UNSAFE_NAME"          // the name has another meaning on some system, or contains deceptive characters
)

// CodeInfo is the documentation of a code.
type CodeInfo struct {
	Code    Code   `json:"code"`
	Meaning string `json:"meaning"`
	// Next is the advice to the caller, unless the Error has its own.
	Next string `json:"next"`
}

// codes is the table of all codes; it is never modified.
var codes = []CodeInfo{
	{InvalidParams, "An argument is missing, malformed or contradicts another.", "Correct the argument that the message names and call again."},
	{FileNotFound, "There is no file or directory at this path.", "List the directory, or use the path that the message suggests."},
	{PermissionDenied, "A rule of the server or the operating system denies access; the reason names the rule.", "Use another path. Do not try to bypass the rule; ask the user if the file is really needed."},
	{CommandBlocked, "The command is not allowed to run.", "Use a command that is allowed, or ask the user to run it."},
	{Timeout, "The operation did not finish within its time limit.", "Try again with less work in one call."},
	{Cancelled, "The caller cancelled the operation before it finished.", "Call again if the result is still needed."},
	{InternalError, "The server failed in a way that the caller cannot fix.", "Try once more; if it fails again, report it to the user."},
	{NotRegularFile, "The path is a device, FIFO, socket or other special file; the tools never open these.", "Choose a regular file."},
	{NotDirectory, "The path contains a file where a directory is needed.", "Use the path of a directory, or remove the part after the file."},
	{IsDirectory, "The path is a directory where a file is needed.", "Name a file in the directory, or list the directory."},
	{AlreadyExists, "This path already exists, and the call does not allow overwriting.", "Choose another path, or allow overwriting."},
	{StaleFile, "The file has changed since the caller read it.", "Read the file again and base the change on its current content."},
	{FileTooLarge, "The content is larger than this call accepts.", "Do without this file, or ask the user to split it."},
	{FileBusy, "Another operation or program is changing or locking the file.", "Wait a moment and call again."},
	{ReadOnly, "The file system is mounted read-only.", "Choose a writable directory, or show the change to the user instead."},
	{NoSpace, "The disk or the quota is full.", "Ask the user to make room."},
	{AuditFailed, "The change could not be recorded in the audit log, so it was not made.", "Tell the user that the audit log cannot be written."},
}

// Codes returns every code with its meaning and next step, in a fixed order. docs/errors.md is generated from it.
func Codes() []CodeInfo { return slices.Clone(codes) }

// explain returns the entry of a code in the table.
func explain(code Code) CodeInfo {
	for _, info := range codes {
		if info.Code == code {
			return info
		}
	}
	return CodeInfo{Code: code}
}

// explain turns an error of the file system into an *Error about the caller's path.
func (r *Root) explain(t target, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if step, ok := errors.AsType[*rootfs.StepError](err); ok && r.blocked.Match(slashpath.Join(step.Dir, step.Name)) {
		return blocked(t.given) // tools must not learn whether the file exists
	}
	cause := rootfs.Reason(err)
	if step, ok := errors.AsType[*rootfs.StepError](err); ok {
		cause = step.Err
	}
	name := quote(t.given)
	switch {
	case errors.Is(err, rootfs.ErrEscapes):
		return refuse(PermissionDenied, OutsideProjectRoot, t.given, name+" is a link, or lies behind one, that leads out of the project.",
			"Use a file inside the project.")
	case errors.Is(err, rootfs.ErrAlias):
		return unsafeName(t.given, "holds another spelling of a name that the directory lists differently")
	case errors.Is(err, rootfs.ErrIrregular):
		return problem(NotRegularFile, t.given, cause, "%s is a device, FIFO, socket or other special file.", name)
	case errors.Is(err, rootfs.ErrLink):
		return problem(NotRegularFile, t.given, cause, "%s is a symbolic link, which is not followed in a listing.", name)
	case errors.Is(err, rootfs.ErrLinkLoop):
		return problem(FileNotFound, t.given, fs.ErrNotExist, "%s leads through too many links, probably in a circle.", name)
	case errors.Is(err, rootfs.ErrNotDirectory):
		return problem(NotDirectory, t.given, cause, "%s leads through a file, or is one, where a directory is needed.", name)
	case errors.Is(err, fs.ErrNotExist):
		return r.notFound(t, err)
	}
	return failure(t.given, cause)
}

// failure returns the Error for an error of the operating system.
func failure(given string, cause error) *Error {
	name := quote(given)
	switch {
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return &Error{Code: CodeOf(cause), AttemptedPath: shorten(given), Err: cause}
	case errors.Is(cause, rootfs.ErrChanged), isBusy(cause):
		return problem(FileBusy, given, cause, "%s was being changed or held by another program.", name)
	case errors.Is(cause, fs.ErrExist):
		return problem(AlreadyExists, given, cause, "%s exists already.", name)
	case isReadOnlyDisk(cause):
		return problem(ReadOnly, given, cause, "%s lies on a read-only file system.", name)
	case errors.Is(cause, fs.ErrPermission):
		return problem(PermissionDenied, given, cause, "The operating system denies access to %s.", name)
	case isFull(cause):
		return problem(NoSpace, given, cause, "There is no room to write %s.", name)
	case isTooLong(cause):
		return problem(InvalidParams, given, cause, "%s holds a name that is too long for the file system.", name)
	case errors.Is(cause, os.ErrClosed):
		return problem(InternalError, given, cause, "The project is closed.")
	}
	return problem(InternalError, given, cause, "The operating system failed on %s: %v.", name, cause)
}
