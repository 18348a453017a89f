package index

import "github.com/dougu-go/dougu/tools/source"

// WithName returns the chunks with exactly this name, without container and labels, in the order of Search. It returns at
// most MaxLimit chunks.
func (s *Snapshot) WithName(name string) []Hit {
	w := search{limit: MaxLimit}
	key := keyOfChunk(source.Invalid, name)
	const ofName = 1<<kindShift - 1
	for _, f := range s.files {
		demotion := unknownPath
		for i, k := range f.names.keys {
			if k&ofName != key&ofName || f.name(i) != name {
				continue
			}
			if demotion == unknownPath {
				demotion = pathDemotion(f.Path)
			}
			w.hits = append(w.hits, Hit{f, i, scoreExact, rankOf(scoreExact, demotion+kindDemotion(source.Kind(k>>kindShift)))})
		}
	}
	w.cut(w.limit)
	return w.hits
}
