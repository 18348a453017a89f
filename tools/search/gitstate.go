package search

import (
	"context"
	"errors"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/git"
)

const recentCommits = 10

// GitState is what git says of the project.
type GitState struct {
	// Branch is empty where none is checked out, Head the commit, empty if there is none yet.
	Branch string `json:"branch"`
	Head   string `json:"head"`
	// Upstream is the branch that Branch follows; Ahead and Behind are how many commits only one of them has; nil
	// without an upstream that was fetched.
	Upstream string `json:"upstream,omitempty"`
	Ahead    *int   `json:"ahead,omitempty"`
	Behind   *int   `json:"behind,omitempty"`
	// Clean says that nothing differs from the commit. ChangedFiles are the first of what does, TotalChanged how many there are.
	Clean         bool          `json:"clean"`
	ChangedFiles  []ChangedFile `json:"changedFiles"`
	TotalChanged  int           `json:"totalChanged"`
	RecentCommits []GitCommit   `json:"recentCommits"`
}

// ChangedFile is a file that differs from what is committed.
type ChangedFile struct {
	Path string `json:"path"`
	// Status is added, modified, deleted, untracked or conflicted.
	Status string `json:"status"`
	Staged bool   `json:"staged,omitempty"`
}

// GitCommit is one of the history.
type GitCommit struct {
	Hash    string    `json:"hash"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	Date    time.Time `json:"date"`
}

// repository is that of the first directory; an error that says why there is none.
func (s *Search) repository(ctx context.Context) (*git.Repository, error) {
	if s.options.NoGit {
		return nil, errors.New("git is left alone by the settings")
	}
	r, err := git.Open(ctx, s.root.Dirs()[0])
	switch {
	case errors.Is(err, git.ErrNoGit):
		return nil, git.ErrNoGit
	case errors.Is(err, git.ErrNoRepository):
		return nil, errors.New("the project is not in a git repository")
	}
	return r, err
}

func status(e git.Entry) string {
	switch {
	case e.Untracked():
		return "untracked"
	case e.Index == 'U' || e.Tree == 'U' || e.Index == 'A' && e.Tree == 'A' || e.Index == 'D' && e.Tree == 'D':
		return "conflicted"
	case e.Deleted():
		return "deleted"
	case !e.Committed:
		return "added"
	}
	return "modified"
}

// hidden tells whether the rules of the Root keep a file from being told of. One that is not there any more is judged by its name.
func (s *Search) hidden(ctx context.Context, path string) bool {
	_, err := s.root.Lstat(ctx, path)
	code := security.CodeOf(err)
	return err != nil && code != security.FileNotFound && code != security.NotDirectory
}
