package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// PushArgs are the arguments of git_push.
type PushArgs struct {
	Where
	// Remote is the remote to push to. The default is the remote of the upstream, or with SetUpstream the only remote.
	Remote string `json:"remote,omitempty"`
	// SetUpstream pushes a branch without upstream under its own name and sets its upstream.
	SetUpstream bool `json:"setUpstream,omitempty" jsonschema:"description=For a new branch"`
	// ForceWithLease replaces the remote branch if it is still at the commit of the last fetch. The user must agree.
	ForceWithLease bool `json:"forceWithLease,omitempty" jsonschema:"description=Overwrite the remote branch\\, after the user agrees"`
	// ConfirmToken is the token of a CONFIRMATION_REQUIRED error.
	ConfirmToken string `json:"confirmToken,omitempty"`
	// Hooks runs the pre-push hook, if the server allows hooks.
	Hooks bool `json:"hooks,omitempty"`
}

// PushResult is the result of git_push.
type PushResult struct {
	Head
	// Remote is the URL without passwords, RemoteBranch the branch at the remote.
	Remote       string `json:"remote"`
	RemoteBranch string `json:"remoteBranch"`
	// Outcome is "updated", "created", "forced" or "up to date".
	Outcome string `json:"outcome"`
	// Messages are the messages of the remote, for example the address for a pull request.
	Messages string `json:"messages,omitempty"`
	// Running means that the push continues in the background. The same call waits for it.
	Running   bool     `json:"running,omitempty"`
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// Push implements git_push.
func (g *Git) Push(ctx context.Context, args PushArgs) (PushResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return PushResult{}, err
	}
	if err := r.writable(); err != nil {
		return PushResult{}, err
	}
	if r, err = r.withHooks(args.Hooks); err != nil {
		return PushResult{}, err
	}
	head, err := r.currentHead(ctx)
	if err != nil {
		return PushResult{}, err
	}
	switch {
	case head.Detached:
		return PushResult{}, problem(codeDetached, "Create a branch with git_branch first.", "no branch is checked out")
	case head.Commit == "":
		return PushResult{}, problem(codeNothing, "Commit something first.", "the branch has no commit")
	}
	to, err := r.pushTarget(ctx, args, head.Branch)
	if err != nil {
		return PushResult{}, err
	}
	if err := r.checkLFS(ctx, args, head, to); err != nil {
		return PushResult{}, err
	}
	lease, err := r.lease(ctx, args, head, to)
	if err != nil {
		return PushResult{}, err
	}
	result := PushResult{Head: head, Remote: to.url, RemoteBranch: to.branch, TurnedOff: append(r.turnedOff(), r.disabledHooks(ctx, args.Hooks, "pre-push")...)}
	if to.local && !args.Hooks {
		result.TurnedOff = append(result.TurnedOff, "the hooks of "+to.url)
	}
	told, running, err := g.await(ctx, strings.Join([]string{"push", r.own, to.name, to.branch, head.Commit, lease}, "\x00"), func(ctx context.Context) (string, error) {
		return r.send(ctx, args, head, to, lease)
	})
	if err != nil {
		return PushResult{}, err
	}
	if result.Running = running; running {
		return result, nil
	}
	result.Outcome, result.Messages, _ = strings.Cut(told, "\n")
	if now, err := r.currentHead(ctx); err == nil {
		result.Head = now
	}
	return result, nil
}

// pushTarget returns the remote branch of a push.
func (r *repo) pushTarget(ctx context.Context, args PushArgs, branch string) (*remote, error) {
	upstream, ref := r.upstream(ctx, branch)
	name := args.Remote
	for _, key := range []string{"branch." + branch + ".pushRemote", "remote.pushDefault"} {
		if name == "" {
			name = r.setting(ctx, key)
		}
	}
	if name == "" {
		name = upstream
	}
	if name == "" && args.SetUpstream {
		all, err := r.remotes(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case slices.Contains(all, "origin"):
			name = "origin"
		case len(all) == 1:
			name = all[0]
		case len(all) == 0:
			return nil, problem(codeNoUpstream, "Ask the user to add a remote with git remote add.", "the repository has no remote")
		default:
			return nil, problem(codeNoUpstream, "Name one of them as remote: "+strings.Join(all, ", ")+".", "there are several remotes")
		}
	}
	if name == "" || !args.SetUpstream && upstream == "" {
		return nil, problem(codeNoUpstream, "Call again with setUpstream=true to send it under its own name.", "the branch %s follows no other", quote(branch))
	}
	if name == "." {
		return nil, problem(codeNoUpstream, "Give the remote, with setUpstream=true.", "the branch %s follows a branch of this repository", quote(branch))
	}
	if name != upstream || ref == "" {
		ref = branch
	}
	return r.remote(ctx, name, ref, true)
}

