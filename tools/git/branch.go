package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// BranchArgs are the arguments of git_branch.
type BranchArgs struct {
	Where
	// Action to perform. The default is list.
	Action string `json:"action,omitempty" jsonschema:"enum=list,enum=create,enum=switch,enum=delete,default=list"`
	// Name of the branch. For the action switch with Detach it may be a tag or commit.
	Name string `json:"name,omitempty"`
	// Start is the commit of a new branch. The default is HEAD.
	Start string `json:"start,omitempty" jsonschema:"description=Where a new branch begins; default HEAD"`
	// Switch checks out the new branch.
	Switch bool `json:"switch,omitempty" jsonschema:"description=Switch to the created branch"`
	// Detach checks out a commit without a branch.
	Detach bool `json:"detach,omitempty" jsonschema:"description=Switch to a tag or commit"`
	// Remote lists also the remote branches of the last fetch.
	Remote bool `json:"remote,omitempty" jsonschema:"description=List remote branches\\, too"`
	// Contains lists branches whose name contains a text.
	Contains string `json:"contains,omitempty"`
	// ConfirmToken is the token of a CONFIRMATION_REQUIRED error.
	ConfirmToken string `json:"confirmToken,omitempty"`
	// Limit is the most branches of a list. 0 is 100.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=100"`
}

// BranchResult is the result of git_branch.
type BranchResult struct {
	Head
	// Done describes the change.
	Done string `json:"done,omitempty"`
	// Branches are sorted by their last commit, newest first. Total counts all of them.
	Branches  []BranchInfo `json:"branches,omitempty"`
	Total     int          `json:"total,omitempty"`
	TurnedOff []string     `json:"turnedOff,omitempty"`
}

// Branch implements git_branch.
func (g *Git) Branch(ctx context.Context, args BranchArgs) (result BranchResult, err error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return BranchResult{}, err
	}
	if args.Action == "" || args.Action == "list" {
		return r.listBranches(ctx, args)
	}
	if args.Name == "" {
		return BranchResult{}, invalid("Give the name of a branch.", "there is no name")
	}
	var done string
	switch args.Action {
	case "create":
		done, err = r.createBranch(ctx, args)
	case "switch":
		done, err = r.switchTo(ctx, args)
	case "delete":
		done, err = r.deleteBranch(ctx, args)
	default:
		return BranchResult{}, invalid("Choose list, create, switch or delete.", "there is no action %s", quote(args.Action))
	}
	if err != nil {
		return BranchResult{}, err
	}
	head, err := r.currentHead(ctx)
	return BranchResult{Head: head, Done: done, TurnedOff: append(r.turnedOff(), r.checkoutHooks(ctx, args)...)}, err
}

// checkoutHooks lists the disabled hooks that a checkout would run.
func (r *repo) checkoutHooks(ctx context.Context, args BranchArgs) []string {
	return r.disabledHooks(ctx, args.Action == "delete" || args.Action == "create" && !args.Switch, "post-checkout")
}

// currentHead returns the current HEAD.
func (r *repo) currentHead(ctx context.Context) (Head, error) {
	head, _, err := r.Look(ctx, gitcmd.Look{Untracked: "no", Submodules: "all", Limit: localTimeout})
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return Head{}, gitError("looking at the work tree", err)
	}
	return r.head(head), nil
}

// branchName validates the name of a branch.
func (r *repo) branchName(ctx context.Context, name string) error {
	const next = "Use letters, digits, - and /, such as fix/login."
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "refs/") || name == "HEAD" || strings.HasPrefix(name, "@") {
		return invalid(next, "%s is no name for a branch", quote(name))
	}
	if _, err := r.Run(ctx, gitcmd.Call{Args: []string{"check-ref-format", "refs/heads/" + name}}); err != nil {
		return invalid(next, "%s is no name for a branch", quote(name))
	}
	return nil
}

// createBranch implements the action create.
func (r *repo) createBranch(ctx context.Context, args BranchArgs) (done string, err error) {
	if err := r.branchName(ctx, args.Name); err != nil {
		return "", err
	}
	c, err := r.begin(ctx, "git_branch", map[string]any{"action": "create", "name": args.Name, "start": args.Start, "switch": args.Switch})
	if err != nil {
		return "", err
	}
	defer func() { err = c.end(err) }()
	if args.Start == "" && r.CheckCommit(ctx) != nil { // without a commit, the branch is only named
		if _, err := r.runLocked(ctx, gitcmd.Call{Args: []string{"symbolic-ref", "HEAD", "refs/heads/" + args.Name}}); err != nil {
			return "", gitError("creating the branch", err)
		}
		return fmt.Sprintf("on branch %s, which begins with the first commit", name(args.Name)), nil
	}
	start := args.Start
	if start == "" {
		start = "HEAD"
	}
	commit, err := r.resolve(ctx, start)
	if err != nil {
		return "", err
	}
	if _, err := r.runLocked(ctx, gitcmd.Call{Args: []string{"branch", "--no-track", "--", args.Name, commit}}); err != nil {
		if f, ok := errors.AsType[*gitcmd.Failure](err); ok && strings.Contains(f.Said, "already exists") {
			return "", invalid("Choose another name, or switch to it.", "there is a branch %s already", quote(args.Name))
		}
		return "", gitError("creating the branch", err)
	}
	done = fmt.Sprintf("created branch %s at %s", name(args.Name), short(commit))
	if !args.Switch {
		return done, nil
	}
	if err := r.checkOut(ctx, args.Name, commit); err != nil {
		return "", err
	}
	return done + " and switched to it", nil
}

