package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/git"

	"golang.org/x/sync/semaphore"
)

// recentCommits is the number of commits in a GitState.
const recentCommits = 10

// GitState is the state of the project's git repository.
type GitState struct {
	// Branch is the name of the branch; empty for a detached HEAD.
	Branch string `json:"branch"`
	// Head is the hash of the current commit; empty before the first commit.
	Head string `json:"head"`
	// Upstream is the upstream branch of Branch; empty without one.
	Upstream string `json:"upstream,omitempty"`
	// Ahead and Behind are the numbers of commits that only Branch or only Upstream has. nil if Upstream has not been fetched.
	Ahead  *int `json:"ahead,omitempty"`
	Behind *int `json:"behind,omitempty"`
	// Clean is true if no file differs from the commit.
	Clean bool `json:"clean"`
	// ChangedFiles are the first changed files, up to the MaxResults of the call.
	ChangedFiles []ChangedFile `json:"changedFiles"`
	// TotalChanged is the number of changed files.
	TotalChanged int `json:"totalChanged"`
	// RecentCommits are the last commits, newest first, at most 10.
	RecentCommits []GitCommit `json:"recentCommits"`
}

// ChangedFile is a file that differs from the current commit.
type ChangedFile struct {
	// Path is relative to the project.
	Path string `json:"path"`
	// Status is added, modified, deleted, untracked or conflicted.
	Status string `json:"status"`
	// Staged is true if the change is in the index of git.
	Staged bool `json:"staged,omitempty"`
}

// GitCommit is one commit of the history.
type GitCommit struct {
	// Hash is the first 12 characters of the commit's hash.
	Hash    string    `json:"hash"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	Date    time.Time `json:"date"`
}

// repository opens the repository that contains the project's first directory. The error explains why there is none.
func (s *Search) repository(ctx context.Context) (*git.Repository, error) {
	if s.options.NoGit {
		return nil, errors.New("git is disabled in the settings")
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

// fileStatus returns the ChangedFile.Status of an entry.
func fileStatus(e git.Entry) string {
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

// hidden reports whether the rules of the Root forbid access to a path. A deleted file is checked by its name.
func (s *Search) hidden(ctx context.Context, path string) bool {
	_, err := s.root.Lstat(ctx, path)
	code := security.CodeOf(err)
	return err != nil && code != security.FileNotFound && code != security.NotDirectory
}

// repositoryLife is the time after which the repository is looked up again.
const repositoryLife = 10 * time.Second

// gitCache keeps the last git state and serializes the calls of git.
type gitCache struct {
	lock *semaphore.Weighted // of weight 1; guards the other fields and can be awaited with a context

	snapshot        *gitSnapshot
	repository      *git.Repository
	repositoryFound time.Time // time at which repository was opened
	commit          string    // newest commit in commits
	commits         []GitCommit
}

// gitSnapshot is the git state at one time. It is immutable.
type gitSnapshot struct {
	began time.Time
	state *GitState // with the longest lists that a caller can request
	err   error     // describes missing parts
}

// gitState returns the git state with lists of at most limit entries. It is at most Options.GitMaxAge older than the call. The
// error describes missing parts; the state can be incomplete then.
func (s *Search) gitState(ctx context.Context, limit int) (*GitState, error) {
	called := time.Now()
	g := &s.git
	if g.lock.Acquire(ctx, 1) != nil {
		return nil, fmt.Errorf("waiting for git: %w", context.Cause(ctx))
	}
	defer g.lock.Release(1)
	if g.snapshot == nil || called.Sub(g.snapshot.began) >= s.options.GitMaxAge {
		began := time.Now()
		state, err := s.readGit(ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("reading the git state: %w", context.Cause(ctx))
		}
		g.snapshot = &gitSnapshot{began, state, err}
	}
	return g.snapshot.state.truncate(limit), g.snapshot.err
}

// truncate returns a copy of g with at most limit entries in each list.
func (g *GitState) truncate(limit int) *GitState {
	if g == nil {
		return nil
	}
	part := *g
	part.ChangedFiles = slices.Clip(g.ChangedFiles[:min(limit, len(g.ChangedFiles))])
	part.RecentCommits = slices.Clip(g.RecentCommits[:min(limit, len(g.RecentCommits))])
	return &part
}

// readGit runs git. The caller holds the lock.
func (s *Search) readGit(ctx context.Context) (*GitState, error) {
	g := &s.git
	if g.repository == nil || time.Since(g.repositoryFound) >= repositoryLife {
		r, err := s.repository(ctx)
		if err != nil {
			g.repository = nil
			return nil, err
		}
		g.repository, g.repositoryFound = r, time.Now()
	}
	r := g.repository
	head, entries, err := r.Overview(ctx, true)
	if err != nil && !errors.Is(err, git.ErrTooMuch) {
		g.repository = nil // it may have been replaced or deleted
		return nil, err
	}
	state := &GitState{
		Branch: truncate.Line(head.Branch, 255), Head: head.Commit, Upstream: truncate.Line(head.Upstream, 255),
		Clean: len(entries) == 0, ChangedFiles: []ChangedFile{}, RecentCommits: []GitCommit{},
	}
	if head.Compared {
		state.Ahead, state.Behind = &head.Ahead, &head.Behind
	}
	for _, e := range entries {
		// Paths of git are relative to the repository, whose directory may be above the project.
		path, ok := strings.CutPrefix(e.Path, r.Prefix())
		if !ok || s.hidden(ctx, path) {
			continue
		}
		state.TotalChanged++
		if len(state.ChangedFiles) < maxContext {
			state.ChangedFiles = append(state.ChangedFiles, ChangedFile{Path: path, Status: fileStatus(e), Staged: e.Index != '.' && e.Index != '?'})
		}
	}
	if errors.Is(err, git.ErrTooMuch) {
		err = fmt.Errorf("the list of changed files is incomplete: %w", err)
	}
	settings, unknown := r.Settings(ctx)
	if unknown == nil && len(settings.Filters) > 0 {
		unknown = fmt.Errorf("files with the filter %s may count as changed although they are not: the repository names a program for it, which is not run", truncate.Line(strings.Join(settings.Filters, ", "), 200))
	}
	commits, failed := g.history(ctx, head.Commit)
	state.RecentCommits = append(state.RecentCommits, commits...)
	return state, errors.Join(err, unknown, failed)
}

// history returns the last commits. They are cached as long as head is the current commit.
func (g *gitCache) history(ctx context.Context, head string) ([]GitCommit, error) {
	if head != "" && head == g.commit {
		return g.commits, nil
	}
	log, err := g.repository.Log(ctx, recentCommits)
	if err != nil {
		return nil, err
	}
	var commits []GitCommit
	for _, c := range log {
		commits = append(commits, GitCommit{Hash: c.Hash[:min(len(c.Hash), 12)], Subject: truncate.Line(c.Subject, 200), Author: truncate.Line(c.Author, 100), Date: c.Time})
	}
	// Another commit may have been checked out since head was read.
	if len(log) > 0 && log[0].Hash == head {
		g.commit, g.commits = head, commits
	}
	return commits, nil
}
