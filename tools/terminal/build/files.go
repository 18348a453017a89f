package build

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Files are the files of a project, read by names with slashes that are relative
// to one root, "." for the root itself. Names that lead out of the root must fail;
// so must what is too large to be read whole. An error means that there is no such
// file: nothing is told apart.
type Files interface {
	ReadFile(name string) ([]byte, error)
	// ReadDir gives the names of a directory's entries, in any order.
	ReadDir(name string) ([]string, error)
}

const (
	// maxManifest bounds how much of a file is looked at.
	maxManifest = 1 << 20
	// maxEntries bounds how many entries of a directory are looked at.
	maxEntries = 10_000
)

// folder is a directory of a project with what lies in it.
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

// has says whether one of the names lies in the folder.
func (f folder) has(names ...string) bool { return f.first(names...) != "" }

// first is the first of the names that lies in the folder, or "".
func (f folder) first(names ...string) string {
	for _, name := range names {
		if _, found := slices.BinarySearch(f.names, name); found {
			return name
		}
	}
	return ""
}

// ending are the entries that end in one of the suffixes, in their order and that
// of the names.
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

// read gives the beginning of a file without the mark of its encoding; nothing if
// it cannot be read.
func (f folder) read(name string) []byte {
	text, err := f.files.ReadFile(path.Join(f.dir, name))
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(text[:min(len(text), maxManifest)], []byte("\uFEFF"))
}

// maxUp bounds the search for what lies above a folder.
const maxUp = 16

// above gives the folder and those above it, up to the root of the files.
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
