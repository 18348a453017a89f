package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/filestate"
	"github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// Limits of the text of a comparison, in bytes.
const (
	maxDifference     = 1 << 20
	maxFileDifference = 64 << 10
	// maxPairs is the largest number of file pairs that are compared to detect renames.
	maxPairs = 2_500
)

// workplace is the directory in which a run works, and the state of its files before the run.
type workplace struct {
	a   *Agents
	r   *run
	t   *track // nil until the run starts and after it ends
	dir string
	// tree is the top directory of the git work tree, or dir without git.
	tree string
	// repository and before are nil without git. files is nil with git, or if there are too many
	// files.
	repository *git.Repository
	before     *git.Snapshot
	files      *filestate.Tree
	// worktree and branch are set for runs with record.Worktree isolation.
	worktree, branch string

	// others are workplaces whose runs overlap in the same tree. Agents.mu guards it.
	others       []*workplace
	finalChanges changes // reported by the run; set when it ends
}

// openWorkplace prepares the directory of a run and takes a snapshot of its files.
func (a *Agents) openWorkplace(ctx context.Context, r *run) (*workplace, error) {
	w := &workplace{a: a, r: r, dir: r.agent.WorkingDirectory}
	if r.agent.Isolation == record.Worktree {
		if err := w.setWorktree(ctx); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("its directory %s does not exist", w.dir)
	}
	var err error
	w.tree = w.dir
	if w.repository, err = git.Open(ctx, w.dir); err == nil {
		w.tree = w.repository.Top()
	}
	w.register()
	switch {
	case err == nil:
		w.before, err = w.repository.Snapshot(ctx)
	case errors.Is(err, git.ErrNoGit), errors.Is(err, git.ErrNoRepository):
		w.files, err = filestate.Scan(ctx, w.dir)
	}
	w.dropBaseline(err)
	return w, nil
}

// register adds w to the active workplaces and links it with others in the same tree.
func (w *workplace) register() {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	for _, other := range w.a.workplaces {
		if w.tree == other.tree {
			w.others = append(w.others, other)
			other.others = append(other.others, w)
		}
	}
	w.a.workplaces = append(w.a.workplaces, w)
}

// dropBaseline discards the snapshot after an error. Changes are then known from events and reports
// only.
func (w *workplace) dropBaseline(err error) {
	if err != nil {
		w.a.mu.Lock()
		w.before, w.files = nil, nil
		w.a.mu.Unlock()
		w.a.log.Warn("the files of an agent cannot be compared; only reported changes are known", slog.String("agent", w.r.id), slog.Any("error", err))
	}
}

// isExecuting reports whether this server is running an agent. The record may still show an earlier
// status.
func (a *Agents) isExecuting(agentID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.workplaces, func(w *workplace) bool { return w.r.id == agentID })
}

// close compares the files with the snapshot, adds the differences to the reported changes, and
// unregisters w.
func (w *workplace) close(told changes) findings {
	ctx := context.WithoutCancel(w.a.baseCtx)
	f := findings{changes: maps.Clone(told), worktree: w.worktree, branch: w.branch}
	c, err := w.compare(ctx)
	w.dropBaseline(err)
	if c != nil {
		own := w.attribute(f.changes, c)
		w.t.appendOutput(record.Comparison, []byte(w.differenceText(ctx, c, own)))
	}
	w.unregister(told)
	return f
}

// comparison is the set of changes in the tree of a workplace since the run began.
type comparison struct {
	dir     string // base of the paths
	changes []filestate.Change
	// before returns the former contents of files, as far as they were kept.
	before func(ctx context.Context, paths []string) (map[string][]byte, error)
	source record.Source
}

