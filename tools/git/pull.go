package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// PullArgs are the arguments of git_pull.
type PullArgs struct {
	Where
	// Mode is the action if both sides have new commits: none (ff-only, the default), rebase or merge.
	Mode string `json:"mode,omitempty" jsonschema:"enum=ff-only,enum=rebase,enum=merge,default=ff-only"`
	// Remote and Branch replace the upstream. They are given together.
	Remote string `json:"remote,omitempty"`
	Branch string `json:"branch,omitempty"`
	// FetchOnly fetches without changing the branch.
	FetchOnly bool `json:"fetchOnly,omitempty"`
	// Abort aborts the operation in progress and restores the former state. Continue continues a rebase after its conflicts are
	// resolved.
	Abort    bool `json:"abort,omitempty" jsonschema:"description=Give up the merge or rebase in progress"`
	Continue bool `json:"continue,omitempty" jsonschema:"description=Go on with a rebase after resolving"`
}

// PullResult is the result of git_pull.
type PullResult struct {
	Head
	Done string `json:"done"`
	// From and To are the commits before and after. Commits is the number of new ones.
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Commits int    `json:"commits"`
	// Files are the changed files, at most 100. TotalFiles counts all.
	Files      []DiffFile `json:"files,omitempty"`
	TotalFiles int        `json:"totalFiles"`
	// Conflicts are the files to merge by hand. The operation is then in progress.
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Running means that the fetch continues in the background. The same call waits for it.
	Running   bool     `json:"running,omitempty"`
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// Pull implements git_pull.
func (g *Git) Pull(ctx context.Context, args PullArgs) (PullResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return PullResult{}, err
	}
	if err := r.writable(); err != nil {
		return PullResult{}, err
	}
	if !args.FetchOnly {
		if err := r.refuseOutside("pulling"); err != nil {
			return PullResult{}, err
		}
	}
	state := gitcmd.InProgress(r.own)
	switch {
	case args.Abort && args.Continue:
		return PullResult{}, invalid("Leave one of both out.", "abort and continue are two different choices")
	case args.Abort:
		return r.abort(ctx, state)
	case args.Continue:
		return r.continueRebase(ctx, state)
	case state != "" && state != gitcmd.Bisecting && !args.FetchOnly:
		return PullResult{}, problem(codeInProgress, "Conclude it, or call git_pull with abort=true.", "a %s is in progress", state)
	}
	head, err := r.currentHead(ctx)
	if err != nil {
		return PullResult{}, err
	}
	from, err := r.pullSource(ctx, args, head)
	if err != nil {
		return PullResult{}, err
	}
	ref, running, err := r.fetch(ctx, from)
	if err != nil {
		return PullResult{}, err
	}
	if running {
		return PullResult{Head: head, Running: true, Done: "still fetching from " + from.url + "; the same call waits on"}, nil
	}
	return r.integrate(ctx, args, head, from, ref)
}

// pullSource returns the remote branch of a pull.
func (r *repo) pullSource(ctx context.Context, args PullArgs, head Head) (*remote, error) {
	if args.Remote != "" || args.Branch != "" {
		if args.Remote == "" || args.Branch == "" {
			return nil, invalid("Give both, or none for the upstream.", "remote and branch go together")
		}
		return r.remote(ctx, args.Remote, args.Branch, false)
	}
	if head.Detached {
		return nil, problem(codeDetached, "Switch to a branch with git_branch, or give remote and branch.", "no branch is checked out")
	}
	name, ref := r.upstream(ctx, head.Branch)
	if name == "" {
		return nil, problem(codeNoUpstream, "Give remote and branch.", "the branch %s follows no other", quote(head.Branch))
	}
	return r.remote(ctx, name, ref, false)
}

