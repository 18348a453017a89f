package index

import (
	"context"
	"encoding/binary"
	"hash/crc32"
)

// Crash calls do between the steps of saving.
func (s *JSONStore) Crash(do func(step string)) { s.crash = do }

// JSONName is where the JSON of a source file is.
func JSONName(source string) string { return jsonName(source) }

// Names of files in the directory of a JSONStore.
const (
	JournalName = journalName
	LockName    = lockName
	TempPrefix  = tempPrefix
)

// DecodeJournal reads the content of a journal.
func DecodeJournal(data []byte) ([]*File, error) {
	files, _, err := decodeJournal(context.Background(), data)
	return files, err
}

// Journal is one with a single frame.
func Journal(body []byte) []byte {
	frame := binary.LittleEndian.AppendUint32([]byte(journalHeader), uint32(len(body)))
	frame = binary.LittleEndian.AppendUint32(frame, crc32.Checksum(body, castagnoli))
	return append(frame, body...)
}

// Compacted is the journal without what is of no use in it.
func Compacted(data []byte) ([]byte, error) { return compacted(data) }

// Check says what cannot be about a file.
func (f *File) Check() error { return f.check() }

// Outermost leaves out what lies below another of the paths.
func Outermost(paths []string) []string { return outermost(paths) }

// SearchSlowly is Search without any of what makes that fast.
func (s *Snapshot) SearchSlowly(q Query) (hits []Hit, total int) {
	w := newSearch(q)
	for _, f := range s.files {
		for i := range f.Chunks {
			c := &f.Chunks[i]
			if score := w.score(f, c); score > 0 && w.kinds&(1<<c.Kind) != 0 && (q.Language == "" || q.Language == f.Language) && w.admits(f.Path) {
				w.hits = append(w.hits, Hit{f, i, score})
			}
		}
	}
	total = len(w.hits)
	w.cut(w.limit)
	return w.hits, total
}
