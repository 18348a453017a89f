package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/filestate"
)

// maxFiles is the most files that are compared; maxBefore is the most bytes of their former contents.
const (
	maxFiles  = 5_000
	maxBefore = 32 << 20
)

// Snapshot is the state of a worktree at a time: its commit and the files that differ from it.
type Snapshot struct {
	commit string
	files  map[string]string // digests by path
	texts  map[string][]byte // contents of small files
}

// Snapshot records the state of the worktree. It returns ErrTooMuch if too many files differ from the commit.
func (r *Repository) Snapshot(ctx context.Context) (*Snapshot, error) {
	s, _, err := r.look(ctx, true)
	return s, err
}

func (r *Repository) look(ctx context.Context, keep bool) (*Snapshot, []Entry, error) {
	commit, entries, err := r.Status(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) > maxFiles {
		return nil, nil, fmt.Errorf("%d files differ from what is committed: %w", len(entries), ErrTooMuch)
	}
	d := filestate.NewReader(r.top, keep)
	s := &Snapshot{commit: commit, files: make(map[string]string, len(entries)), texts: d.Texts()}
	for _, e := range entries {
		if s.files[e.Path], err = d.Digest(ctx, e.Path); err != nil {
			return nil, nil, err
		}
	}
	return s, entries, nil
}

// Change is the change of a file. Its path is relative to the top of the worktree.
type Change = filestate.Change

// Since returns the changes since a snapshot, committed or not, ordered by path.
func (r *Repository) Since(ctx context.Context, before *Snapshot) ([]Change, error) {
	after, entries, err := r.look(ctx, false)
	if err != nil {
		return nil, err
	}
	committed, err := r.between(ctx, before.commit, after.commit)
	if err != nil {
		return nil, err
	}
	had := make(map[string]bool) // former state of files that were unchanged then
	for _, e := range entries {
		had[e.Path] = had[e.Path] || e.Committed
	}
	for path, status := range committed {
		had[path] = status != 'A'
	}
	d := filestate.NewReader(r.top, false)
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(union(before.files, after.files, committed))) {
		now, known := after.files[path]
		if !known {
			if now, err = d.Digest(ctx, path); err != nil {
				return nil, err
			}
		}
		was, differed := before.files[path]
		existed := had[path]
		if differed {
			existed = was != filestate.Absent
		}
		switch {
		case differed && filestate.Same(was, now), !existed && now == filestate.Absent:
		case !existed:
			changes = append(changes, Change{Path: path, Kind: filestate.Created})
		case now == filestate.Absent:
			changes = append(changes, Change{Path: path, Kind: filestate.Deleted})
		default:
			changes = append(changes, Change{Path: path, Kind: filestate.Edited})
		}
	}
	return changes, nil
}

// Before returns the contents that files had at a snapshot, by path. Contents that were not kept or are too large are missing.
func (r *Repository) Before(ctx context.Context, s *Snapshot, paths []string) (map[string][]byte, error) {
	contents := make(map[string][]byte)
	var asked []string
	var names bytes.Buffer
	for _, path := range paths {
		text, kept := s.texts[path]
		_, differed := s.files[path]
		switch {
		case kept:
			contents[path] = text
		case !differed && s.commit != "" && !strings.ContainsRune(path, '\n'):
			asked = append(asked, path)
			names.WriteString(s.commit + ":" + path + "\n")
		}
	}
	if len(asked) == 0 {
		return contents, nil
	}
	out, err := r.Run(ctx, Call{Args: []string{"cat-file", "--batch"}, Input: names.Bytes(), Limit: slowTimeout, Most: maxBefore})
	if err != nil && !errors.Is(err, ErrTooMuch) {
		return nil, err
	}
	for _, path := range asked {
		header, rest, _ := bytes.Cut(out, []byte("\n"))
		if bytes.HasSuffix(header, []byte(" missing")) {
			out = rest
			continue
		}
		fields := bytes.Fields(header)
		if len(fields) != 3 || string(fields[1]) != "blob" {
			break
		}
		size, err := strconv.Atoi(string(fields[2]))
		if err != nil || size >= len(rest) {
			break
		}
		if size <= filestate.MaxText {
			contents[path] = rest[:size]
		}
		out = rest[size+1:]
	}
	return contents, nil
}

// union returns the keys of three maps.
func union(a, b map[string]string, c map[string]byte) map[string]struct{} {
	all := make(map[string]struct{}, len(a)+len(b)+len(c))
	for path := range a {
		all[path] = struct{}{}
	}
	for path := range b {
		all[path] = struct{}{}
	}
	for path := range c {
		all[path] = struct{}{}
	}
	return all
}

// between returns the difference of two commits: 'A', 'D', 'M' or 'T' by path.
func (r *Repository) between(ctx context.Context, from, to string) (map[string]byte, error) {
	if from == to || to == "" {
		return nil, nil
	}
	args := []string{"diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", from, to}
	if from == "" {
		args = []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", to}
	}
	out, err := r.run(ctx, timeout, args...)
	if err != nil {
		return nil, err
	}
	all := make(map[string]byte)
	parts := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for i := 0; i < len(parts); i++ {
		status := byte('A')
		if from != "" && i+1 < len(parts) && len(parts[i]) == 1 {
			status = parts[i][0]
			i++
		}
		all[string(parts[i])] = status
	}
	if len(all) > maxFiles {
		return nil, fmt.Errorf("%d files differ between the commits: %w", len(all), ErrTooMuch)
	}
	return all, nil
}