// fetch fetches a branch and returns the ref that contains it.
func (r *repo) fetch(ctx context.Context, from *remote) (ref string, running bool, err error) {
	if from.name == "." {
		return "refs/heads/" + from.branch, false, nil
	}
	ref = "refs/remotes/" + from.name + "/" + from.branch
	_, running, err = r.g.await(ctx, "fetch\x00"+r.own+"\x00"+ref, func(ctx context.Context) (_ string, err error) {
		c, err := r.start(ctx, "git_pull", map[string]any{"step": "fetch", "remote": from.name, "url": from.url, "branch": from.branch}, true)
		if err != nil {
			return "", err
		}
		defer func() { err = c.end(err) }()
		_, err = r.Run(ctx, gitcmd.Call{
			Args: []string{"fetch", "--quiet", "--no-progress", "--no-recurse-submodules", "--no-prune", "--refmap=", "--upload-pack=" + from.serverCommand("upload-pack", false),
				"--", from.name, "+refs/heads/" + from.branch + ":" + ref},
			Env: from.env, Limit: r.g.options.NetworkTimeout,
		})
		if f, ok := errors.AsType[*gitcmd.Failure](err); ok && strings.Contains(f.Said, "couldn't find remote ref") {
			return "", problem(codeUnknown, "Ask the user whether the branch was deleted there.", "%s has no branch %s", from.url, quote(from.branch))
		}
		return "", gitError("fetching from "+from.url, err)
	})
	return ref, running, err
}

// integrate merges or rebases with the fetched branch.
func (r *repo) integrate(ctx context.Context, args PullArgs, head Head, from *remote, ref string) (result PullResult, err error) {
	theirs, err := r.resolve(ctx, ref)
	if err != nil {
		return PullResult{}, err
	}
	ahead, behind, err := r.countDiverged(ctx, head.Commit, theirs)
	if err != nil {
		return PullResult{}, err
	}
	switch {
	case args.FetchOnly:
		return PullResult{Head: head, Done: fmt.Sprintf("fetched %s from %s: it has %s that are not here", name(from.branch), from.url, plural.Count(behind, "commit")), To: theirs, Commits: behind, TurnedOff: r.turnedOff()}, nil
	case behind == 0:
		return PullResult{Head: head, Done: "nothing is new in " + name(from.branch) + " of " + from.url, TurnedOff: r.turnedOff()}, nil
	case ahead > 0 && (args.Mode == "" || args.Mode == "ff-only"):
		return PullResult{}, problem(codeDiverged, "Call again with mode=rebase to put your commits on top, or with mode=merge. They were not changed.",
			"both sides have new commits: %d here, %d in %s of %s", ahead, behind, quote(from.branch), from.url)
	}
	if err := r.checkIncoming(ctx, head.Commit, theirs); err != nil {
		return PullResult{}, err
	}
	c, err := r.begin(ctx, "git_pull", map[string]any{"mode": args.Mode, "from": theirs, "onto": head.Commit})
	if err != nil {
		return PullResult{}, err
	}
	defer func() { err = c.end(err) }()
	if now, err := r.currentHead(ctx); err != nil || now.Commit != head.Commit || now.Branch != head.Branch {
		return PullResult{}, errors.Join(err, problem(codeFailed, "Call again.", "something else was checked out meanwhile"))
	}
	_, err = r.runLocked(ctx, gitcmd.Call{Args: integrateCommand(args.Mode, ahead, from, theirs), Limit: switchTimeout})
	return r.pulledResult(ctx, head, fmt.Sprintf("pulled %s from %s of %s", plural.Count(behind, "commit"), name(from.branch), from.url), behind, err)
}

// integrateCommand returns the git command for a mode.
func integrateCommand(mode string, ahead int, from *remote, theirs string) []string {
	switch {
	case mode == "rebase" && ahead > 0:
		return []string{"rebase", "--quiet", "--merge", "--no-stat", "--no-autostash", "--no-autosquash", theirs}
	case mode == "merge" && ahead > 0:
		return []string{"merge", "--quiet", "--ff", "--no-edit", "--no-stat", "--no-squash", "--commit", "--strategy=recursive", "-m", fmt.Sprintf("Merge branch '%s' of %s", from.branch, from.url), theirs}
	}
	return []string{"merge", "--quiet", "--ff-only", "--no-stat", "--no-squash", theirs}
}

