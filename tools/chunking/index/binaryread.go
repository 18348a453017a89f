package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

var errBinary = errors.New("it ends in the middle, or a number in it is too large")

// UnmarshalBinary reads what AppendBinary wrote, and refuses what AppendBinary
// cannot have written. It implements encoding.BinaryUnmarshaler.
func (f *File) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != binaryVersion {
		return errors.New("reading a file of the index: it is of another version")
	}
	r := reader{data: bytes.Clone(data[1:])}
	var parsed parse.File
	read := File{File: &parsed}
	err := r.file(&read, &slabs{})
	if err == nil && len(r.data) > 0 {
		err = errors.New("more follows after its end")
	}
	if err != nil {
		return fmt.Errorf("reading a file of the index: %w", err)
	}
	*f = read
	return nil
}

// slabs are memory for the chunks of many files.
type slabs struct {
	chunks []parse.Chunk
	signs  signs
}

func newSlabs(chunks int) *slabs {
	return &slabs{make([]parse.Chunk, chunks), newSigns(chunks)}
}

// take cuts room for n chunks off.
func (s *slabs) take(n int) ([]parse.Chunk, signs) {
	if n > len(s.chunks) {
		*s = *newSlabs(n)
	}
	chunks, all := s.chunks[:n:n], s.signs
	s.chunks, s.signs = s.chunks[n:], signs{all.keys[n:], all.heads[n:]}
	return chunks, signs{all.keys[:n:n], all.heads[:n:n]}
}

// reader reads what appendBinary wrote, from the front of data, which is never
// changed: the strings that come of it lie there.
type reader struct {
	data []byte
	bad  bool
}

// maxNumber is more than any position, line or length, and small enough that sums
// of several fit an int32.
const maxNumber = 1 << 27

func (r *reader) uvarint() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 {
		v := r.data[0]
		r.data = r.data[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		return r.fail()
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) fail() uint64 {
	r.bad, r.data = true, nil
	return 0
}

func (r *reader) number() int32 {
	if len(r.data) > 0 && r.data[0] < 0x80 {
		v := r.data[0]
		r.data = r.data[1:]
		return int32(v)
	}
	v := r.uvarint()
	if v > maxNumber {
		v = r.fail()
	}
	return int32(v)
}

func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// signed is a varint that is a distance.
func (r *reader) signed() int32 {
	v := r.varint()
	if v > maxNumber || v < -maxNumber {
		v = int64(r.fail())
	}
	return int32(v)
}

// count is a number of things that take at least some bytes each.
func (r *reader) count(bytes int) int {
	n := r.uvarint()
	if n > uint64(len(r.data)/bytes) {
		n = r.fail()
	}
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.fail()
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) text(n int) string {
	b := r.bytes(n)
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

func (r *reader) string() string { return r.text(int(r.number())) }

// file reads one file into f, whose parse.File is set.
func (r *reader) file(f *File, room *slabs) error {
	f.Path = r.string()
	copy(f.Hash[:], r.bytes(len(f.Hash)))
	size := r.uvarint()
	f.Size = int64(min(size, parse.MaxSource+1)) // which check refuses
	seconds, nanoseconds := r.varint(), r.uvarint()
	f.ModTime = time.Unix(seconds, int64(nanoseconds%uint64(time.Second)))
	f.read = r.varint()
	if b := r.bytes(8); len(b) == 8 {
		f.fingerprint = binary.LittleEndian.Uint64(b)
	}
	f.start = r.string()
	f.Language = parse.Language(r.string())
	f.Parser = r.string()
	f.Chunks, f.signs = room.take(r.count(minChunk))
	r.chunks(f.Chunks, f.signs)
	if n := r.count(2); n > 0 {
		f.Imports = make([]parse.Import, n)
		for i := range f.Imports {
			f.Imports[i] = parse.Import{Line: r.number(), Path: r.string()}
		}
	}
	if n := r.count(3); n > 0 {
		f.Calls = make([]parse.Call, n)
		for i := range f.Calls {
			f.Calls[i] = parse.Call{Line: r.number(), Chunk: r.number() - 1, Name: r.string()}
		}
	}
	if n := r.count(2); n > 0 {
		f.Problems = make([]parse.Problem, n)
		for i := range f.Problems {
			f.Problems[i] = parse.Problem{Line: r.number(), Message: r.string()}
		}
	}
	if r.bad {
		return errBinary
	}
	f.complete()
	return f.check()
}

// minChunk is how many bytes a chunk takes at least.
const minChunk = 16

func (r *reader) chunks(chunks []parse.Chunk, signs signs) {
	var decl, line int32
	container := ""
	for i := range chunks {
		c := &chunks[i]
		if kind := r.bytes(1); kind != nil {
			c.Kind = parse.Kind(kind[0])
		}
		c.Start = decl + r.signed()
		c.Decl = c.Start + r.number()
		if n := r.number(); n > 0 {
			c.Doc = c.Start + r.number()
			c.DocEnd = c.Doc + n
		}
		c.Sig = c.Decl + r.number()
		c.Ident = c.Sig + r.number()
		if n := r.number(); n > 0 {
			c.Body = c.Ident + n
		}
		c.End = c.Ident + r.number()
		c.StartLine = line + r.signed()
		c.Line = c.StartLine + r.number()
		c.IdentLine = c.Line + r.number()
		c.EndLine = c.IdentLine + r.number()
		c.Parent = -1
		if n := r.number(); n > 0 {
			c.Parent = int32(i) - n
		}
		c.Name = r.string()
		c.Labels = r.string()
		if n := r.number(); n > 0 {
			container = r.text(int(n) - 1)
		}
		c.Container = container
		c.Signature = r.string()
		if r.bad {
			return
		}
		signs.set(i, c)
		decl, line = c.Decl, c.StartLine
	}
}