// switchTo implements the action switch.
func (r *repo) switchTo(ctx context.Context, args BranchArgs) (done string, err error) {
	if state := gitcmd.InProgress(r.own); state != "" && state != gitcmd.Bisecting {
		return "", problem(codeInProgress, "Conclude it, or abort it with git_pull and abort=true.", "a %s is in progress", state)
	}
	c, err := r.begin(ctx, "git_branch", map[string]any{"action": "switch", "name": args.Name, "detach": args.Detach})
	if err != nil {
		return "", err
	}
	defer func() { err = c.end(err) }()
	if args.Detach {
		commit, err := r.resolve(ctx, args.Name)
		if err != nil {
			return "", err
		}
		return "checked out " + short(commit) + " without a branch", r.checkOut(ctx, commit, commit, "--detach")
	}
	if err := r.branchName(ctx, args.Name); err != nil {
		return "", err
	}
	commit, err := r.Resolve(ctx, "refs/heads/"+args.Name)
	if err != nil {
		commit = "" // git may know a remote branch with this name
	}
	return "switched to branch " + name(args.Name), r.checkOut(ctx, args.Name, commit)
}

// checkOut checks out a revision. commit is "" if unknown. Git refuses it if changes would be lost.
func (r *repo) checkOut(ctx context.Context, what, commit string, options ...string) error {
	if r.partPath != "" {
		if head, err := r.currentHead(ctx); err != nil || head.Commit != commit {
			return cmp.Or(err, r.refuseOutside("switching to another commit"))
		}
	}
	if len(r.settings.Filters) > 0 {
		if commit == "" {
			return problem(codeUnsafe, "Create the branch first, with the remote branch as start.", "filters of the repository are turned off, so the content of the branch is not known")
		}
		head, err := r.currentHead(ctx)
		if err == nil {
			err = r.checkIncoming(ctx, head.Commit, commit)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.runLocked(ctx, gitcmd.Call{Args: append([]string{"switch", "--quiet", "--no-progress", "--no-recurse-submodules"}, append(options, what)...), Limit: switchTimeout})
	failure, ok := errors.AsType[*gitcmd.Failure](err)
	if ok && (strings.Contains(failure.Said, "invalid reference") || strings.Contains(failure.Said, "matched multiple") || strings.Contains(failure.Said, "a branch is expected")) {
		return problem(codeUnknown, "git_branch lists branches; create makes one; detach=true checks a tag or commit out.", "%s", sanitize(failure.Said))
	}
	return gitError("switching", err)
}

// deleteBranch implements the action delete.
func (r *repo) deleteBranch(ctx context.Context, args BranchArgs) (done string, err error) {
	if err := r.branchName(ctx, args.Name); err != nil {
		return "", err
	}
	if err := r.writable(); err != nil {
		return "", err
	}
	ref := "refs/heads/" + args.Name
	commit, err := r.resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	force := false
	lost, err := r.countLost(ctx, args.Name)
	if err != nil {
		return "", err
	}
	if lost > 0 {
		message := fmt.Sprintf("Delete the branch %s at %s? Then %s that no other branch has would be lost.", quote(args.Name), short(commit), plural.Count(lost, "commit"))
		if err := r.g.requireConsent(ctx, "delete", message, args.ConfirmToken, consentKey("delete "+r.path(".")+" "+args.Name+" "+commit)); err != nil {
			return "", err
		}
		force = true
	}
	c, err := r.begin(ctx, "git_branch", map[string]any{"action": "delete", "name": args.Name, "commit": commit, "force": force})
	if err != nil {
		return "", err
	}
	defer func() { err = c.end(err) }()
	if now, err := r.resolve(ctx, ref); err != nil || now != commit {
		return "", errors.Join(err, problem(codeFailed, "Call again.", "the branch has changed meanwhile"))
	}
	// This method has checked for lost commits; git would compare only with HEAD.
	if _, err := r.runLocked(ctx, gitcmd.Call{Args: []string{"branch", "--quiet", "-D", "--", args.Name}}); err != nil {
		return "", gitError("deleting the branch", err)
	}
	return fmt.Sprintf("deleted branch %s, which was at %s", name(args.Name), short(commit)), nil
}

// countLost counts the commits that no other branch, remote branch or tag contains.
func (r *repo) countLost(ctx context.Context, branch string) (int, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"rev-list", "--count", "refs/heads/" + branch, "--not", "--exclude=" + branch, "--branches", "--remotes", "--tags"}, Limit: localTimeout})
	if err != nil {
		return 0, gitError("looking for changes that would be lost", err)
	}
	n := 0
	_, err = fmt.Sscanf(trim(out), "%d", &n)
	return n, err
}

// TextContent returns the text for the model: the change, or the list of branches.
func (r BranchResult) TextContent() string {
	var b strings.Builder
	if r.Done != "" {
		b.WriteString(r.Done + "\n")
	}
	b.WriteString(r.Head.text())
	for _, branch := range r.Branches {
		b.WriteString(branch.text())
	}
	if r.Total > len(r.Branches) {
		fmt.Fprintf(&b, "[%d of %d branches; give contains or a larger limit]\n", len(r.Branches), r.Total)
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}