// countDiverged counts the commits that only one of two revisions has.
func (r *repo) countDiverged(ctx context.Context, ours, theirs string) (ahead, behind int, err error) {
	command := []string{"rev-list", "--count", theirs}
	if ours != "" {
		command = []string{"rev-list", "--left-right", "--count", ours + "..." + theirs}
	}
	out, err := r.Run(ctx, gitcmd.Call{Args: command, Limit: localTimeout})
	if err != nil {
		return 0, 0, gitError("comparing with the fetched commits", err)
	}
	if ours == "" {
		_, err = fmt.Sscan(string(out), &behind)
	} else {
		_, err = fmt.Sscan(string(out), &ahead, &behind)
	}
	return ahead, behind, err
}

// pulledResult builds the result of a merge or rebase: done, in conflict, or failed.
func (r *repo) pulledResult(ctx context.Context, before Head, done string, commits int, outcome error) (PullResult, error) {
	ctx = context.WithoutCancel(ctx) // the outcome must be reported even if the call is cancelled
	head, err := r.currentHead(ctx)
	if err != nil {
		return PullResult{}, errors.Join(gitError("bringing the commits in", outcome), err)
	}
	result := PullResult{Head: head, Done: done, From: before.Commit, To: head.Commit, Commits: commits, TurnedOff: r.turnedOff()}
	if head.InProgress != "" && head.InProgress != gitcmd.Bisecting {
		if result.Conflicts, err = r.conflicts(ctx); err != nil {
			return result, err
		}
		result.Done = "not done: " + resolveAdvice(head.InProgress, len(result.Conflicts))
		if outcome != nil && len(result.Conflicts) == 0 {
			return PullResult{}, problem(codeInProgress, "Call git_pull with abort=true to go back, or with continue=true to continue a rebase.",
				"the %s has stopped half-way: %s", head.InProgress, sanitize(outcome.Error()))
		}
		return result, nil
	}
	if outcome != nil {
		return PullResult{}, gitError("bringing the commits in", outcome)
	}
	base := before.Commit
	if base == "" {
		if base, err = r.emptyTree(ctx); err != nil {
			return result, err
		}
	}
	files, err := r.diffFiles(ctx, comparison{args: []string{base, head.Commit}}, selection{})
	if err != nil {
		return result, err
	}
	result.TotalFiles, result.Files = len(files), files[:min(len(files), mostListed)]
	result.TurnedOff = append(result.TurnedOff, r.disabledHooks(ctx, false, "post-merge", "post-checkout", "pre-rebase")...)
	return result, nil
}

// resolveAdvice returns the advice for resolving conflicts.
func resolveAdvice(state string, files int) string {
	text := fmt.Sprintf("%s in conflict. Edit them until no marks are left; then ", plural.Count(files, "file"))
	if state == gitcmd.Rebasing {
		text += "call git_pull with continue=true (in a rebase, \"ours\" is the branch that was pulled)"
	} else {
		text += "call git_commit with these paths and a message"
	}
	return text + "; or git_pull with abort=true to go back to before it"
}

// TextContent returns the text for the model.
func (r PullResult) TextContent() string {
	var b strings.Builder
	b.WriteString(r.Done + "\n" + r.Head.text())
	if r.TotalFiles > 0 {
		fmt.Fprintf(&b, "%s changed\n", plural.Count(r.TotalFiles, "file"))
	}
	for _, f := range r.Files {
		b.WriteString(f.text() + "\n")
	}
	if r.TotalFiles > len(r.Files) {
		fmt.Fprintf(&b, "[%d of %d files; git_diff shows more]\n", len(r.Files), r.TotalFiles)
	}
	for _, c := range r.Conflicts {
		b.WriteString(c.text())
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}
