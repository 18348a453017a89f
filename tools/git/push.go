package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// PushArgs are the arguments of git_push.
type PushArgs struct {
	Where
	// Remote is where to; that of the upstream by default, or the only one with SetUpstream.
	Remote string `json:"remote,omitempty"`
	// SetUpstream sends a branch that follows no other under its own name, and has it follow that.
	SetUpstream bool `json:"setUpstream,omitempty" jsonschema:"description=For a new branch"`
	// ForceWithLease replaces the branch there, if it still is what was last fetched. The user is asked.
	ForceWithLease bool `json:"forceWithLease,omitempty" jsonschema:"description=Replace what is there\\, after the user agrees"`
	// ConfirmToken is that of CONFIRMATION_REQUIRED.
	ConfirmToken string `json:"confirmToken,omitempty"`
	// Hooks runs the hook pre-push, where the server allows that.
	Hooks bool `json:"hooks,omitempty"`
}

// PushResult is what git_push answers.
type PushResult struct {
	Head
	// Remote is the URL without passwords, RemoteBranch the branch there.
	Remote       string `json:"remote"`
	RemoteBranch string `json:"remoteBranch"`
	// Outcome is "updated", "created", "forced" or "up to date".
	Outcome string `json:"outcome"`
	// Messages are what the remote has said, such as where to open a pull request.
	Messages string `json:"messages,omitempty"`
	// Running says that it still sends: the same call waits on.
	Running   bool     `json:"running,omitempty"`
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// Push is git_push.
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
	head, err := r.look(ctx)
	if err != nil {
		return PushResult{}, err
	}
	switch {
	case head.Detached:
		return PushResult{}, problem(codeDetached, "Create a branch with git_branch first.", "no branch is checked out")
	case head.Commit == "":
		return PushResult{}, problem(codeNothing, "Commit something first.", "the branch has no commit")
	}
	to, err := r.pushed(ctx, args, head.Branch)
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
	result := PushResult{Head: head, Remote: to.url, RemoteBranch: to.branch, TurnedOff: append(r.turnedOff(), r.hooksOff(ctx, args.Hooks, "pre-push")...)}
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
	if now, err := r.look(ctx); err == nil {
		result.Head = now
	}
	return result, nil
}

// pushed finds out where a branch is sent to.
func (r *repo) pushed(ctx context.Context, args PushArgs, branch string) (*remote, error) {
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

// lease is what the branch there must be for it to be replaced, "" where nothing is replaced. The user is asked.
func (r *repo) lease(ctx context.Context, args PushArgs, head Head, to *remote) (string, error) {
	if !args.ForceWithLease {
		return "", nil
	}
	known, err := r.resolve(ctx, "refs/remotes/"+to.name+"/"+to.branch)
	if err != nil {
		return "", problem(codeUnknown, "Call git_pull with fetchOnly=true first.", "it is not known what %s has as %s", to.url, quote(to.branch))
	}
	_, lost, err := r.apart(ctx, head.Commit, known)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("Replace the branch %s of %s, which is at %s, by %s? %s there would be lost.", quote(to.branch), to.url, short(known), short(head.Commit), count(lost, "commit"))
	return known, r.g.agree(ctx, "force", message, args.ConfirmToken, consent(strings.Join([]string{"push", r.path("."), to.name, to.branch, known, head.Commit}, " ")))
}

// send sends a branch, and answers how that ended, and on further lines what the remote has said.
func (r *repo) send(ctx context.Context, args PushArgs, head Head, to *remote, lease string) (_ string, err error) {
	c, err := r.start(ctx, "git_push", map[string]any{"remote": to.name, "url": to.url, "branch": to.branch, "commit": head.Commit, "replaces": lease}, true)
	if err != nil {
		return "", err
	}
	defer func() { err = c.end(err) }()
	command := []string{"push", "--porcelain", "--no-progress", "--no-recurse-submodules", "--no-follow-tags", "--no-signed", "--receive-pack=" + to.service("receive-pack", args.Hooks)}
	if args.SetUpstream {
		command = append(command, "--set-upstream")
	}
	if lease != "" {
		command = append(command, "--force-with-lease=refs/heads/"+to.branch+":"+lease)
	}
	var told strings.Builder
	out, err := r.Run(ctx, gitcmd.Call{Args: append(command, "--", to.name, "refs/heads/"+head.Branch+":refs/heads/"+to.branch), Env: to.env, Limit: r.g.options.NetworkTimeout, Said: &told})
	outcome, refusal := porcelain(string(out))
	if refusal != "" {
		return "", rejected(to, refusal, remoteLines(told.String()))
	}
	if err != nil {
		if _, ok := errors.AsType[*gitcmd.Failure](err); ok && args.Hooks && strings.Contains(told.String(), "hook") {
			return "", problem(codeHookFailed, "Correct what the hook names, or push without hooks.", "a hook refused it: %s", said(told.String()))
		}
		return "", failed("pushing to "+to.url, err)
	}
	return outcome + "\n" + remoteLines(told.String()), nil
}

// porcelain reads what git push --porcelain says of one branch: what was done, or why not.
func porcelain(out string) (outcome, refusal string) {
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

// rejected explains why a branch was not taken.
func rejected(to *remote, refusal, told string) error {
	next := "Tell the user what the remote has said."
	switch {
	case strings.Contains(refusal, "fetch first"), strings.Contains(refusal, "non-fast-forward"):
		next = "Call git_pull first, then push again. Only if the commits there are to be replaced: forceWithLease=true."
	case strings.Contains(refusal, "stale info"):
		next = "Somebody else has pushed. Call git_pull with fetchOnly=true and look at what is there."
	}
	if told != "" {
		told = ": " + told
	}
	return problem(codeRejected, next, "%s did not take the branch %s: %s%s", to.url, quote(to.branch), said(refusal), told)
}

// remoteLines are what the remote has said.
func remoteLines(told string) string {
	var lines []string
	for line := range strings.Lines(told) {
		if text, ok := strings.CutPrefix(line, "remote:"); ok && strings.TrimSpace(text) != "" {
			lines = append(lines, truncate.Line(strings.TrimSpace(text), 500))
		}
	}
	return said(strings.Join(lines[:min(len(lines), 20)], "\n"))
}

// TextContent says how it ended.
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
