package index

import "github.com/dougu-go/dougu/tools/source"

// WithName returns the chunks with exactly this name, without container and labels, in the order of Search. It returns at
// most MaxLimit chunks.
func (s *Snapshot) WithName(name string) []Hit { return s.WithNames([]string{name})[name] }

// WithNames is WithName for several names, by name. It passes through the index once.
func (s *Snapshot) WithNames(names []string) map[string][]Hit {
	found := make(map[string]*search, len(names))
	keys := make(map[uint64]bool, len(names))
	var slots [1 << 10]uint64 // bits of hashes of keys, which exclude most names
	for _, name := range names {
		key := keyOfChunk(source.Invalid, name)
		found[name], keys[key] = &search{limit: MaxLimit}, true
		slots[nameSlot(key)>>6] |= 1 << (nameSlot(key) & 63)
	}
	const ofName = 1<<kindShift - 1
	for _, f := range s.files {
		demotion := unknownPath
		for i, k := range f.names.keys {
			key := k & ofName
			if slot := nameSlot(key); slots[slot>>6]>>(slot&63)&1 == 0 || !keys[key] {
				continue
			}
			w := found[f.name(i)]
			if w == nil {
				continue
			}
			if demotion == unknownPath {
				demotion = pathDemotion(f.Path)
			}
			w.hits = append(w.hits, Hit{f, i, scoreExact, rankOf(scoreExact, demotion+kindDemotion(source.Kind(k>>kindShift)))})
		}
	}
	hits := make(map[string][]Hit, len(found))
	for name, w := range found {
		w.cut(w.limit)
		hits[name] = w.hits
	}
	return hits
}

// nameSlot hashes a key to 16 bits.
func nameSlot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 48 }
