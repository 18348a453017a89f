package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// The journal is one file that start-up reads at once. After a header come frames:
// a length and a checksum of 32 bits each, and that many bytes. Saving appends a
// frame. A frame holds the number of chunks in it, as a hint, and then records: a
// length, a byte for the kind, and a file in its binary form or the path of one
// that is forgotten. Hint and lengths have 32 bits each. Of several records for a path the last counts.
const (
	journalName   = "index.bin"
	journalHeader = "dougu chunks\x00\x00\x00\x02" // the last byte is the version
	frameHeader   = 8
	hintSize      = 4
	lengthSize    = 4
	// frameSize is where a frame is ended, so that several can be read at once.
	frameSize = 2 << 20
	// maxJournal is more than the journals of the largest projects have.
	maxJournal = 1 << 30
)

// Kinds of records.
const (
	recordFile    = 1
	recordRemoved = 2
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errDamaged = errors.New("the journal is damaged")
)

// frames cuts a journal into the contents of its frames. A last one that is not
// complete is left out: whoever wrote it died. end is where the next belongs.
func frames(data []byte) (all [][]byte, end int, err error) {
	if len(data) < len(journalHeader) || string(data[:len(journalHeader)]) != journalHeader {
		return nil, 0, fmt.Errorf("%w: its beginning is not that of one", errDamaged)
	}
	end = len(journalHeader)
	for len(data)-end >= frameHeader {
		n := int64(binary.LittleEndian.Uint32(data[end:]))
		if n > int64(len(data)-end-frameHeader) {
			break
		}
		at := end + frameHeader
		all = append(all, data[end:at+int(n)])
		end = at + int(n)
	}
	return all, end, nil
}

// content is a frame without its header, if the checksum is right.
func content(frame []byte) ([]byte, error) {
	body := frame[frameHeader:]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(frame[4:]) {
		return nil, fmt.Errorf("%w: a checksum is wrong", errDamaged)
	}
	return body, nil
}

// record is one record of a frame.
type record struct {
	kind byte
	body []byte
	size int // with what stands before the body
}

// records calls one for each record, and answers with the number of chunks that
// the frame claims to hold.
func records(body []byte, each func(chunks int, r record)) error {
	if len(body) < hintSize {
		return fmt.Errorf("%w: a frame is empty", errDamaged)
	}
	chunks := int(min(binary.LittleEndian.Uint32(body), uint32(len(body)/minChunk)))
	for rest := body[hintSize:]; len(rest) > 0; {
		if len(rest) <= lengthSize {
			return fmt.Errorf("%w: a frame ends in a record", errDamaged)
		}
		n := int64(binary.LittleEndian.Uint32(rest))
		if rest = rest[lengthSize:]; n < 1 || n > int64(len(rest)) {
			return fmt.Errorf("%w: a record does not fit its frame", errDamaged)
		}
		each(chunks, record{rest[0], rest[1:n], lengthSize + int(n)})
		rest = rest[n:]
	}
	return nil
}

// path is the path that a record is about.
func (r record) path() string {
	read := reader{data: r.body}
	return read.string()
}

// frameWriter gathers records in frames.
type frameWriter struct {
	out    []byte
	frame  int // where the frame that was begun is in out, or 0
	chunks int
}

// begin makes room for the head of a record, and for that of a frame if need be.
func (w *frameWriter) begin(kind byte, chunks int) (at int) {
	if w.chunks += chunks; w.frame == 0 {
		w.out = append(w.out, make([]byte, frameHeader+hintSize)...)
		w.frame = len(w.out) - hintSize
	}
	w.out = append(w.out, 0, 0, 0, 0, kind)
	return len(w.out) - 1
}

// end completes a record that was begun at a place, and answers with its size.
func (w *frameWriter) end(at int) int {
	n := len(w.out) - at
	binary.LittleEndian.PutUint32(w.out[at-lengthSize:], uint32(n))
	if len(w.out)-w.frame >= frameSize {
		w.flush()
	}
	return lengthSize + n
}

