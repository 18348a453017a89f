package index

import "github.com/dougu-go/dougu/tools/source"

// WithName returns the chunks with exactly this name, without container and labels, in the order of Search. It returns at
// most MaxLimit chunks.
func (s *Snapshot) WithName(name string) []Hit { return s.WithNames([]string{name})[name] }

// WithNames is WithName for several names, by name. It passes through the index once.
func (s *Snapshot) WithNames(names []string) map[string][]Hit {
	var w wantedNames
	w.add(names)
	pieces := s.pieces()
	parts := make([][]Hit, len(pieces))
	parallel(len(pieces), 1, func(n int) {
		for _, f := range pieces[n] {
			parts[n] = w.appendHits(parts[n], f)
		}
	})
	found := make(map[string]*search, len(names))
	for _, name := range names {
		found[name] = &search{limit: MaxLimit}
	}
	for _, part := range parts {
		for _, hit := range part {
			of := found[hit.File.name(hit.Chunk)]
			of.hits = append(of.hits, hit)
		}
	}
	hits := make(map[string][]Hit, len(found))
	for name, of := range found {
		of.cut(of.limit)
		hits[name] = of.hits
	}
	return hits
}

// wantedNames is a set of names. Most other names are excluded by their keys.
type wantedNames struct {
	names map[string]bool
	keys  map[uint64]bool
	slots [1 << 10]uint64 // bits of hashes of the keys
}

func (w *wantedNames) add(names []string) {
	w.names, w.keys = make(map[string]bool, len(names)), make(map[uint64]bool, len(names))
	for _, name := range names {
		key := keyOfChunk(source.Invalid, name)
		w.names[name], w.keys[key] = true, true
		w.slots[nameSlot(key)>>6] |= 1 << (nameSlot(key) & 63)
	}
}

// appendHits appends the chunks of a file that have one of the names.
func (w *wantedNames) appendHits(hits []Hit, f *File) []Hit {
	demotion := unknownPath
	for i, k := range f.names.keys {
		key := k & (1<<kindShift - 1)
		if slot := nameSlot(key); w.slots[slot>>6]>>(slot&63)&1 == 0 || !w.keys[key] || !w.names[f.name(i)] {
			continue
		}
		if demotion == unknownPath {
			demotion = pathDemotion(f.Path)
		}
		hits = append(hits, Hit{f, i, scoreExact, rankOf(scoreExact, demotion+kindDemotion(source.Kind(k>>kindShift)))})
	}
	return hits
}

// nameSlot hashes a key to 16 bits.
func nameSlot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 48 }
