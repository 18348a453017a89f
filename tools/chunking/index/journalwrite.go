package index

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// frameWriter encodes records into frames.
type frameWriter struct {
	out     []byte
	heads   []byte // of the current frame
	details []byte
	chunks  int
}

// add adds a record with an optional detail and returns its size in bytes.
func (w *frameWriter) add(r record, detail []byte, chunks int) int {
	at := w.begin(r.kind)
	if r.kind == recordFile {
		w.heads = binary.LittleEndian.AppendUint32(w.heads, uint32(len(detail)))
		w.heads = binary.LittleEndian.AppendUint32(w.heads, crc32.Checksum(detail, castagnoli))
	}
	w.heads = append(w.heads, r.head...)
	w.details = append(w.details, detail...)
	return w.end(at, len(detail), chunks)
}

// begin starts a record, and a frame if necessary. It returns the offset of the
// record's kind.
func (w *frameWriter) begin(kind byte) (at int) {
	if len(w.heads) == 0 {
		w.heads = append(w.heads, make([]byte, hintSize)...)
	}
	w.heads = append(w.heads, 0, 0, 0, 0, kind)
	return len(w.heads) - 1
}

// end completes the record at an offset and returns its size in bytes.
func (w *frameWriter) end(at, detail, chunks int) int {
	n := len(w.heads) - at
	binary.LittleEndian.PutUint32(w.heads[at-lengthSize:], uint32(n))
	w.chunks += chunks
	if len(w.heads)+len(w.details) >= frameSize {
		w.flush()
	}
	return lengthSize + n + detail
}

// file adds the record of a file and returns its size. The error is that of
// File.AppendBinary.
func (w *frameWriter) file(f *File) (int, error) {
	from := len(w.details)
	var err error
	if w.details, err = f.appendDetail(w.details); err != nil {
		w.details = w.details[:from]
		return 0, err
	}
	detail := w.details[from:]
	at := w.begin(recordFile)
	w.heads = binary.LittleEndian.AppendUint32(w.heads, uint32(len(detail)))
	w.heads = binary.LittleEndian.AppendUint32(w.heads, crc32.Checksum(detail, castagnoli))
	w.heads = f.appendHead(w.heads)
	return w.end(at, len(detail), f.Len()), nil
}

func (w *frameWriter) removed(path string) int {
	return w.add(record{kind: recordRemoved, head: appendString(nil, path)}, nil, 0)
}

// flush completes the current frame.
func (w *frameWriter) flush() {
	if len(w.heads) == 0 {
		return
	}
	binary.LittleEndian.PutUint32(w.heads, uint32(w.chunks))
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(w.heads)+len(w.details)))
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(w.heads)))
	w.out = binary.LittleEndian.AppendUint32(w.out, crc32.Checksum(w.heads, castagnoli))
	w.out = append(append(w.out, w.heads...), w.details...)
	w.heads, w.details, w.chunks = w.heads[:0], w.details[:0], 0
}

// compacted returns a journal with only the last record of each path, and the end
// offset of the last frame that was read.
func compacted(journal io.ReaderAt, size int64) (small []byte, end int64, err error) {
	all, end, err := frames(journal, size)
	if err != nil {
		return nil, 0, err
	}
	type place struct {
		record
		chunks int
	}
	last := map[string]int{}
	var kept []place
	for _, frame := range all {
		heads, err := frame.read(journal)
		if err != nil {
			return nil, 0, err
		}
		first := true
		err = frame.records(heads, func(chunks int, r record) {
			if !first { // the hint counts once
				chunks = 0
			}
			first = false
			path := r.path()
			if at, ok := last[path]; ok {
				kept[at].kind = 0
			}
			last[path] = len(kept)
			kept = append(kept, place{r, chunks})
		})
		if err != nil {
			return nil, 0, err
		}
	}
	w := frameWriter{out: append(make([]byte, 0, end), journalHeader...)}
	for _, p := range kept {
		if p.kind != recordFile {
			continue
		}
		detail, err := (&stored{from: journal, at: p.detail.at, size: uint32(p.detail.size), sum: p.sum}).bytes()
		if err != nil {
			return nil, 0, err
		}
		w.add(p.record, detail, p.chunks)
	}
	w.flush()
	return w.out, end, nil
}
