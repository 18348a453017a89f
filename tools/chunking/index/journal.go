package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// The journal is one file: a header and a sequence of frames. All numbers have 32 bits,
// little endian.
//
// A frame consists of the length of its content, the length of the heads in it, the
// CRC-32C of the heads, the heads, and the details. Each save appends one or more
// frames.
//
// The heads begin with the number of chunks in the frame, a hint for allocation.
// Records follow: a length, a byte for the kind, and the payload. The payload of a
// removal is the path. The payload of a file is length and checksum of its detail, and
// its head in the format of appendHead.
//
// The details, in the format of appendDetail, have the same order as the heads. They
// are most of the journal, and start-up does not read them. The last record for a path
// is valid.
const (
	journalName   = "index.bin"
	journalHeader = "dougu chunks\x00\x00\x00\x05" // the last byte is the version
	frameHeader   = 12
	hintSize      = 4
	lengthSize    = 4
	detailHead    = 8
	// frameSize is the size in bytes from which a frame is finished. Several frames can
	// be read concurrently.
	frameSize = 2 << 20
	// maxJournal is the upper limit of the size of a journal in bytes. maxFrames limits
	// the frames; compaction happens long before.
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

// frame is the location of one frame in the journal.
type frame struct {
	heads   int64 // length of the heads in bytes
	details span
	sum     uint32 // checksum of the heads
}

// frames returns the frames of a journal and the offset of the next frame. An
// incomplete last frame, the result of a crash, is ignored and will be overwritten.
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

// checkHeader returns errVersion or errDamaged if data does not begin with
// journalHeader.
func checkHeader(data []byte) error {
	const name = len(journalHeader) - 1
	switch {
	case len(data) > name && string(data[:len(journalHeader)]) == journalHeader:
		return nil
	case len(data) > name && string(data[:name]) == journalHeader[:name]:
		return fmt.Errorf("%w: %d", errVersion, data[name])
	}
	return fmt.Errorf("%w: it has no journal header", errDamaged)
}

// read returns the heads of a frame after their checksum was verified.
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
	head   []byte // head of a file, or the path of a removed file
	detail span
	sum    uint32 // checksum of the detail
	size   int    // size in bytes, including the detail
}

// claimedChunks returns the number of chunks from the hint of a frame, limited to the
// number that the heads can contain.
func claimedChunks(heads []byte) int {
	return int(min(binary.LittleEndian.Uint32(heads), uint32(len(heads)/minName)))
}

// records calls each for every record of the frame, with the claimed number of chunks
// of the frame.
func (f frame) records(heads []byte, each func(chunks int, r record)) error {
	chunks := claimedChunks(heads)
	details := f.details
	for rest := heads[hintSize:]; len(rest) > 0; {
		if len(rest) <= lengthSize {
			return fmt.Errorf("%w: a frame ends within a record", errDamaged)
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

// path returns the path of the record's file.
func (r record) path() string {
	read := reader{data: r.head}
	return read.string()
}

// journalEnd returns the offset of the next frame in an open journal.
func journalEnd(journal io.ReaderAt, size int64) (int64, error) {
	_, end, err := frames(journal, size)
	return end, err
}

// readFileLimited reads a regular file of dir. It returns an error if the file has more
// than most bytes.
func readFileLimited(dir *os.Root, name string, most int64) ([]byte, os.FileInfo, error) {
	f, info, err := openRegular(dir, name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, info, fmt.Errorf("%s has %d bytes, more than the maximum", name, info.Size())
	}
	data := make([]byte, info.Size())
	parts := max((len(data)+readPart-1)/readPart, 1)
	read, errs := make([]int, parts), make([]error, parts)
	parallel(parts, 1, func(i int) {
		from := i * readPart
		read[i], errs[i] = f.ReadAt(data[from:min(from+readPart, len(data))], int64(from))
	})
	for i, err := range errs {
		if err == io.EOF { // the file was truncated meanwhile
			return data[:i*readPart+read[i]], info, nil
		}
		if err != nil {
			return nil, info, err
		}
	}
	return data, info, nil
}

// readPart is the number of bytes of one read; several reads run concurrently.
const readPart = 4 << 20

// openRegular opens a regular file and refuses links and special files: the open of a
// FIFO would block.
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
		err = fmt.Errorf("%s was replaced while it was opened", name)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
