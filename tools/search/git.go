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

// repositoryLife is after how long is looked again where the repository is.
const repositoryLife = 10 * time.Second

// gitMoments keep what git has said last, and have it asked by one caller at a time. The zero value knows nothing.
type gitMoments struct {
	turn *semaphore.Weighted // of 1, for the use of the other fields

	kept       *gitMoment
	repository *git.Repository
	found      time.Time // when the repository was
	commit     string    // that commits end with
	commits    []GitCommit
}

// gitMoment is what git has said at a moment; it does not change any more.
type gitMoment struct {
	began time.Time
	state *GitState // with as much as anybody may ask for
	err   error     // what is missing
}

// gitState answers what git can tell, as it was at most Options.GitAge before the call. The error says what is missing.
func (s *Search) gitState(ctx context.Context, most int) (*GitState, error) {
	asked := time.Now()
	g := &s.git
	if g.turn.Acquire(ctx, 1) != nil {
		return nil, fmt.Errorf("waiting for git: %w", context.Cause(ctx))
	}
	defer g.turn.Release(1)
	if g.kept == nil || asked.Sub(g.kept.began) >= s.options.GitAge {
		began := time.Now()
		state, err := s.askGit(ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("asking git: %w", context.Cause(ctx))
		}
		g.kept = &gitMoment{began, state, err}
	}
	return g.kept.state.first(most), g.kept.err
}

// first is a state with so many of each list.
func (g *GitState) first(most int) *GitState {
	if g == nil {
		return nil
	}
	part := *g
	part.ChangedFiles = slices.Clip(g.ChangedFiles[:min(most, len(g.ChangedFiles))])
	part.RecentCommits = slices.Clip(g.RecentCommits[:min(most, len(g.RecentCommits))])
	return &part
}

// askGit asks git now. The caller has the turn.
func (s *Search) askGit(ctx context.Context) (*GitState, error) {
	g := &s.git
	if g.repository == nil || time.Since(g.found) >= repositoryLife {
		r, err := s.repository(ctx)
		if err != nil {
			g.repository = nil
			return nil, err
		}
		g.repository, g.found = r, time.Now()
	}
	r := g.repository
	head, entries, err := r.Overview(ctx, true)
	if err != nil && !errors.Is(err, git.ErrTooMuch) {
		g.repository = nil // it may be another one, or gone
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
		// Paths of git are those of the repository, which may begin above the project.
		path, ok := strings.CutPrefix(e.Path, r.Prefix())
		if !ok || s.hidden(ctx, path) {
			continue
		}
		state.TotalChanged++
		if len(state.ChangedFiles) < maxContext {
			state.ChangedFiles = append(state.ChangedFiles, ChangedFile{Path: path, Status: status(e), Staged: e.Index != '.' && e.Index != '?'})
		}
	}
	if errors.Is(err, git.ErrTooMuch) {
		err = fmt.Errorf("more files have changed than are looked at: %w", err)
	}
	settings, unknown := r.Settings(ctx)
	if unknown == nil && len(settings.Filters) > 0 {
		unknown = fmt.Errorf("files with the filter %s may count as changed although they are not: the repository names a program for it, which is not run", truncate.Line(strings.Join(settings.Filters, ", "), 200))
	}
	commits, failed := g.history(ctx, head.Commit)
	state.RecentCommits = append(state.RecentCommits, commits...)
	return state, errors.Join(err, unknown, failed)
}

// history are the last commits, the same ones as long as the same one is checked out.
func (g *gitMoments) history(ctx context.Context, head string) ([]GitCommit, error) {
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
	// Log shows the commit that is checked out by then, which may be a later one.
	if len(log) > 0 && log[0].Hash == head {
		g.commit, g.commits = head, commits
	}
	return commits, nil
}
