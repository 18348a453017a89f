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

// Limits of a message.
const (
	MaxMessage = 64 << 20 // bytes
	MaxValues  = 250_000  // values, nested ones included; the API description of Neovim has about 20,000
	MaxDepth   = 64       // levels of nesting
)

// Errors of invalid messages.
var (
	ErrTooLong = fmt.Errorf("a message is longer than %d bytes or has more than %d values", MaxMessage, MaxValues)
	ErrTooDeep = fmt.Errorf("a message is nested deeper than %d levels", MaxDepth)
	ErrNoValue = errors.New("a message is no MessagePack")
)

// Reader reads encoded messages from a stream. Each message is complete, valid MessagePack within the limits. It must not be used
// concurrently.
type Reader struct {
	in     *bufio.Reader
	raw    bytes.Buffer
	values int
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 16<<10)} }

// Read returns the bytes of the next message, valid until the next call. At the end of the stream the error is io.EOF, within a
// message io.ErrUnexpectedEOF.
func (r *Reader) Read() ([]byte, error) {
	if r.raw.Cap() > 1<<20 {
		r.raw = bytes.Buffer{} // release the memory of a long message
	}
	r.raw.Reset()
	r.values = 0
	err := r.value(0)
	if errors.Is(err, io.EOF) && r.raw.Len() > 0 {
		err = io.ErrUnexpectedEOF
	}
	return r.raw.Bytes(), err
}

// value reads one value, including nested values.
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

// sizes maps codes of fixed-size values to the number of bytes that follow.
var sizes = map[byte]int64{
	msgpcode.Uint8: 1, msgpcode.Uint16: 2, msgpcode.Uint32: 4, msgpcode.Uint64: 8,
	msgpcode.Int8: 1, msgpcode.Int16: 2, msgpcode.Int32: 4, msgpcode.Int64: 8,
	msgpcode.Float: 4, msgpcode.Double: 8,
	msgpcode.FixExt1: 2, msgpcode.FixExt2: 3, msgpcode.FixExt4: 5, msgpcode.FixExt8: 9, msgpcode.FixExt16: 17,
}

// lengths maps codes of variable-size values to the width of their length field in bytes, the extra bytes of data, and the values
// per element (0 for data).
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

// nested reads n values of an array or map.
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

// length reads a big-endian number of width bytes.
func (r *Reader) length(width int) (int64, error) {
	raw, err := r.take(int64(width))
	if err != nil {
		return 0, err
	}
	var all [8]byte
	copy(all[8-width:], raw)
	return int64(binary.BigEndian.Uint64(all[:])), nil
}

// take reads and returns the next n bytes.
func (r *Reader) take(n int64) ([]byte, error) {
	err := r.skip(n)
	return r.raw.Bytes()[max(r.raw.Len()-int(n), 0):], err
}

// skip reads n bytes into the message.
func (r *Reader) skip(n int64) error {
	if n > MaxMessage-int64(r.raw.Len()) {
		return ErrTooLong
	}
	_, err := io.CopyN(&r.raw, r.in, n)
	return err
}
