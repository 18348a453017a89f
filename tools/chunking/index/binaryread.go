package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/dougu-go/dougu/tools/source"
)

// errBinary is the error for binary data that is truncated, has trailing bytes, or
// contains a number above maxNumber.
var errBinary = errors.New("the data is truncated, has trailing bytes, or contains a number that is too large")

// UnmarshalBinary replaces the file by the one that AppendBinary encoded in data. It
// implements encoding.BinaryUnmarshaler. It returns an error for another version, for
// truncated data, for trailing bytes and for values that no parser can produce; f is
// then unchanged.
func (f *File) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != binaryVersion {
		return errors.New("read a file of the index: unsupported version")
	}
	r := reader{data: bytes.Clone(data[1:])}
	var read File
	head := reader{data: r.bytes(int(r.number()))}
	err := head.head(&read, &slabs{})
	var detail []byte
	if err == nil {
		detail, err = unpack(r.data)
	}
	if err == nil {
		read.parsed, err = read.decode(detail)
	}
	if err != nil {
		return fmt.Errorf("read a file of the index: %w", err)
	}
	read.names.places, read.names.text = nil, nil
	*f = read
	return nil
}

// slabs holds preallocated memory for the names of many files. One large allocation is
// cheaper than several for each file.
type slabs struct {
	names
	least int // minimum number of names that are allocated at once
}

// take returns memory for n chunks and removes it from s.
func (s *slabs) take(n int) names {
	if n > len(s.keys) {
		size := max(n, s.least)
		s.names = names{keys: make([]uint64, size), heads: make([]beginning, size), places: make([]namePosition, size)}
	}
	all := s.names
	s.keys, s.heads, s.places = all.keys[n:], all.heads[n:], all.places[n:]
	return names{keys: all.keys[:n:n], heads: all.heads[:n:n], places: all.places[:n:n]}
}

// reader decodes the output of appendHead and appendDetail from the front of data.
// Decoded strings share the memory of data, which must not be changed afterwards.
type reader struct {
	data []byte
	bad  bool // set by the first error; later reads return zero values
}

// maxNumber is the upper limit of positions, lines and lengths. Sums of several such
// numbers fit an int32.
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

// count reads the length of a list whose elements have at least the given number of
// bytes. The limit prevents large allocations for corrupt data.
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

// head decodes the output of appendHead into f and checks it. The names take their
// memory from room.
func (r *reader) head(f *File, room *slabs) error {
	f.Path = r.string()
	copy(f.Hash[:], r.bytes(len(f.Hash)))
	size := r.uvarint()
	f.Size = int64(min(size, source.MaxSource+1)) // a larger size is refused by checkHead
	f.textSize = f.Size + min(max(r.varint(), -maxNumber), maxNumber)
	seconds, nanoseconds := r.varint(), r.uvarint()
	f.ModTime = time.Unix(seconds, int64(nanoseconds%uint64(time.Second)))
	f.read = r.varint()
	if b := r.bytes(8); len(b) == 8 {
		f.fingerprint = binary.LittleEndian.Uint64(b)
	}
	f.start = r.string()
	f.Language = source.Language(r.string())
	f.Parser = r.string()
	if n := r.count(2); n > 0 {
		f.Problems = make([]source.Problem, n)
		for i := range f.Problems {
			f.Problems[i] = source.Problem{Line: r.number(), Message: r.string()}
		}
	}
	r.names(f, room)
	if r.bad || len(r.data) > 0 {
		return errBinary
	}
	f.complete()
	return f.checkHead()
}

// minName is the minimum size in bytes of a chunk in a head, minDetail that in a
// detail.
const (
	minName   = 5
	minDetail = 14
)

// names decodes the names of the chunks. It takes most of the start-up time, so it
// works with offsets instead of reslicing data.
func (r *reader) names(f *File, room *slabs) {
	text := r.data
	n := r.count(minName)
	f.names = room.take(n)
	f.names.text = text
	at, container := len(text)-len(r.data), 0
	for i := range n {
		var kind source.Kind
		if at < len(text) {
			kind = source.Kind(text[at])
		}
		var place namePosition
		place.name = uint32(at + 1)
		name, next := textAt(text, at+1)
		if _, next = textAt(text, next); next < len(text) && text[next] == 0 {
			next++
		} else {
			container = next
			size, begin := numberAt(text, next)
			_, next = textOf(text, begin, max(int(size)-1, 0))
		}
		if at = next; at > len(text) || name == "" || kind == source.Invalid || kind > source.Module {
			r.fail()
			return
		}
		place.container = uint32(container)
		f.names.places[i] = place
		f.names.set(i, kind, name)
	}
	r.data = text[at:]
}

