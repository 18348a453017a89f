package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/filestate"
	"github.com/dougu-go/dougu/tools/internal/git"
)

// workplace is where a run works, and what was there before it.
type workplace struct {
	a   *Agents
	r   *run
	t   *track // once it runs
	dir string
	// tree is the directory of the work tree, or dir.
	tree string
	// repository and before are nil where git knows nothing, files where git knows, or there are too many files.
	repository *git.Repository
	before     *git.Snapshot
	files      *filestate.Tree
	// worktree and branch are those of an isolated run.
	worktree, branch string

	// others have worked in the same tree at the same time; Agents.mu guards them.
	others []*workplace
	last   changes // that the run has told of, once it has ended
}

// open makes the place where a run works, and remembers what is there.
func (a *Agents) open(ctx context.Context, r *run) (*workplace, error) {
	w := &workplace{a: a, r: r, dir: r.agent.WorkingDirectory}
	if r.agent.Isolation == record.Worktree {
		if err := w.isolate(ctx); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("its directory %s is not there", w.dir)
	}
	var err error
	w.tree = w.dir
	if w.repository, err = git.Open(ctx, w.dir); err == nil {
		w.tree = w.repository.Top()
	}
	w.enter()
	switch {
	case err == nil:
		w.before, err = w.repository.Snapshot(ctx)
	case errors.Is(err, git.ErrNoGit), errors.Is(err, git.ErrNoRepository):
		w.files, err = filestate.Scan(ctx, w.dir)
	}
	w.doubt(err)
	return w, nil
}

// doubt notes that the changes of the agent cannot be compared with the state before.
func (w *workplace) doubt(err error) {
	if err != nil {
		w.a.mu.Lock()
		w.before, w.files = nil, nil
		w.a.mu.Unlock()
		w.a.log.Warn("what an agent changes is known only as far as the agent tells it", slog.String("agent", w.r.id), slog.Any("error", err))
	}
}

// enter notes who else works here.
func (w *workplace) enter() {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	for _, other := range w.a.places {
		if w.tree == other.tree {
			w.others = append(w.others, other)
			other.others = append(other.others, w)
		}
	}
	w.a.places = append(w.a.places, w)
}

// atWork reports whether this server has begun to run an agent. Its record may say a moment later that it is running.
func (a *Agents) atWork(agentID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.places, func(w *workplace) bool { return w.r.id == agentID })
}

// leave ends that. Other runs in the same tree still need the changes that this run has told of, and nothing else of it.
func (w *workplace) leave(told changes) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	if i := slices.Index(w.a.places, w); i >= 0 {
		w.a.places = slices.Delete(w.a.places, i, i+1)
	}
	w.last, w.t, w.before, w.files, w.others = told, nil, nil, nil, nil
}

// close finds out what was changed there, beside the changes that the run has told of.
func (w *workplace) close(told changes) found {
	ctx := context.WithoutCancel(w.a.life)
	f := found{changes: maps.Clone(told), worktree: w.worktree, branch: w.branch}
	c, err := w.compare(ctx)
	w.doubt(err)
	if c != nil {
		own := w.attribute(f.changes, c)
		w.t.keep(record.Comparison, []byte(w.differenceText(ctx, c, own)))
	}
	w.leave(told)
	return f
}

// compared is the changes in the tree of a workplace since the begin of the run.
type compared struct {
	dir    string // of the paths
	seen   []filestate.Change
	before func(ctx context.Context, paths []string) (map[string][]byte, error) // the former contents that are known
	source record.Source
}

// compare finds the changes since the begin of the run; nil if they cannot be known.
func (w *workplace) compare(ctx context.Context) (*compared, error) {
	w.a.mu.Lock()
	repository, before, files := w.repository, w.before, w.files
	w.a.mu.Unlock()
	switch {
	case before != nil:
		seen, err := repository.Since(ctx, before)
		if err != nil {
			return nil, err
		}
		return &compared{repository.Top(), seen, func(ctx context.Context, paths []string) (map[string][]byte, error) {
			return repository.Before(ctx, before, paths)
		}, record.FromGit}, nil
	case files != nil:
		seen, err := files.Since(ctx)
		if err != nil {
			return nil, err
		}
		return &compared{w.dir, seen, func(context.Context, []string) (map[string][]byte, error) { return files.Texts(), nil }, record.FromFiles}, nil
	}
	return nil, nil
}

// attribute adds the changes of a comparison, and returns the part that is not the work of other agents. Changes that other agents have reported are theirs;
// changes that no agent has reported may be theirs.
func (w *workplace) attribute(all changes, c *compared) []filestate.Change {
	var own []filestate.Change
	w.a.mu.Lock()
	others := slices.Clone(w.others)
	w.a.mu.Unlock()
	theirs := make(map[string]bool)
	for _, other := range others {
		for path := range other.told() {
			theirs[absolute(other.dir, path)] = true
		}
	}
	for _, change := range c.seen {
		name := filepath.Join(c.dir, filepath.FromSlash(change.Path))
		path := relative(w.dir, name)
		_, ours := all[path]
		if !ours && theirs[name] {
			continue
		}
		own = append(own, change)
		all.add(w.dir, name, change.Kind, c.source)
		if known, ok := all[path]; ok && !ours && len(others) > 0 {
			known.Uncertain = true
			all[path] = known
		}
	}
	return own
}

// told is what the run has told of so far.
func (w *workplace) told() changes {
	w.a.mu.Lock()
	t, last := w.t, w.last
	w.a.mu.Unlock()
	if t == nil {
		return last
	}
	return t.changed()
}
