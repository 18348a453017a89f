package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/plural"
)

// AddWorktree creates a worktree with a new branch at the present commit. path must not exist. It returns ErrNoCommit without a
// commit, and *Unsafe if files would be written without a filter that the repository defines.
func (r *Repository) AddWorktree(ctx context.Context, path, branch string) error {
	if err := r.CheckCommit(ctx); err != nil {
		return err
	}
	if err := r.checkFiltered(ctx); err != nil {
		return err
	}
	_, err := r.run(ctx, slowTimeout, "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, "HEAD")
	return err
}

// CheckCommit returns ErrNoCommit if there is no commit.
func (r *Repository) CheckCommit(ctx context.Context) error {
	_, err := r.run(ctx, timeout, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if _, failed := errors.AsType[*Failure](err); failed && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", r.top, ErrNoCommit)
	}
	return err
}

// RemoveWorktree removes a worktree of the repository and its branch. If that would lose changes or commits, it keeps them and
// returns a description of the loss. If the worktree no longer exists, it removes the branch.
func (r *Repository) RemoveWorktree(ctx context.Context, path, branch string) (kept string, err error) {
	tree, err := Open(ctx, path)
	_, missing := os.Lstat(path)
	switch {
	case errors.Is(missing, fs.ErrNotExist):
		if _, err := r.run(ctx, timeout, "worktree", "prune"); err != nil {
			return "", err
		}
		return r.removeBranch(ctx, branch)
	case errors.Is(err, ErrNoRepository), err == nil && !sameFile(tree.top, path):
		if os.Remove(path) == nil { // the directory was empty
			_, err := r.run(ctx, timeout, "worktree", "prune")
			return "", err
		}
		return "the directory is no longer a git work tree, and has files", nil
	case err != nil:
		return "", err
	}
	_, entries, err := tree.Status(ctx, false)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return fmt.Sprintf("%s in it %s not committed", plural.Count(len(entries), "file"), plural.Are(len(entries))), nil
	}
	head, err := tree.run(ctx, timeout, "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	for _, commit := range []string{strings.TrimSpace(string(head)), "refs/heads/" + branch} {
		merged, err := r.merged(ctx, commit)
		if err != nil {
			return "", err
		}
		if !merged {
			return "it has commits that are not merged", nil
		}
	}
	both := *r
	both.guards = slices.Concat(r.guards, tree.guards) // git reads the configuration of the worktree too
	if _, err := both.run(ctx, slowTimeout, "worktree", "remove", "--", path); err != nil {
		return "", err
	}
	_, err = r.run(ctx, timeout, "branch", "--quiet", "-D", "--", branch)
	return "", err
}

// removeBranch removes a branch if it exists and its commits are merged.
func (r *Repository) removeBranch(ctx context.Context, branch string) (kept string, err error) {
	if _, err := r.run(ctx, timeout, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err != nil {
		return "", context.Cause(ctx)
	}
	merged, err := r.merged(ctx, "refs/heads/"+branch)
	switch {
	case err != nil:
		return "", err
	case !merged:
		return "the directory is gone, and the branch has commits that are not merged", nil
	}
	_, err = r.run(ctx, timeout, "branch", "--quiet", "-D", "--", branch)
	return "", err
}

// merged reports whether another commit is an ancestor of the present commit. A missing commit counts as merged.
func (r *Repository) merged(ctx context.Context, commit string) (bool, error) {
	if _, err := r.run(ctx, timeout, "rev-parse", "--verify", "--quiet", commit+"^{commit}"); err != nil {
		return ctx.Err() == nil, context.Cause(ctx)
	}
	_, err := r.run(ctx, timeout, "merge-base", "--is-ancestor", commit, "HEAD")
	if failed, ok := errors.AsType[*Failure](err); ok && failed.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

// checkFiltered refuses a commit with files whose filter is overridden.
func (r *Repository) checkFiltered(ctx context.Context) error {
	s, err := r.Settings(ctx)
	if err != nil || len(s.Filters) == 0 {
		return err
	}
	out, err := r.AtTop().Run(ctx, Call{Args: []string{"ls-files", "-z"}, Most: 16 << 20})
	if err != nil {
		return err
	}
	path, filter, err := r.AtTop().Filtered(ctx, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
	if err != nil || path == "" {
		return err
	}
	return &Unsafe{fmt.Sprintf("%q has the filter %q, a program that the repository's own configuration names and that is not run here", path, filter),
		"Ask the user to set the filter in their own configuration (git config --global) if they trust it."}
}