// compare returns the changes since the run began, or nil if there is no snapshot.
func (w *workplace) compare(ctx context.Context) (*comparison, error) {
	w.a.mu.Lock()
	repository, before, files := w.repository, w.before, w.files
	w.a.mu.Unlock()
	switch {
	case before != nil:
		seen, err := repository.Since(ctx, before)
		if err != nil {
			return nil, err
		}
		return &comparison{repository.Top(), seen, func(ctx context.Context, paths []string) (map[string][]byte, error) {
			return repository.Before(ctx, before, paths)
		}, record.FromGit}, nil
	case files != nil:
		seen, err := files.Since(ctx)
		if err != nil {
			return nil, err
		}
		return &comparison{w.dir, seen, func(context.Context, []string) (map[string][]byte, error) { return files.Texts(), nil }, record.FromFiles}, nil
	}
	return nil, nil
}

// attribute adds the changes of a comparison to all and returns the changes that belong to this
// run. A change that another run has reported belongs to that run. A change that no run has
// reported is uncertain if other runs overlap.
func (w *workplace) attribute(all changes, c *comparison) []filestate.Change {
	var own []filestate.Change
	w.a.mu.Lock()
	others := slices.Clone(w.others)
	w.a.mu.Unlock()
	theirs := make(map[string]bool)
	for _, other := range others {
		for path := range other.reportedChanges() {
			theirs[absolutePath(other.dir, path)] = true
		}
	}
	for _, change := range c.changes {
		name := filepath.Join(c.dir, filepath.FromSlash(change.Path))
		path := relativePath(w.dir, name)
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

// reportedChanges returns the changes that the run has reported so far.
func (w *workplace) reportedChanges() changes {
	w.a.mu.Lock()
	t, last := w.t, w.finalChanges
	w.a.mu.Unlock()
	if t == nil {
		return last
	}
	return t.currentChanges()
}

// unregister removes w from the active workplaces. It keeps only the reported changes, which
// overlapping runs in the same tree still need.
func (w *workplace) unregister(told changes) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	if i := slices.Index(w.a.workplaces, w); i >= 0 {
		w.a.workplaces = slices.Delete(w.a.workplaces, i, i+1)
	}
	w.finalChanges, w.t, w.before, w.files, w.others = told, nil, nil, nil, nil
}

// fileDifference is the difference between the former and the current content of a file.
type fileDifference struct {
	filestate.Change
	from     string // former path of a renamed file
	old, now []byte
	// oldOK and nowOK report whether the contents could be read.
	oldOK, nowOK   bool
	hidden, binary bool // hidden: the rules of the Root block the content
}

// differenceText returns a diff of the changed files, whether the changes are committed, staged or
// untracked. Renames are detected. Blocked and binary files are named without content.
func (w *workplace) differenceText(ctx context.Context, c *comparison, own []filestate.Change) string {
	how := "by git"
	if c.source == record.FromFiles {
		how = "by the files before and after; git knows nothing of the directory"
	}
	if len(own) == 0 {
		return "[no file has changed since the start of the agent, " + how + "]\n"
	}
	files := w.fileDifferences(ctx, c, own)
	var b strings.Builder
	fmt.Fprintf(&b, "[changes since the start of the agent, %s: %s]\n", how, plural.Count(len(files), "file"))
	for i, f := range files {
		if b.Len() > maxDifference {
			fmt.Fprintf(&b, "[%d more files have changed; the result of the agent names them]\n", len(files)-i)
			break
		}
		b.WriteString(f.text())
	}
	return b.String()
}

// fileDifferences reads the former and current contents of files and detects renames.
func (w *workplace) fileDifferences(ctx context.Context, c *comparison, own []filestate.Change) []*fileDifference {
	var paths []string
	for _, change := range own {
		if change.Kind != filestate.Created {
			paths = append(paths, change.Path)
		}
	}
	before, err := c.before(ctx, paths)
	if err != nil {
		w.a.log.Warn("the former contents of changed files were not read", "agent", w.r.id, "error", err)
	}
	var files []*fileDifference
	for _, change := range own {
		f := &fileDifference{Change: change, hidden: w.a.isBlocked(ctx, change.Path)}
		if change.Kind != filestate.Created {
			f.old, f.oldOK = before[change.Path]
		}
		if change.Kind != filestate.Deleted {
			f.now, f.nowOK = filestate.ReadText(c.dir, change.Path)
		}
		if !bytes.Contains(f.old, []byte("\r\n")) { // git may have converted the line endings of the work tree
			f.now = bytes.ReplaceAll(f.now, []byte("\r\n"), []byte("\n"))
		}
		f.binary = bytes.IndexByte(f.old, 0) >= 0 || bytes.IndexByte(f.now, 0) >= 0
		files = append(files, f)
	}
	return detectRenames(files)
}

// detectRenames merges a deleted file and a new one if their contents are equal or similar.
func detectRenames(files []*fileDifference) []*fileDifference {
	taken := make(map[*fileDifference]bool)
	pairs := 0
	for _, share := range []float64{1, 0.6} {
		for _, made := range files {
			if made.Kind != filestate.Created || made.from != "" || !made.nowOK || len(made.now) == 0 {
				continue
			}
			for _, gone := range files {
				if gone.Kind != filestate.Deleted || taken[gone] || !gone.oldOK || gone.hidden != made.hidden {
					continue
				}
				if pairs++; pairs > maxPairs {
					break
				}
				if bytes.Equal(gone.old, made.now) || share < 1 && similarity(gone.old, made.now) >= share {
					made.from, made.old, made.oldOK, made.binary = gone.Path, gone.old, true, made.binary || gone.binary
					taken[gone] = true
					break
				}
			}
		}
	}
	var rest []*fileDifference
	for _, f := range files {
		if !taken[f] {
			rest = append(rest, f)
		}
	}
	return rest
}

// similarity returns the share of common lines, relative to the longer text.
func similarity(a, b []byte) float64 {
	lines := make(map[string]int)
	n, m, common := 0, 0, 0
	for line := range bytes.Lines(a) {
		lines[string(line)]++
		n++
	}
	for line := range bytes.Lines(b) {
		if m++; lines[string(line)] > 0 {
			lines[string(line)]--
			common++
		}
	}
	return float64(common) / float64(max(n, m, 1))
}

// text returns a unified diff with a git header.
func (f *fileDifference) text() string {
	from, to := "a/"+f.Path, "b/"+f.Path
	if f.from != "" {
		from = "a/" + f.from
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", from, to)
	switch {
	case f.from != "":
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", f.from, f.Path)
	case f.Kind == filestate.Created:
		b.WriteString("new file\n")
		from = "/dev/null"
	case f.Kind == filestate.Deleted:
		b.WriteString("deleted file\n")
		to = "/dev/null"
	}
	switch {
	case f.hidden:
		b.WriteString("[not shown: files of that name hold secrets]\n")
	case f.binary:
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
	case f.Kind != filestate.Created && !f.oldOK, f.Kind != filestate.Deleted && !f.nowOK:
		b.WriteString("[not shown: the file is too large, not a regular file, or its former content was not kept]\n")
	case bytes.Equal(f.old, f.now):
		if f.Kind == filestate.Edited {
			b.WriteString("[the content is the same: the mode or the line endings have changed]\n")
		}
	default:
		b.WriteString(textdiff.Unified(from, to, string(f.old), string(f.now), textdiff.Options{MaxBytes: maxFileDifference, MaxLine: 2 << 10}))
	}
	return b.String()
}

// isBlocked reports whether the rules of the Root block a file, judged by its name.
func (a *Agents) isBlocked(ctx context.Context, path string) bool {
	_, err := a.root.Lstat(ctx, path)
	refusal, ok := errors.AsType[*security.Error](err)
	return ok && refusal.Reason == security.BlockedPattern
}

// liveDifference returns the comparison of an agent that this server is running; false if there is
// none.
func (a *Agents) liveDifference(ctx context.Context, agentID string) (string, bool) {
	var w *workplace
	a.mu.Lock()
	for _, place := range a.workplaces {
		if place.r.id == agentID && place.t != nil {
			w = place
		}
	}
	a.mu.Unlock()
	if w == nil {
		return "", false
	}
	c, err := w.compare(ctx)
	if err != nil || c == nil {
		return "", false
	}
	told := make(changes)
	maps.Copy(told, w.reportedChanges())
	return w.differenceText(ctx, c, w.attribute(told, c)), true
}
