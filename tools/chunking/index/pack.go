package index

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A packed detail is its length as a varint, followed by its bytes in the format of
// RFC 1951 (DEFLATE).

// maxDetail is the upper limit of the length of a detail in bytes. maxRatio is the upper limit of the ratio
// of a length to that of its compressed form, a property of DEFLATE.
const (
	maxDetail = 256 << 20
	maxRatio  = 1040
)

var errPacked = errors.New("a packed detail is damaged")

// unpackers are decompressors. Each has large tables, so that they are used again.
var unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// pack appends the packed form of a detail.
func pack(b, detail []byte) []byte {
	return appendDeflate(binary.AppendUvarint(b, uint64(len(detail))), detail)
}

// unpack returns the detail of a packed form.
func unpack(packed []byte) ([]byte, error) {
	size, n := binary.Uvarint(packed)
	if n <= 0 || size > maxDetail || size > uint64(len(packed))*maxRatio {
		return nil, fmt.Errorf("%w: its length is wrong", errPacked)
	}
	r := unpackers.Get().(io.ReadCloser)
	defer unpackers.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(packed[n:]), nil); err != nil {
		return nil, err
	}
	detail := make([]byte, size)
	if _, err := io.ReadFull(r, detail); err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("%w: it is longer than its length", errPacked)
	}
	return detail, nil
}
