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

// The codes that this package adds to those of package security.
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

func problem(code, next, format string, args ...any) error {
	return &mcp.ToolError{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// invalid is an error about the arguments.
func invalid(next, format string, args ...any) error {
	return problem(string(security.InvalidParams), next, format, args...)
}

// notSafe is the error for a repository that is refused.
func notSafe(u *gitcmd.Unsafe) error { return problem(codeUnsafe, u.Next, "%s", said(u.Reason)) }

// fault is how git can fail, known by what it says.
type fault struct {
	says       []string
	code, next string
}

// faults are looked through in order.
var faults = []fault{
	{[]string{"Permission denied (", "Authentication failed", "could not read Username", "could not read Password", "terminal prompts disabled", "Host key verification failed", "invalid credentials", "returned error: 401", "returned error: 403", "Permission to ", "sign_and_send_pubkey", "Too many authentication failures"},
		codeAuthentication, "Nobody is asked for a password here. Ask the user to set up access, with a credential helper or an SSH key in an agent, and to try git fetch in a terminal once."},
	{[]string{"Could not resolve host", "Could not resolve hostname", "Connection refused", "Connection timed out", "Operation timed out", "Network is unreachable", "Failed to connect", "No route to host", "unable to access", "does not appear to be a git repository", "Connection reset", "the remote end hung up", "Could not read from remote repository", "Repository not found", "' not found", "kex_exchange_identification"},
		codeUnreachable, "Check the URL of the remote and the connection with the user, and call again."},
	{[]string{"Author identity unknown", "Please tell me who you are", "empty ident name", "no email was given", "no name was given", "unable to auto-detect email"},
		codeNoIdentity, "Ask the user to run git config --global user.name and user.email."},
	{[]string{"dubious ownership", "safe.directory"},
		codeUnsafe, "The files belong to another user. Ask the user whether they trust the repository; git names the setting."},
	{[]string{"would be overwritten by", "You have unstaged changes", "Your index contains uncommitted changes", "Please commit your changes or stash them", "local changes to the following files"},
		codeWouldLose, "Commit the changes first with git_commit, or ask the user what to do with them."},
	{[]string{"transport '", "is not allowed"},
		codeNotAllowed, "Objects are missing that would have to be fetched, or the remote speaks a protocol that is not used here. Ask the user to run git fetch in a terminal."},
	{[]string{"gpg failed to sign", "failed to write commit object", "error: gpg", "signing failed"},
		codeFailed, "The user's configuration has commits signed, and the key could not be used without asking. Ask the user to unlock it and call again."},
}

// failed is the error for a run of git that failed.
func failed(doing string, err error) error {
	f, ok := errors.AsType[*gitcmd.Failure](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &security.Error{Code: security.Timeout, Message: doing + " took too long and was ended.", Next: "Ask for less, such as one path. If it goes on, a file of the repository may be one that never ends.", Err: err}
	case errors.Is(err, context.Canceled):
		return &security.Error{Code: security.Cancelled, Message: doing + " was cancelled.", Err: err}
	case errors.Is(err, gitcmd.ErrTooMuch):
		return problem(codeFailed, "Ask for less, such as one path.", "%s: git has more to say than is read", doing)
	case !ok:
		if unsafe, refused := errors.AsType[*gitcmd.Unsafe](err); refused {
			return notSafe(unsafe)
		}
		return &mcp.ToolError{Code: string(security.InternalError), Message: doing + ": " + said(err.Error()), Next: "Try once more; if it fails again, tell the user.", Err: err}
	}
	if lock, is := gitcmd.FindLock(f); is {
		return locked(doing, lock)
	}
	for _, known := range faults {
		for _, words := range known.says {
			if strings.Contains(f.Said, words) {
				return &mcp.ToolError{Code: known.code, Message: doing + ": " + said(f.Said), Next: known.next, Err: err}
			}
		}
	}
	return &mcp.ToolError{Code: codeFailed, Message: doing + ": " + said(f.Said), Next: "Correct what git names; if that is not possible, tell the user.", Err: err}
}

func locked(doing string, lock gitcmd.Lock) error {
	who := "nobody is known to hold it"
	if lock.PID != 0 {
		who = "process " + strconv.Itoa(lock.PID) + " holds it"
	}
	return problem(codeLocked, "Wait until the other git has ended and call again. If none is running, ask the user to remove the lock; it is not removed here.",
		"%s: another git changes the repository, or has died while it did: the lock %s is %v old, and %s", doing, quote(lock.Path), lock.Age.Round(time.Second), who)
}

// said is what git said: foreign text of bounded length without secrets.
func said(text string) string {
	const most = 1500
	var redactor *redact.Redactor
	text = redactor.Redact(gitcmd.WithoutPasswords(text))
	if len(text) > most {
		text = "… " + text[len(text)-most:]
	}
	return strings.Map(visible, strings.ToValidUTF8(text, "\uFFFD"))
}

// visible leaves out what could change how a text is shown.
func visible(c rune) rune {
	if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c >= 0x80 && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
		return -1
	}
	return c
}

// quote shows a foreign string in a message.
func quote(s string) string { return truncate.Quote(s, 300) }

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