// lease returns the expected commit of the remote branch for a replacement, or "" if none is replaced. It asks the user.
func (r *repo) lease(ctx context.Context, args PushArgs, head Head, to *remote) (string, error) {
	if !args.ForceWithLease {
		return "", nil
	}
	known, err := r.resolve(ctx, "refs/remotes/"+to.name+"/"+to.branch)
	if err != nil {
		return "", problem(codeUnknown, "Call git_pull with fetchOnly=true first.", "it is not known which commit %s has for %s", to.url, quote(to.branch))
	}
	_, lost, err := r.countDiverged(ctx, head.Commit, known)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("Replace the branch %s of %s, which is at %s, by %s? %s there would be lost.", quote(to.branch), to.url, short(known), short(head.Commit), plural.Count(lost, "commit"))
	return known, r.g.requireConsent(ctx, "force", message, args.ConfirmToken, consentKey(strings.Join([]string{"push", r.path("."), to.name, to.branch, known, head.Commit}, " ")))
}

// send pushes the branch. It returns the outcome, followed by the messages of the remote on further lines.
func (r *repo) send(ctx context.Context, args PushArgs, head Head, to *remote, lease string) (_ string, err error) {
	c, err := r.start(ctx, "git_push", map[string]any{"remote": to.name, "url": to.url, "branch": to.branch, "commit": head.Commit, "replaces": lease}, true)
	if err != nil {
		return "", err
	}
	defer func() { err = c.end(err) }()
	command := []string{"push", "--porcelain", "--no-progress", "--no-recurse-submodules", "--no-follow-tags", "--no-signed", "--receive-pack=" + to.serverCommand("receive-pack", args.Hooks)}
	if args.SetUpstream {
		command = append(command, "--set-upstream")
	}
	if lease != "" {
		command = append(command, "--force-with-lease=refs/heads/"+to.branch+":"+lease)
	}
	var told strings.Builder
	out, err := r.Run(ctx, gitcmd.Call{Args: append(command, "--", to.name, "refs/heads/"+head.Branch+":refs/heads/"+to.branch), Env: to.env, Limit: r.g.options.NetworkTimeout, Said: &told})
	outcome, refusal := parsePushOutput(string(out))
	if refusal != "" {
		return "", rejectedError(to, refusal, remoteLines(told.String()))
	}
	if err != nil {
		if _, ok := errors.AsType[*gitcmd.Failure](err); ok && args.Hooks && strings.Contains(told.String(), "hook") {
			return "", problem(codeHookFailed, "Correct what the hook names, or push without hooks.", "a hook refused it: %s", sanitize(told.String()))
		}
		return "", gitError("pushing to "+to.url, err)
	}
	return outcome + "\n" + remoteLines(told.String()), nil
}

// parsePushOutput parses the output of git push --porcelain for one branch: the outcome, or the reason of the refusal.
func parsePushOutput(out string) (outcome, refusal string) {
	outcome = "up to date"
	for line := range strings.Lines(out) {
		flag, rest, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if !ok || len(flag) != 1 {
			continue
		}
		_, summary, _ := strings.Cut(rest, "\t")
		switch flag {
		case "!":
			refusal = summary
		case "*":
			outcome = "created"
		case "+":
			outcome = "forced"
		case " ":
			outcome = "updated"
		}
	}
	return outcome, refusal
}

// rejectedError returns the error for a refused push.
func rejectedError(to *remote, refusal, told string) error {
	next := "Tell the user the message of the remote."
	switch {
	case strings.Contains(refusal, "fetch first"), strings.Contains(refusal, "non-fast-forward"):
		next = "Call git_pull first, then push again. Only if the commits there are to be replaced: forceWithLease=true."
	case strings.Contains(refusal, "stale info"):
		next = "Another user has pushed. Call git_pull with fetchOnly=true and check the new commits."
	}
	if told != "" {
		told = ": " + told
	}
	return problem(codeRejected, next, "%s did not take the branch %s: %s%s", to.url, quote(to.branch), sanitize(refusal), told)
}

// remoteLines returns the lines that the remote has sent.
func remoteLines(told string) string {
	var lines []string
	for line := range strings.Lines(told) {
		if text, ok := strings.CutPrefix(line, "remote:"); ok && strings.TrimSpace(text) != "" {
			lines = append(lines, truncate.Line(strings.TrimSpace(text), 500))
		}
	}
	return sanitize(strings.Join(lines[:min(len(lines), 20)], "\n"))
}

// TextContent returns the text for the model.
func (r PushResult) TextContent() string {
	var b strings.Builder
	if r.Running {
		fmt.Fprintf(&b, "still sending to %s; the same call waits on\n", r.Remote)
	} else {
		fmt.Fprintf(&b, "pushed to %s of %s: %s\n", name(r.RemoteBranch), r.Remote, r.Outcome)
	}
	b.WriteString(r.Head.text())
	if r.Messages != "" {
		b.WriteString("the remote says:\n" + r.Messages + "\n")
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}
