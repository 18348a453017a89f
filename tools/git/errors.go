package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/redact"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// Error codes of this package. Package security defines further codes.
const (
	codeNoRepository   = "NOT_A_REPOSITORY"
	codeNoGit          = "GIT_MISSING"
	codeUnsafe         = "UNSAFE_REPOSITORY"
	codeFailed         = "GIT_FAILED"
	codeLocked         = "LOCKED"
	codeUnknown        = "UNKNOWN_REVISION"
	codeBadRange       = "BAD_RANGE"
	codeInvalidCursor  = "INVALID_CURSOR"
	codeNothing        = "NOTHING_TO_COMMIT"
	codeConflicts      = "UNRESOLVED_CONFLICTS"
	codeSecrets        = "SECRETS_FOUND"
	codePushed         = "ALREADY_PUSHED"
	codeNoIdentity     = "NO_IDENTITY"
	codeInProgress     = "OPERATION_IN_PROGRESS"
	codeNotInProgress  = "NOTHING_IN_PROGRESS"
	codeWouldLose      = "UNCOMMITTED_CHANGES"
	codeDetached       = "DETACHED_HEAD"
	codeNoUpstream     = "NO_UPSTREAM"
	codeDiverged       = "DIVERGED"
	codeRejected       = "REJECTED"
	codeAuthentication = "AUTHENTICATION_REQUIRED"
	codeUnreachable    = "REMOTE_UNREACHABLE"
	codeNotAllowed     = "REMOTE_NOT_ALLOWED"
	codeConfirmation   = "CONFIRMATION_REQUIRED"
	codeHookFailed     = "HOOK_FAILED"
	codeOutside        = "OUTSIDE_PROJECT"
	codeLFS            = "LFS_OBJECTS_MISSING"
)

// problem returns an error with a code and the advice next.
func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid returns an INVALID_PARAMS error.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// unsafeError returns the error for a refused repository.
func unsafeError(u *gitcmd.Unsafe) error {
	return problem(codeUnsafe, u.Next, "%s", sanitize(u.Reason))
}

// knownFailure is a kind of failure of git, recognised by its message.
type knownFailure struct {
	says       []string
	code, next string
}

// knownFailures are tried in order.
var knownFailures = []knownFailure{
	{[]string{"Permission denied (", "Authentication failed", "could not read Username", "could not read Password", "terminal prompts disabled", "Host key verification failed", "invalid credentials", "returned error: 401", "returned error: 403", "Permission to ", "sign_and_send_pubkey", "Too many authentication failures"},
		codeAuthentication, "Git cannot ask for a password here. Ask the user to set up access, with a credential helper or an SSH key in an agent, and to try git fetch in a terminal once."},
	{[]string{"Could not resolve host", "Could not resolve hostname", "Connection refused", "Connection timed out", "Operation timed out", "Network is unreachable", "Failed to connect", "No route to host", "unable to access", "does not appear to be a git repository", "Connection reset", "the remote end hung up", "Could not read from remote repository", "Repository not found", "' not found", "kex_exchange_identification"},
		codeUnreachable, "Check the URL of the remote and the connection with the user, and call again."},
	{[]string{"Author identity unknown", "Please tell me who you are", "empty ident name", "no email was given", "no name was given", "unable to auto-detect email"},
		codeNoIdentity, "Ask the user to run git config --global user.name and user.email."},
	{[]string{"dubious ownership", "safe.directory"},
		codeUnsafe, "The files belong to another user. Ask the user whether they trust the repository; git names the setting."},
	{[]string{"would be overwritten by", "You have unstaged changes", "Your index contains uncommitted changes", "Please commit your changes or stash them", "local changes to the following files"},
		codeWouldLose, "Commit the changes first with git_commit, or ask the user what to do with them."},
	{[]string{"transport '", "is not allowed"},
		codeNotAllowed, "Objects are missing that would have to be fetched, or the protocol of the remote is not supported here. Ask the user to run git fetch in a terminal."},
	{[]string{"gpg failed to sign", "failed to write commit object", "error: gpg", "signing failed"},
		codeFailed, "The user's configuration has commits signed, and the key could not be used without asking. Ask the user to unlock it and call again."},
}

// gitError converts the error of a run of git. It returns nil for nil.
func gitError(doing string, err error) error {
	f, ok := errors.AsType[*gitcmd.Failure](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &security.Error{Code: security.Timeout, Message: doing + " took too long and was ended.", Next: "Ask for less, such as one path. If it happens again, a file of the repository may be endless.", Err: err}
	case errors.Is(err, context.Canceled):
		return &security.Error{Code: security.Cancelled, Message: doing + " was cancelled.", Err: err}
	case errors.Is(err, gitcmd.ErrTooMuch):
		return problem(codeFailed, "Ask for less, such as one path.", "%s: the output of git exceeds the limit", doing)
	case !ok:
		if unsafe, refused := errors.AsType[*gitcmd.Unsafe](err); refused {
			return unsafeError(unsafe)
		}
		return &mcp.ToolError{Code: string(security.InternalError), Message: doing + ": " + sanitize(err.Error()), Next: "Try once more; if it fails again, tell the user.", Err: err}
	}
	if lock, is := gitcmd.FindLock(f); is {
		return locked(doing, lock)
	}
	for _, known := range knownFailures {
		for _, words := range known.says {
			if strings.Contains(f.Said, words) {
				return &mcp.ToolError{Code: known.code, Message: doing + ": " + sanitize(f.Said), Next: known.next, Err: err}
			}
		}
	}
	return &mcp.ToolError{Code: codeFailed, Message: doing + ": " + sanitize(f.Said), Next: "Correct what git names; if that is not possible, tell the user.", Err: err}
}

// locked returns the error for a lock that another process holds.
func locked(doing string, lock gitcmd.Lock) error {
	who := "its holder is not known"
	if lock.PID != 0 {
		who = "process " + strconv.Itoa(lock.PID) + " holds it"
	}
	return problem(codeLocked, "Wait until the other git has ended and call again. If none is running, ask the user to remove the lock; it is not removed here.",
		"%s: another git changes the repository, or has died while it did: the lock %s is %v old, and %s", doing, quote(lock.Path), lock.Age.Round(time.Second), who)
}

// sanitize returns text of git for a message: truncated, without secrets and invisible characters.
func sanitize(text string) string {
	const most = 1500
	var redactor *redact.Redactor
	text = redactor.Redact(gitcmd.WithoutPasswords(text))
	if len(text) > most {
		text = "… " + text[len(text)-most:]
	}
	return strings.Map(visible, strings.ToValidUTF8(text, "\uFFFD"))
}

// visible returns c, or -1 for characters that change the display of a text.
func visible(c rune) rune {
	if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c >= 0x80 && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
		return -1
	}
	return c
}

// quote quotes a string from outside for a message and truncates it to 300 bytes.
func quote(s string) string { return truncate.Quote(s, 300) }
