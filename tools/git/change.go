package git

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// change is a change of a repository in progress.
type change struct {
	g     *Git
	entry *audit.Call
	done  func()
}

// begin starts a change: it reserves the repository in this process and writes the audit entry. The caller must call end.
func (r *repo) begin(ctx context.Context, operation string, params map[string]any) (*change, error) {
	return r.start(ctx, operation, params, false)
}

// start is begin. With apart it does not reserve the repository, for a long change outside index and worktree.
func (r *repo) start(ctx context.Context, operation string, params map[string]any, apart bool) (*change, error) {
	if err := r.writable(); err != nil {
		return nil, err
	}
	for _, dir := range []string{r.own, r.shared} {
		link, err := gitcmd.Links(dir)
		if err != nil {
			return nil, gitError("looking at git's own files", err)
		}
		if link != "" {
			return nil, problem(codeUnsafe, "Ask the user to look at it.", "%s is a link that leads out of git's own files, and git would write through it", quote(link))
		}
	}
	done := func() {}
	if !apart {
		var err error
		if done, err = r.g.acquireRepository(ctx, r.shared); err != nil {
			return nil, gitError(operation, err)
		}
	}
	params["repository"] = r.path(".")
	entry, err := r.g.audit.Begin(ctx, audit.Entry{Operation: operation, Params: params})
	if err != nil {
		done()
		return nil, err
	}
	return &change{r.g, entry, done}, nil
}

// end releases the repository and records the outcome. It returns err.
func (c *change) end(err error) error {
	c.done()
	if missing := c.entry.End(err); missing != nil {
		return errors.Join(err, missing)
	}
	return err
}

// writable refuses a change in a read-only Root.
func (r *repo) writable() error {
	if r.g.root.ReadOnly() {
		return &security.Error{Code: security.PermissionDenied, Reason: security.ReadOnlyRoot, Message: "The project is read-only, and this would change its repository.",
			Next: "Use tools that only read."}
	}
	return nil
}

// Attempts and delay while another git process holds a lock.
const (
	lockPause = 100 * time.Millisecond
	lockTries = 12 // about 3 seconds in total
)

// runLocked runs git, and repeats the run while another process holds a lock.
func (r *repo) runLocked(ctx context.Context, c gitcmd.Call) ([]byte, error) {
	for try := 1; ; try++ {
		out, err := r.Run(ctx, c)
		failure, ok := errors.AsType[*gitcmd.Failure](err)
		if !ok || try == lockTries {
			return out, err
		}
		if _, held := gitcmd.FindLock(failure); !held || wait.Sleep(ctx, min(time.Duration(try)*lockPause, 300*time.Millisecond)) != nil {
			return out, err
		}
	}
}

// withHooks returns the repository with hooks, if the call asks for them and Options.Hooks allows them.
func (r *repo) withHooks(asked bool) (*repo, error) {
	if !asked {
		return r, nil
	}
	if !r.g.options.Hooks {
		return nil, invalid("Leave hooks out, or ask the user to allow them in the settings of the server.", "hooks are programs of the repository, and are not run here")
	}
	with := *r
	with.Repository = r.WithHooks()
	return &with, nil
}

// consentKey identifies the operation that a token confirms.
type consentKey string

// requireConsent asks the user to confirm message. If the client cannot ask, it returns an error with a token, and the caller repeats
// the call with it. A token is valid once and only for the operation wanted.
func (g *Git) requireConsent(ctx context.Context, key, message, token string, wanted consentKey) error {
	if token != "" {
		g.mu.Lock()
		given, ok := g.consents[token]
		delete(g.consents, token)
		g.mu.Unlock()
		if ok && given == wanted {
			return nil
		}
		return problem(codeConfirmation, "Call again without confirmToken, and then with the token of the answer.", "the token is used up, or is for something else")
	}
	if mcp.Supports(ctx, mcp.CapElicitForm) {
		return mcp.Confirm(ctx, key, message)
	}
	token = rand.Text()
	g.mu.Lock()
	if len(g.consents) >= maxConsents {
		clear(g.consents)
	}
	g.consents[token] = wanted
	g.mu.Unlock()
	return problem(codeConfirmation, "If the user wants that, call again with the same arguments and confirmToken="+token+".", "%s", message)
}
