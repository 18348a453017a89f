package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/internal/git"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// workplace is where a run works, and what was there before it.
type workplace struct {
	a   *Agents
	r   *run
	t   *track // once it runs
	dir string
	// tree is the directory of the work tree, or dir.
	tree string
	// repository and before are nil where git knows nothing.
	repository *git.Repository
	before     *git.Snapshot
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
	if err == nil {
		w.before, err = w.repository.Snapshot(ctx)
	}
	w.doubt(err)
	return w, nil
}

// doubt notes that git is of no help.
func (w *workplace) doubt(err error) {
	if err == nil {
		return
	}
	w.before = nil
	if !errors.Is(err, git.ErrNoGit) && !errors.Is(err, git.ErrNoRepository) {
		w.a.log.Warn("git does not tell what an agent has changed", slog.String("agent", w.r.id), slog.Any("error", err))
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

// leave ends that. Who works here still needs to know what the run has told of, and nothing else of it.
func (w *workplace) leave() {
	told := w.told()
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	if i := slices.Index(w.a.places, w); i >= 0 {
		w.a.places = slices.Delete(w.a.places, i, i+1)
	}
	w.last, w.t, w.before, w.others = told, nil, nil, nil
}

// close finds out what was changed there.
func (w *workplace) close() found {
	ctx := context.WithoutCancel(w.a.life)
	f := found{changes: make(changes), worktree: w.worktree, branch: w.branch}
	f.changes.take(w.t.changed())
	if w.before != nil {
		seen, err := w.repository.Since(ctx, w.before)
		w.doubt(err)
		w.attribute(f.changes, seen)
	}
	w.leave()
	return f
}

// attribute adds what git has seen. What others have told of is theirs; what nobody has told of may be theirs.
func (w *workplace) attribute(all changes, seen []git.Change) {
	w.a.mu.Lock()
	others := slices.Clone(w.others)
	w.a.mu.Unlock()
	theirs := make(map[string]bool)
	for _, other := range others {
		for path := range other.told() {
			theirs[absolute(other.dir, path)] = true
		}
	}
	for _, c := range seen {
		name := filepath.Join(w.repository.Top(), filepath.FromSlash(c.Path))
		path := relative(w.dir, name)
		_, ours := all[path]
		if !ours && theirs[name] {
			continue
		}
		all.add(path, c.Kind, record.FromGit)
		if known, ok := all[path]; ok && !ours && len(others) > 0 {
			known.Uncertain = true
			all[path] = known
		}
	}
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

// follow is told who hears what the run tells.
func (w *workplace) follow(t *track) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	w.t = t
}
