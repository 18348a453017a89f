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

// Code is a stable name for what went wrong, for programs and models to act on.
type Code string

// The codes that a tool can answer with. Codes explains each.
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

// Reason says which rule refused a path.
type Reason string

// The rules that refuse a path.
const (
	PathTraversal      Reason = "PATH_TRAVERSAL"       // ".." climbs out of the project
	OutsideProjectRoot Reason = "OUTSIDE_PROJECT_ROOT" // an absolute path or a link leads out of the project
	BlockedPattern     Reason = "BLOCKED_PATTERN"      // the file is hidden from tools, usually because it holds secrets
	ProtectedFile      Reason = "PROTECTED_FILE"       // the file can be read but not written: it makes other programs run code
	ReadOnlyRoot       Reason = "READ_ONLY_ROOT"       // nothing can be changed
	UnsafeName         Reason = "UNSAFE_NAME"          // the name means something else on some system, or hides what it is
)

// CodeInfo explains a code.
type CodeInfo struct {
	Code    Code   `json:"code"`
	Meaning string `json:"meaning"`
	Next    string `json:"next"` // what a caller does about it, unless the error itself knows better
}

// codes is never changed.
var codes = []CodeInfo{
	{InvalidParams, "An argument is missing, malformed or contradicts another.", "Correct the argument that the message names and call again."},
	{FileNotFound, "There is no file or directory at this path.", "List the directory, or use the path that the message suggests."},
	{PermissionDenied, "A rule of the server or the operating system forbids it; the reason says which.", "Use another path. Do not try to get around the rule; ask the user if the file is really needed."},
	{CommandBlocked, "The command is not allowed to run.", "Use a command that is allowed, or ask the user to run it."},
	{Timeout, "The operation did not finish in the time it had.", "Try again, with less to do in one call."},
	{Cancelled, "The caller gave the operation up before it finished.", "Call again if the result is still wanted."},
	{InternalError, "The server failed in a way that the caller cannot mend.", "Try once more; if it fails again, report it to the user."},
	{NotRegularFile, "The path leads to a device, FIFO, socket or the like, which is never opened.", "Choose a regular file."},
	{NotDirectory, "A file stands where a directory is needed.", "Use the path of a directory, or take the part after the file off."},
	{IsDirectory, "The path leads to a directory where a file is needed.", "Name a file in the directory, or list the directory."},
	{AlreadyExists, "There is something at this path already and overwriting was not asked for.", "Choose another path, or ask for overwriting."},
	{StaleFile, "The file is not what the caller believes: it changed since it was read.", "Read the file again and base the change on its present content."},
	{FileTooLarge, "The content is larger than this call takes.", "Ask for a part of the file, or raise the limit of the call."},
	{FileBusy, "Another operation or another program kept changing or holding the file.", "Wait a moment and call again."},
	{ReadOnly, "The file system is mounted read-only.", "Choose a place that can be written to, or show the change to the user instead."},
	{NoSpace, "The disk or the quota is full.", "Ask the user to make room."},
	{AuditFailed, "The change could not be recorded in the audit log, so it was not made.", "Tell the user that the audit log cannot be written."},
}

// Codes lists every code with its meaning and the next step, in a fixed order. Documentation is generated from it.
func Codes() []CodeInfo { return slices.Clone(codes) }

// explain finds a code in the table.
func explain(code Code) CodeInfo {
	for _, info := range codes {
		if info.Code == code {
			return info
		}
	}
	return CodeInfo{Code: code}
}

// explain turns a failure of the file system into an Error about the path that the caller gave.
func (r *Root) explain(t target, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if step, ok := errors.AsType[*rootfs.StepError](err); ok && r.blocked.Match(slashpath.Join(step.Dir, step.Name)) {
		return blocked(t.given) // whether it exists is nobody's business
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
		return problem(NotRegularFile, t.given, cause, "%s is a device, FIFO, socket or the like.", name)
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

// failure is what the operating system said, in the words of the code table.
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
