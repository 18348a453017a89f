package index

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/source"
)

// Snapshot is the state of an index at one moment. It is immutable and safe for
// concurrent use. Searches work after Index.Close; File.Parsed may fail then.
type Snapshot struct {
	files      []*File // by path
	chunks     int
	functions  int
	generation uint64
}

// Files returns all files in order of their paths. The slice must not be changed.
func (s *Snapshot) Files() []*File { return s.files }

// Len returns the number of files.
func (s *Snapshot) Len() int { return len(s.files) }

// Chunks returns the number of chunks in all files.
func (s *Snapshot) Chunks() int { return s.chunks }

// Functions returns the number of callable chunks in all files.
func (s *Snapshot) Functions() int { return s.functions }

// Generation returns the number of the Snapshot. Each change of the index increases it.
func (s *Snapshot) Generation() uint64 { return s.generation }

// Lookup returns the file with this final path.
func (s *Snapshot) Lookup(path string) (*File, bool) {
	at := s.search(path)
	if at == len(s.files) || s.files[at].Path != path {
		return nil, false
	}
	return s.files[at], true
}

// Find returns the chunk with an ID as File.ID returns it.
func (s *Snapshot) Find(id string) (f *File, chunk int, ok bool) {
	for at := strings.IndexByte(id, '#'); at >= 0; {
		if f, ok = s.Lookup(id[:at]); ok {
			chunk, ok = f.Named(id[at+1:])
			return f, chunk, ok
		}
		next := strings.IndexByte(id[at+1:], '#') // a path may contain "#"
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return nil, 0, false
}

// Named returns the chunk for the part of an ID after "#": the qualified name with an
// optional suffix such as "~2".
func (f *File) Named(name string) (int, bool) {
	for i := range f.Len() {
		if !strings.Contains(name, f.name(i)) {
			continue
		}
		c := f.Symbol(i)
		path := c.Path()
		if path == name && (c.Kind != source.Module || f.ID(i) == f.Path+"#"+path) {
			return i, true
		}
		if rest, ok := strings.CutPrefix(name, path+"~"); ok && f.ID(i) == f.Path+"#"+path+"~"+rest {
			return i, true
		}
	}
	return 0, false
}

// below returns the files below a directory, or the file with that path.
func (s *Snapshot) below(dir string) []*File {
	var files []*File
	if dir == "." {
		for _, f := range s.files {
			if !pathset.IsAbs(f.Path) {
				files = append(files, f)
			}
		}
		return files
	}
	if f, ok := s.Lookup(dir); ok {
		files = append(files, f)
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	for at := s.search(prefix); at < len(s.files) && strings.HasPrefix(s.files[at].Path, prefix); at++ {
		files = append(files, s.files[at])
	}
	return files
}

// search returns the index of the first file whose path is not less than path.
func (s *Snapshot) search(path string) int {
	at, _ := slices.BinarySearchFunc(s.files, path, func(f *File, path string) int { return strings.Compare(f.Path, path) })
	return at
}

// merged returns a Snapshot with changed files added or replaced, and without removed
// paths. Both arguments are sorted and disjoint.
func (s *Snapshot) merged(changed []*File, removed []string) *Snapshot {
	next := &Snapshot{files: make([]*File, 0, len(s.files)+len(changed)), chunks: s.chunks, functions: s.functions, generation: s.generation + 1}
	count := func(f *File, sign int) {
		next.chunks += sign * f.Len()
		next.functions += sign * f.functions
	}
	for _, f := range s.files {
		for len(changed) > 0 && changed[0].Path < f.Path {
			count(changed[0], 1)
			next.files = append(next.files, changed[0])
			changed = changed[1:]
		}
		for len(removed) > 0 && removed[0] < f.Path {
			removed = removed[1:]
		}
		switch {
		case len(changed) > 0 && changed[0].Path == f.Path:
			count(f, -1)
			count(changed[0], 1)
			next.files = append(next.files, changed[0])
			changed = changed[1:]
		case len(removed) > 0 && removed[0] == f.Path:
			count(f, -1)
		default:
			next.files = append(next.files, f)
		}
	}
	for _, f := range changed {
		count(f, 1)
		next.files = append(next.files, f)
	}
	return next
}
