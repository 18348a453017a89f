package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// The journal is one file. After a header come frames: the length of what follows,
// the length of the heads in it, and a checksum of these. Saving appends a frame. The
// heads begin with the number of chunks in the frame, as a hint. Then come records: a
// length, a byte for the kind, and the path of a file that is forgotten, or of one
// that is there the length and checksum of its detail and its head, in the forms of
// appendDetail and appendHead. The details follow the heads, in the same order: they
// are most of the journal, and start-up does not read them. The hint, lengths and
// checksums have 32 bits each. Of several records for a path the last counts.
const (
	journalName   = "index.bin"
	journalHeader = "dougu chunks\x00\x00\x00\x04" // the last byte is the version
	frameHeader   = 12
	hintSize      = 4
	lengthSize    = 4
	detailHead    = 8
	// frameSize is where a frame is ended, so that several can be read at once.
	frameSize = 2 << 20
	// maxJournal is more than the journals of the largest projects have, and maxFrames
	// than are written before the journal is written anew.
	maxJournal = 1 << 30
	maxFrames  = 1 << 19
)

// Kinds of records.
const (
	recordFile    = 1
	recordRemoved = 2
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errDamaged = errors.New("the journal is damaged")
	errVersion = errors.New("the journal is of another version")
)

// frame is where a frame lies.
type frame struct {
	heads   int64 // their length
	details span
	sum     uint32
}

// frames finds those of a journal. A last one that is not complete is left out:
// whoever wrote it died. end is where the next belongs.
func frames(journal io.ReaderAt, size int64) (all []frame, end int64, err error) {
	var head [max(len(journalHeader), frameHeader)]byte
	n, _ := journal.ReadAt(head[:len(journalHeader)], 0)
	if err := checkHeader(head[:n]); err != nil {
		return nil, 0, err
	}
	end = int64(len(journalHeader))
	for size-end >= frameHeader {
		if _, err := journal.ReadAt(head[:frameHeader], end); err != nil {
			return nil, 0, err
		}
		length, heads := int64(binary.LittleEndian.Uint32(head[:])), int64(binary.LittleEndian.Uint32(head[4:]))
		if length > size-end-frameHeader {
			break
		}
		if heads > length || heads < hintSize || len(all) == maxFrames {
			return nil, 0, fmt.Errorf("%w: a frame has %d bytes of which %d are heads, after %d others", errDamaged, length, heads, len(all))
		}
		end += frameHeader
		all = append(all, frame{heads, span{end + heads, length - heads}, binary.LittleEndian.Uint32(head[8:])})
		end += length
	}
	return all, end, nil
}

// checkHeader looks at the beginning of a journal.
func checkHeader(data []byte) error {
	const name = len(journalHeader) - 1
	switch {
	case len(data) > name && string(data[:len(journalHeader)]) == journalHeader:
		return nil
	case len(data) > name && string(data[:name]) == journalHeader[:name]:
		return fmt.Errorf("%w: %d", errVersion, data[name])
	}
	return fmt.Errorf("%w: its beginning is not that of one", errDamaged)
}

// read reads the heads, if the checksum is right.
func (f frame) read(journal io.ReaderAt) ([]byte, error) {
	heads := make([]byte, f.heads)
	if n, err := journal.ReadAt(heads, f.details.at-f.heads); n < len(heads) {
		return nil, err
	}
	if crc32.Checksum(heads, castagnoli) != f.sum {
		return nil, fmt.Errorf("%w: a checksum is wrong", errDamaged)
	}
	return heads, nil
}

// record is one record of a frame.
type record struct {
	kind   byte
	head   []byte // or the path alone
	detail span
	sum    uint32 // of the detail
	size   int    // of all that it takes
}

// claimed is the number of chunks that the heads of a frame claim to hold, if they can.
func claimed(heads []byte) int {
	return int(min(binary.LittleEndian.Uint32(heads), uint32(len(heads)/minName)))
}

// records calls one for each record, with the number of chunks that the frame
// claims to hold.
func (f frame) records(heads []byte, each func(chunks int, r record)) error {
	chunks := claimed(heads)
	details := f.details
	for rest := heads[hintSize:]; len(rest) > 0; {
		if len(rest) <= lengthSize {
			return fmt.Errorf("%w: a frame ends in a record", errDamaged)
		}
		n := int64(binary.LittleEndian.Uint32(rest))
		if rest = rest[lengthSize:]; n < 1 || n > int64(len(rest)) {
			return fmt.Errorf("%w: a record does not fit its frame", errDamaged)
		}
		r := record{kind: rest[0], head: rest[1:n], size: lengthSize + int(n)}
		if r.kind == recordFile {
			if len(r.head) < detailHead {
				return fmt.Errorf("%w: a record is too short", errDamaged)
			}
			r.detail = span{details.at, int64(binary.LittleEndian.Uint32(r.head))}
			r.sum, r.head = binary.LittleEndian.Uint32(r.head[4:]), r.head[detailHead:]
			if r.detail.size > details.size {
				return fmt.Errorf("%w: a detail does not fit its frame", errDamaged)
			}
			details = span{details.at + r.detail.size, details.size - r.detail.size}
			r.size += int(r.detail.size)
		}
		each(chunks, r)
		rest = rest[n:]
	}
	return nil
}

// path is the path that a record is about.
func (r record) path() string {
	read := reader{data: r.head}
	return read.string()
}

// journalEnd finds where the next frame belongs in an open journal.
func journalEnd(journal io.ReaderAt, size int64) (int64, error) {
	_, end, err := frames(journal, size)
	return end, err
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
