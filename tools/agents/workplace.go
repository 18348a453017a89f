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
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// Bounds of the text of a comparison, in bytes.
const (
	maxDifference     = 1 << 20
	maxFileDifference = 64 << 10
	// maxPairs bounds the pairs of files that are compared to find renames.
	maxPairs = 2_500
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

// doubt notes that the changes of the agent cannot be compared with the state before.
func (w *workplace) doubt(err error) {
	if err != nil {
		w.a.mu.Lock()
		w.before, w.files = nil, nil
		w.a.mu.Unlock()
		w.a.log.Warn("what an agent changes is known only as far as the agent tells it", slog.String("agent", w.r.id), slog.Any("error", err))
	}
}

// atWork reports whether this server has begun to run an agent. Its record may say a moment later that it is running.
func (a *Agents) atWork(agentID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.places, func(w *workplace) bool { return w.r.id == agentID })
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

// leave ends that. Other runs in the same tree still need the changes that this run has told of, and nothing else of it.
func (w *workplace) leave(told changes) {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	if i := slices.Index(w.a.places, w); i >= 0 {
		w.a.places = slices.Delete(w.a.places, i, i+1)
	}
	w.last, w.t, w.before, w.files, w.others = told, nil, nil, nil, nil
}

// fileDifference is the difference of one file from its former content.
type fileDifference struct {
	filestate.Change
	from           string // the former path of a file that was renamed
	old, now       []byte
	oldOK, nowOK   bool // the contents are known
	hidden, binary bool
}

// differenceText shows how files differ from their content at the begin of the run: whether that was committed since, staged, changed, or is
// not known to git. Renames are shown; files with secrets and files that are no text are only named.
func (w *workplace) differenceText(ctx context.Context, c *compared, own []filestate.Change) string {
	how := "by git"
	if c.source == record.FromFiles {
		how = "by the files before and after; git knows nothing of the directory"
	}
	if len(own) == 0 {
		return "[no file has changed since the start of the agent, " + how + "]\n"
	}
	files := w.fileDifferences(ctx, c, own)
	var b strings.Builder
	fmt.Fprintf(&b, "[what has changed since the start of the agent, %s: %d files]\n", how, len(files))
	for i, f := range files {
		if b.Len() > maxDifference {
			fmt.Fprintf(&b, "[%d more files have changed; the result of the agent names them]\n", len(files)-i)
			break
		}
		b.WriteString(f.text())
	}
	return b.String()
}

// fileDifferences reads the contents of files before and now, and pairs renamed files.
func (w *workplace) fileDifferences(ctx context.Context, c *compared, own []filestate.Change) []*fileDifference {
	var paths []string
	for _, change := range own {
		if change.Kind != filestate.Created {
			paths = append(paths, change.Path)
		}
	}
	before, err := c.before(ctx, paths)
	if err != nil {
		w.a.log.Warn("what the files of an agent were before is not known", "agent", w.r.id, "error", err)
	}
	var files []*fileDifference
	for _, change := range own {
		f := &fileDifference{Change: change, hidden: w.a.hidden(ctx, change.Path)}
		if change.Kind != filestate.Created {
			f.old, f.oldOK = before[change.Path]
		}
		if change.Kind != filestate.Deleted {
			f.now, f.nowOK = filestate.ReadText(c.dir, change.Path)
		}
		if !bytes.Contains(f.old, []byte("\r\n")) { // git may have changed the line ends of the work tree
			f.now = bytes.ReplaceAll(f.now, []byte("\r\n"), []byte("\n"))
		}
		f.binary = bytes.IndexByte(f.old, 0) >= 0 || bytes.IndexByte(f.now, 0) >= 0
		files = append(files, f)
	}
	return pairRenamed(files)
}

// pairRenamed makes one of a file that is gone and a new one with the same content, or one that is much like it.
func pairRenamed(files []*fileDifference) []*fileDifference {
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
				if bytes.Equal(gone.old, made.now) || share < 1 && shared(gone.old, made.now) >= share {
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

// shared is the share of lines, of the longer one, that two texts have in common.
func shared(a, b []byte) float64 {
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

// text is a unified diff with the header of git.
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
		b.WriteString("[not shown: the file is too large, no regular file, or its former content was not kept]\n")
	case bytes.Equal(f.old, f.now):
		if f.Kind == filestate.Edited {
			b.WriteString("[the content is the same: the mode or the line ends have changed]\n")
		}
	default:
		b.WriteString(textdiff.Unified(from, to, string(f.old), string(f.now), textdiff.Options{MaxBytes: maxFileDifference, MaxLine: 2 << 10}))
	}
	return b.String()
}

// hidden reports whether the rules of the Root keep the content of a file from tools. It is judged by its name.
func (a *Agents) hidden(ctx context.Context, path string) bool {
	_, err := a.root.Lstat(ctx, path)
	refusal, ok := errors.AsType[*security.Error](err)
	return ok && refusal.Reason == security.BlockedPattern
}

// liveDifference is the comparison for an agent that this server runs now; false if there is none.
func (a *Agents) liveDifference(ctx context.Context, agentID string) (string, bool) {
	var w *workplace
	a.mu.Lock()
	for _, place := range a.places {
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
	maps.Copy(told, w.told())
	return w.differenceText(ctx, c, w.attribute(told, c)), true
}
