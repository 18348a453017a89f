package security

import "slices"

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
