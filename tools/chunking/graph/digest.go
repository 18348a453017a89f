package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Declares reports whether a chunk is a symbol of a graph: a callable chunk, or one
// that can contain calls.
func Declares(c *source.Chunk) bool {
	return c.HasCode() || c.Kind.IsType() || c.Kind == source.Macro
}

// Source is a file with the digest of its declarations, calls and imports.
type Source struct {
	*index.File
	Parsed *source.File
	Digest string
}

// Digests computes the digests of the files of a Snapshot, and caches them for the last
// Snapshot. Other parser versions can find other relations in the same text. The zero value
// is ready for use.
type Digests struct {
	mu    sync.Mutex
	known map[*index.File]string
}

// Changed compares a Snapshot with the digests of a graph, by path in stored. It
// returns new and changed files in order of their paths, and the paths that are missing
// in the Snapshot. Files whose parse result cannot be loaded are not in changed, and
// the graph keeps their relations.
func (d *Digests) Changed(s *index.Snapshot, stored map[string]string) (changed []Source, removed []string, err error) {
	for path := range stored {
		if _, ok := s.Lookup(path); !ok {
			removed = append(removed, path)
		}
	}
	slices.Sort(removed)
	for f, digest := range d.of(s) {
		if stored[f.Path] != digest {
			parsed, err := f.Parsed()
			if err != nil {
				return nil, nil, err
			}
			changed = append(changed, Source{f, parsed, digest})
		}
	}
	slices.SortFunc(changed, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return changed, removed, nil
}

func (d *Digests) of(s *index.Snapshot) map[*index.File]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := make(map[*index.File]string, s.Len())
	var buffer []byte
	for _, f := range s.Files() {
		digest, ok := d.known[f]
		if !ok {
			parsed, err := f.Parsed()
			if err != nil {
				continue
			}
			buffer = appendRelations(buffer[:0], parsed)
			sum := sha256.Sum256(buffer)
			digest = string(sum[:])
		}
		now[f] = digest
	}
	d.known = now
	return now
}

// appendRelations appends the relations of a file in the form that is hashed.
func appendRelations(b []byte, f *source.File) []byte {
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	number := func(n int32) { b = binary.AppendVarint(b, int64(n)) }
	text(string(f.Language))
	for i := range f.Chunks {
		c := &f.Chunks[i]
		b = append(b, byte(c.Kind))
		text(c.Container)
		text(c.Name)
		text(c.Labels)
		text(c.Signature)
		number(c.Line)
	}
	number(-1)
	for _, c := range f.Calls {
		text(c.Name)
		number(c.Line)
		number(c.Chunk)
	}
	number(-1)
	for _, i := range f.Imports {
		text(i.Path)
		number(i.Line)
	}
	return b
}