// add puts a record into the frame.
func (w *frameWriter) add(kind byte, body []byte, chunks int) int {
	at := w.begin(kind, chunks)
	w.out = append(w.out, body...)
	return w.end(at)
}

func (w *frameWriter) file(f *File) int {
	at := w.begin(recordFile, len(f.Chunks))
	w.out = f.appendBinary(w.out)
	return w.end(at)
}

func (w *frameWriter) removed(path string) int {
	at := w.begin(recordRemoved, 0)
	w.out = appendString(w.out, path)
	return w.end(at)
}

// flush ends the frame that was begun.
func (w *frameWriter) flush() {
	if w.frame == 0 {
		return
	}
	body := w.out[w.frame:]
	binary.LittleEndian.PutUint32(body, uint32(w.chunks))
	binary.LittleEndian.PutUint32(w.out[w.frame-8:], uint32(len(body)))
	binary.LittleEndian.PutUint32(w.out[w.frame-4:], crc32.Checksum(body, castagnoli))
	w.frame, w.chunks = 0, 0
}

// journalEnd finds where the next frame belongs in an open journal, looking at the
// lengths alone.
func journalEnd(f io.ReaderAt, size int64) (int64, error) {
	var head [len(journalHeader)]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != journalHeader {
		return 0, fmt.Errorf("%w: its beginning is not that of one", errDamaged)
	}
	end := int64(len(journalHeader))
	for size-end >= frameHeader {
		if _, err := f.ReadAt(head[:4], end); err != nil {
			return 0, err
		}
		n := int64(binary.LittleEndian.Uint32(head[:4]))
		if n > size-end-frameHeader {
			break
		}
		end += frameHeader + n
	}
	return end, nil
}

// compacted is the journal with the last record of each path alone.
func compacted(data []byte) ([]byte, error) {
	all, _, err := frames(data)
	if err != nil {
		return nil, err
	}
	type place struct {
		record
		chunks int
	}
	last := map[string]int{}
	var kept []place
	for _, frame := range all {
		body, err := content(frame)
		if err != nil {
			return nil, err
		}
		first := true
		err = records(body, func(chunks int, r record) {
			if !first { // the hint counts once
				chunks = 0
			}
			first = false
			path := r.path()
			if at, ok := last[path]; ok {
				kept[at].body = nil
			}
			last[path] = len(kept)
			kept = append(kept, place{r, chunks})
		})
		if err != nil {
			return nil, err
		}
	}
	w := frameWriter{out: append(make([]byte, 0, len(data)), journalHeader...)}
	for _, p := range kept {
		if p.body != nil && p.kind == recordFile {
			w.add(recordFile, p.body, p.chunks)
		}
	}
	w.flush()
	return w.out, nil
}

// readWhole reads a regular file of a directory, of at most that many bytes.
func readWhole(dir *os.Root, name string, most int64) ([]byte, os.FileInfo, error) {
	f, info, err := openRegular(dir, name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, info, fmt.Errorf("%s has %d bytes, more than it can have", name, info.Size())
	}
	data := make([]byte, info.Size())
	parts := max((len(data)+readPart-1)/readPart, 1)
	read, errs := make([]int, parts), make([]error, parts)
	parallel(parts, 1, func(i int) {
		from := i * readPart
		read[i], errs[i] = f.ReadAt(data[from:min(from+readPart, len(data))], int64(from))
	})
	for i, err := range errs {
		if err == io.EOF { // it has become shorter
			return data[:i*readPart+read[i]], info, nil
		}
		if err != nil {
			return nil, info, err
		}
	}
	return data, info, nil
}

// readPart is how much is read at once: several parts are read at the same time.
const readPart = 4 << 20

// openRegular opens a file that is no link: opening a FIFO would wait for others.
func openRegular(dir *os.Root, name string, flag int) (*os.File, os.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := dir.OpenFile(name, flag, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = fmt.Errorf("%s was exchanged while it was opened", name)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
