package git

import (
	"context"
	"errors"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// resolve returns the commit of a revision name.
func (r *repo) resolve(ctx context.Context, revision string) (string, error) {
	commit, err := r.Resolve(ctx, revision)
	if errors.Is(err, gitcmd.ErrNoRevision) {
		if r.CheckCommit(ctx) != nil && revision == "HEAD" {
			return "", problem(codeUnknown, "Commit something first.", "the repository has no commit yet")
		}
		return "", problem(codeUnknown, "git_branch lists branches, git_log commits.", "%s is no commit of the repository", quote(revision))
	}
	return commit, gitError("finding "+quote(revision), err)
}

// emptyTree returns the ID of the empty tree, with which the first commit is compared.
func (r *repo) emptyTree(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"hash-object", "-t", "tree", "--stdin"}, Input: []byte{}})
	if err != nil {
		return "", gitError("comparing with nothing", err)
	}
	return trim(out), nil
}
