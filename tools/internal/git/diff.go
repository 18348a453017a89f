package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoRevision means that a name is no commit.
var ErrNoRevision = errors.New("there is no such commit")

// Resolve returns the hash of the commit of a name: a branch, a tag, HEAD~1 and so on. The error wraps ErrNoRevision for an
// unknown name.
func (r *Repository) Resolve(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", fmt.Errorf("%.100q: %w", name, ErrNoRevision)
	}
	out, err := r.run(ctx, timeout, "rev-parse", "--quiet", "--verify", name+"^{commit}")
	if _, failed := errors.AsType[*Failure](err); failed && ctx.Err() == nil {
		return "", fmt.Errorf("%.100q: %w", name, ErrNoRevision)
	}
	return strings.TrimSpace(string(out)), err
}

// Changed returns the files below Prefix that differ between a commit (see Resolve) and the worktree. Paths are relative to
// Prefix. Untracked files are not included; see Status.
func (r *Repository) Changed(ctx context.Context, commit string) ([]Change, error) {
	out, err := r.run(ctx, timeout, "diff", "--name-status", "-z", "--no-renames", "--no-ext-diff", "--relative", "--ignore-submodules=all", commit, "--", ".")
	if err != nil {
		return nil, err
	}
	var changes []Change
	parts := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		c := Change{Path: parts[i+1], Kind: "edited"}
		switch parts[i] {
		case "A":
			c.Kind = "created"
		case "D":
			c.Kind = "deleted"
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Diff returns the textual difference of files between a commit (see Resolve) and the worktree. Paths are relative to Prefix. A
// long difference is truncated and comes with ErrTooMuch. No program of the repository runs.
func (r *Repository) Diff(ctx context.Context, commit string, paths ...string) (string, error) {
	if len(paths) == 0 {
		return "", nil
	}
	args := []string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative", "--ignore-submodules=all", commit, "--"}
	out, err := r.run(ctx, timeout, slices.Concat(args, paths)...)
	return string(out), err
}
