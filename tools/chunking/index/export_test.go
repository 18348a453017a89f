package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
)

// Crash calls do between the steps of saving.
func (s *JSONStore) Crash(do func(step string)) { s.crash = do }

// SetMaxIdle sets the size in bytes of outdated records up to which the journal is not compacted.
func (s *JSONStore) SetMaxIdle(bytes int64) { s.maxIdle = bytes }

// Names of files in the directory of a JSONStore.
const (
	JournalName = journalName
	LogName     = logName
	LockName    = lockName
	TempPrefix  = tempPrefix
)

// DecodeJournal reads the content of a journal.
func DecodeJournal(data []byte) ([]*File, error) {
	return decodeJournal(context.Background(), bytes.NewReader(data), int64(len(data)))
}

// Journal is one with a single frame, of which some bytes are heads. The checksums of
// all details that the heads have are made right.
func Journal(heads, details []byte) []byte {
	heads = append(bytes.Clone(heads), make([]byte, max(0, hintSize-len(heads)))...)
	f := frame{details: span{0, int64(len(details))}}
	at := hintSize
	_ = f.records(heads, func(_ int, r record) {
		if r.kind == recordFile {
			sum := crc32.Checksum(details[r.detail.at:r.detail.at+r.detail.size], castagnoli)
			binary.LittleEndian.PutUint32(heads[at+lengthSize+1+4:], sum)
		}
		at += r.size - int(r.detail.size)
	})
	journal := binary.LittleEndian.AppendUint32([]byte(journalHeader), uint32(len(heads)+len(details)))
	journal = binary.LittleEndian.AppendUint32(journal, uint32(len(heads)))
	journal = binary.LittleEndian.AppendUint32(journal, crc32.Checksum(heads, castagnoli))
	return append(append(journal, heads...), details...)
}

// Compacted returns the journal without outdated records.
func Compacted(data []byte) ([]byte, error) {
	small, _, err := compacted(bytes.NewReader(data), int64(len(data)))
	return small, err
}

// Checked returns an error if the file is invalid.
func (f *File) Checked() error {
	parsed, err := f.load()
	if err != nil {
		return err
	}
	whole := *f
	whole.parsed = parsed
	return whole.check()
}

// TextSize is the length of the text in bytes.
func (f *File) TextSize() int64 { return f.textSize }

// SearchSlowly is Search without optimizations.
func (s *Snapshot) SearchSlowly(q Query) (hits []Hit, total int) {
	w := newSearch(q)
	for _, f := range s.files {
		for i := range f.Len() {
			if score := w.score(f, i); score > 0 && w.kinds&(1<<f.Symbol(i).Kind) != 0 && (q.Language == "" || q.Language == f.Language) && w.admits(f.Path) {
				w.hits = append(w.hits, Hit{f, i, score})
			}
		}
	}
	total = len(w.hits)
	w.cut(w.limit)
	return w.hits, total
}
