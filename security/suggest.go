package security

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

const (
	maxNearEntries = 2000 // entries of a directory that are compared with the missing name
	maxNear        = 3    // suggested names
	maxNearName    = 64   // bytes of a name that are compared
	maxOpenedNear  = 8    // similar entries that are opened, to suggest readable ones
	maxNearHead    = 4096 // bytes at the start of a file that are searched for NUL
)

// notFound returns the FILE_NOT_FOUND Error. It names the first missing part of the path and suggests similar names.
func (r *Root) notFound(t target, err error) error {
	step := &rootfs.StepError{Dir: path.Dir(t.rel), Name: path.Base(t.rel)}
	errors.As(err, &step)
	e := problem(FileNotFound, t.given, fs.ErrNotExist, "There is no %s.", quote(t.given))
	rest := ""
	if typed, ok := strings.CutPrefix(t.rel, slashpath.Join(step.Dir, step.Name)); ok {
		rest = strings.TrimPrefix(typed, "/")
	}
	if rest != "" {
		e.Message = "There is no " + quote(t.given) + ": the directory " + quote(t.tree.location(step.Dir).Path) + " has no " + quote(step.Name) + "."
	}
	near := r.similarPaths(t.tree, step.Dir, step.Name, rest)
	if len(near) > 0 {
		e.Next = "Did you mean " + strings.Join(near, " or ") + "?"
	} else if strings.HasPrefix(t.given, "~") {
		e.Next = `"~" is not expanded; use a path relative to the project root.`
	} else {
		e.Next = "List the directory " + quote(t.tree.location(step.Dir).Path) + " to see its entries."
		e.Err = unresembled{}
	}
	return e
}

// unresembled is the cause of a FILE_NOT_FOUND Error whose next step is to list the directory, because no name resembles the missing
// one. Package tools recognizes it by its method, and replaces that step where no tool lists directories.
type unresembled struct{}

func (unresembled) Error() string        { return fs.ErrNotExist.Error() }
func (unresembled) Unwrap() error        { return fs.ErrNotExist }
func (unresembled) ListsDirectory() bool { return true }

// similarPaths returns existing paths that resemble dir/name/rest, the most similar first.
func (r *Root) similarPaths(tree *tree, dir, name, rest string) []string {
	d, err := tree.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for seen := 0; seen < maxNearEntries; {
		entries, err := d.Next(256)
		for _, entry := range entries {
			seen++
			if distance, ok := resemblance(name, entry.Name); ok && r.listable(d.Path, entry.Name) && (rest == "" || !entry.Type.IsRegular()) {
				found = append(found, candidate{entry.Name, distance})
			}
		}
		if err != nil {
			break
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var paths []string
	for _, c := range found[:min(len(found), maxOpenedNear)] {
		final := slashpath.Join(d.Path, c.name)
		if rest != "" {
			if whole := slashpath.Join(final, rest); r.isReadable(tree, whole, path.Base(rest)) {
				return []string{tree.location(whole).Path}
			}
		}
		if len(paths) < maxNear && r.isReadable(tree, final, name) {
			paths = append(paths, tree.location(final).Path)
		}
	}
	return paths
}

// isReadable reports whether tools can read an entry that is suggested for a missing name. A link must lead to a place that tools may
// read. A file that is not text must have the extension of the missing name.
func (r *Root) isReadable(tree *tree, rel, missing string) bool {
	opened, err := tree.Open(rel)
	if err != nil {
		return false
	}
	defer opened.Close()
	t := target{tree: tree, rel: rel, given: rel}
	if opened.Info.IsDir() {
		return r.admit(t, opened.Path) == nil
	}
	if r.admitOpened(t, opened) != nil {
		return false
	}
	if pattern.Fold(path.Ext(rel)) == pattern.Fold(path.Ext(missing)) {
		return true
	}
	head := make([]byte, maxNearHead)
	n, err := io.ReadFull(opened, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	head = head[:n]
	return bytes.IndexByte(head, 0) < 0 || bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// resemblance returns the distance of two names; 0 is the smallest. It returns false for names without a resemblance.
func resemblance(want, have string) (int, bool) {
	want, have = pattern.Fold(want), pattern.Fold(have)
	switch {
	case want == have:
		return 0, true
	case len(want) > maxNearName || len(have) > maxNearName:
		return 0, false
	case stem(want) == stem(have):
		return 1, true
	}
	if d := editDistance(want, have); d <= max(1, len(want)/3) {
		return 1 + d, true
	}
	if len(want) >= 4 && strings.Contains(have, stem(want)) {
		return 2 + maxNearName, true
	}
	return 0, false
}

func stem(name string) string {
	if s := strings.TrimSuffix(name, path.Ext(name)); s != "" {
		return s
	}
	return name
}

// editDistance counts the insertions, removals and replacements of bytes, and swaps of neighbors, that turn a into b.
func editDistance(a, b string) int {
	var rows [3][maxNearName + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