// decode decodes a detail, the output of appendDetail, and checks the result. The head
// of f must be complete.
func (f *File) decode(detail []byte) (*source.File, error) {
	if len(detail)/minDetail < f.Len() {
		return nil, errBinary
	}
	parsed := &source.File{Language: f.Language, Parser: f.Parser, Problems: f.Problems, Chunks: make([]source.Chunk, f.Len())}
	for i := range parsed.Chunks {
		c := &parsed.Chunks[i]
		c.Kind, c.Name, c.Labels, c.Container = source.Kind(f.names.keys[i]>>kindShift), f.name(i), f.labels(i), f.container(i)
	}
	r := reader{data: detail}
	r.chunks(parsed.Chunks)
	if n := r.count(2); n > 0 {
		parsed.Imports = make([]source.Import, n)
		for i := range parsed.Imports {
			parsed.Imports[i] = source.Import{Line: r.number(), Path: r.string()}
		}
	}
	if n := r.count(3); n > 0 {
		parsed.Calls = make([]source.Call, n)
		for i := range parsed.Calls {
			parsed.Calls[i] = source.Call{Line: r.number(), Chunk: r.number() - 1, Name: r.string()}
		}
	}
	if r.bad || len(r.data) > 0 {
		return nil, errBinary
	}
	return parsed, parsed.Check(f.textSize)
}

// chunks decodes positions, parents and signatures into chunks.
func (r *reader) chunks(chunks []source.Chunk) {
	var decl, line int32
	data, at := r.data, 0
	var n int32
	signatures := make([]byte, 0, len(data)+len(data)/2) // never changed, only extended
	for i := range chunks {
		c := &chunks[i]
		n, at = numberAt(data, at)
		c.Start = decl + unzigzag(n)
		n, at = numberAt(data, at)
		c.Decl = c.Start + n
		if n, at = numberAt(data, at); n > 0 {
			c.DocEnd = n
			n, at = numberAt(data, at)
			c.Doc = c.Start + n
			c.DocEnd += c.Doc
		}
		n, at = numberAt(data, at)
		c.Sig = c.Decl + n
		n, at = numberAt(data, at)
		c.Ident = c.Sig + n
		if n, at = numberAt(data, at); n > 0 {
			c.Body = c.Ident + n
		}
		n, at = numberAt(data, at)
		c.End = c.Ident + n
		n, at = numberAt(data, at)
		c.StartLine = line + unzigzag(n)
		n, at = numberAt(data, at)
		c.Line = c.StartLine + n
		n, at = numberAt(data, at)
		c.IdentLine = c.Line + n
		n, at = numberAt(data, at)
		c.EndLine = c.IdentLine + n
		c.Parent = -1
		if n, at = numberAt(data, at); n > 0 {
			c.Parent = int32(i) - n
		}
		var rest string
		n, at = numberAt(data, at)
		if rest, at = textAt(data, at); at > len(data) || int(n) > len(rest)+1 {
			r.fail()
			return
		}
		if c.Signature = rest; n > 0 {
			from := len(signatures)
			signatures = append(append(append(signatures, rest[:n-1]...), c.Name...), rest[n-1:]...)
			c.Signature = unsafe.String(&signatures[from], len(signatures)-from)
		}
		decl, line = c.Decl, c.StartLine
	}
	r.data = data[at:]
}

// numberAt decodes the number at an offset and returns it with the offset after it. The
// offset is len(data)+1 if there is no valid number.
func numberAt(data []byte, at int) (int32, int) {
	if at < len(data) && data[at] < 0x80 {
		return int32(data[at]), at + 1
	}
	return longNumberAt(data, at)
}

func longNumberAt(data []byte, at int) (int32, int) {
	if at+1 < len(data) && data[at+1] < 0x80 {
		return int32(data[at]&0x7f) | int32(data[at+1])<<7, at + 2
	}
	if at < len(data) {
		if v, n := binary.Uvarint(data[at:]); n > 0 && v <= 2*maxNumber {
			return int32(v), at + n
		}
	}
	return 0, len(data) + 1
}

// unzigzag decodes a signed number in zigzag encoding.
func unzigzag(n int32) int32 { return n>>1 ^ -(n & 1) }

// textAt decodes a string with a preceding length, and returns the offset after it.
func textAt(data []byte, at int) (string, int) {
	n, at := numberAt(data, at)
	return textOf(data, at, int(n))
}

// textOf returns the n bytes at an offset and the offset after them, or len(data)+1 if
// there are fewer.
func textOf(data []byte, at, n int) (string, int) {
	if n > len(data)-at {
		return "", len(data) + 1
	}
	if n == 0 {
		return "", at
	}
	return unsafe.String(&data[at], n), at + n
}
