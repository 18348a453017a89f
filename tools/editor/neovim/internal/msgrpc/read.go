package msgrpc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// The bounds of a message.
const (
	MaxMessage = 64 << 20 // in bytes
	MaxValues  = 250_000  // the description of Neovim's own functions has some 20,000
	MaxDepth   = 64
)

// Errors of messages that are refused.
var (
	ErrTooLong = fmt.Errorf("a message is longer than %d bytes or has more than %d values", MaxMessage, MaxValues)
	ErrTooDeep = fmt.Errorf("a message is nested deeper than %d levels", MaxDepth)
	ErrNoValue = errors.New("a message is no MessagePack")
)

// Reader reads messages as they are, and knows that they are whole and within the bounds.
type Reader struct {
	in     *bufio.Reader
	raw    bytes.Buffer
	values int
}

// NewReader reads from r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 16<<10)} }

// Read answers the bytes of the next message, which are good until the next call. The end between messages is io.EOF, and one
// within a message is io.ErrUnexpectedEOF.
func (r *Reader) Read() ([]byte, error) {
	if r.raw.Cap() > 1<<20 {
		r.raw = bytes.Buffer{} // one long message does not occupy memory for ever
	}
	r.raw.Reset()
	r.values = 0
	err := r.value(0)
	if errors.Is(err, io.EOF) && r.raw.Len() > 0 {
		err = io.ErrUnexpectedEOF
	}
	return r.raw.Bytes(), err
}

// value reads one value with all that is in it.
func (r *Reader) value(depth int) error {
	if depth > MaxDepth {
		return ErrTooDeep
	}
	if r.values++; r.values > MaxValues {
		return ErrTooLong
	}
	head, err := r.take(1)
	if err != nil {
		return err
	}
	code := head[0]
	switch {
	case msgpcode.IsFixedNum(code), code == msgpcode.Nil, code == msgpcode.False, code == msgpcode.True:
		return nil
	case msgpcode.IsFixedMap(code):
		return r.nested(2*int64(code&msgpcode.FixedMapMask), depth)
	case msgpcode.IsFixedArray(code):
		return r.nested(int64(code&msgpcode.FixedArrayMask), depth)
	case msgpcode.IsFixedString(code):
		return r.skip(int64(code & msgpcode.FixedStrMask))
	}
	if size, ok := sizes[code]; ok {
		return r.skip(size)
	}
	kind, ok := lengths[code]
	if !ok {
		return ErrNoValue
	}
	n, err := r.length(kind.width)
	if err != nil {
		return err
	}
	if kind.values > 0 {
		return r.nested(kind.values*n, depth)
	}
	return r.skip(n + kind.extra)
}

// sizes are how many bytes follow the code of a value that has always as many.
var sizes = map[byte]int64{
	msgpcode.Uint8: 1, msgpcode.Uint16: 2, msgpcode.Uint32: 4, msgpcode.Uint64: 8,
	msgpcode.Int8: 1, msgpcode.Int16: 2, msgpcode.Int32: 4, msgpcode.Int64: 8,
	msgpcode.Float: 4, msgpcode.Double: 8,
	msgpcode.FixExt1: 2, msgpcode.FixExt2: 3, msgpcode.FixExt4: 5, msgpcode.FixExt8: 9, msgpcode.FixExt16: 17,
}

// lengths are the codes that a length follows: how many bytes it has, and what it counts.
var lengths = map[byte]struct {
	width         int
	extra, values int64
}{
	msgpcode.Str8: {1, 0, 0}, msgpcode.Str16: {2, 0, 0}, msgpcode.Str32: {4, 0, 0},
	msgpcode.Bin8: {1, 0, 0}, msgpcode.Bin16: {2, 0, 0}, msgpcode.Bin32: {4, 0, 0},
	msgpcode.Ext8: {1, 1, 0}, msgpcode.Ext16: {2, 1, 0}, msgpcode.Ext32: {4, 1, 0},
	msgpcode.Array16: {2, 0, 1}, msgpcode.Array32: {4, 0, 1},
	msgpcode.Map16: {2, 0, 2}, msgpcode.Map32: {4, 0, 2},
}

func (r *Reader) nested(n int64, depth int) error {
	if n > MaxValues-int64(r.values) {
		return ErrTooLong
	}
	for range n {
		if err := r.value(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

// length reads a number of so many bytes.
func (r *Reader) length(width int) (int64, error) {
	raw, err := r.take(int64(width))
	if err != nil {
		return 0, err
	}
	var all [8]byte
	copy(all[8-width:], raw)
	return int64(binary.BigEndian.Uint64(all[:])), nil
}

// take answers the next n bytes.
func (r *Reader) take(n int64) ([]byte, error) {
	err := r.skip(n)
	return r.raw.Bytes()[max(r.raw.Len()-int(n), 0):], err
}

// skip reads over n bytes.
func (r *Reader) skip(n int64) error {
	if n > MaxMessage-int64(r.raw.Len()) {
		return ErrTooLong
	}
	_, err := io.CopyN(&r.raw, r.in, n)
	return err
}
