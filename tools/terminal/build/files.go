package build

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Files gives access to the files of a project. Names have slashes and are relative to one root, "." for the root itself. Names
// outside the root and files that are too large must fail. Every error is treated as a missing file.
type Files interface {
	ReadFile(name string) ([]byte, error)
	// ReadDir returns the names of the entries of a directory, in any order.
	ReadDir(name string) ([]string, error)
}

const (
	// maxManifest is the most bytes that are read of a file.
	maxManifest = 1 << 20
	// maxEntries is the most entries that are read of a directory.
	maxEntries = 10_000
)

// folder is a directory of a project with the names of its entries.
type folder struct {
	files Files
	dir   string
	names []string // sorted
}

func open(files Files, dir string) (folder, error) {
	dir = path.Clean(dir)
	names, err := files.ReadDir(dir)
	if err != nil {
		return folder{}, err
	}
	if len(names) > maxEntries {
		names = names[:maxEntries]
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return folder{files: files, dir: dir, names: names}, nil
}

// has reports whether the folder contains one of the names.
func (f folder) has(names ...string) bool { return f.first(names...) != "" }

// first returns the first of the names that the folder contains, or "".
func (f folder) first(names ...string) string {
	for _, name := range names {
		if _, found := slices.BinarySearch(f.names, name); found {
			return name
		}
	}
	return ""
}

// ending returns the entries with one of the suffixes, ordered by suffix and name.
func (f folder) ending(suffixes ...string) []string {
	var found []string
	for _, suffix := range suffixes {
		for _, name := range f.names {
			if len(name) > len(suffix) && strings.HasSuffix(strings.ToLower(name), suffix) {
				found = append(found, name)
			}
		}
	}
	return found
}

// read returns the beginning of a file without byte-order mark, or nothing if it cannot be read.
func (f folder) read(name string) []byte {
	text, err := f.files.ReadFile(path.Join(f.dir, name))
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(text[:min(len(text), maxManifest)], []byte("\uFEFF"))
}

// maxUp is the most parent folders that a search visits.
const maxUp = 16

// above yields the folder and its parents up to the root of the files.
func (f folder) above(yield func(up string, at folder) bool) {
	up, dir := "", f.dir
	for range maxUp {
		at := f
		if up != "" {
			var err error
			if at, err = open(f.files, dir); err != nil {
				return
			}
		}
		if !yield(up, at) || dir == "." || dir == "/" || strings.HasPrefix(dir, "..") {
			return
		}
		up, dir = up+"../", path.Dir(dir)
	}
}
