package index

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"weak"

	"github.com/dougu-go/dougu/tools/source"
)

// stored is the location of the detail of a file in a log: positions, signatures,
// imports and calls, packed and in base64. The detail is read on demand. A weak pointer
// keeps it while a caller uses it.
type stored struct {
	from  io.ReaderAt
	at    int64
	size  uint32
	sum   uint32 // CRC-32C of the base64 text
	index *Index // parses the source again if the detail is damaged; may be nil

	mu       sync.Mutex
	cached   weak.Pointer[source.File]
	reparsed *source.File // the result of that
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errNoDetail = errors.New("the file has no parse result")
	errDamaged  = errors.New("the log of chunks is damaged")
	errVersion  = errors.New("the log of chunks is of another version")
	errDetail   = fmt.Errorf("%w: wrong checksum of the detail of a file", errDamaged)
	errSince    = errors.New("the file has changed since it was indexed")
)

// Parsed returns the complete parse result. For a file from a Store it is loaded on
// demand; callers that need it repeatedly should keep it. If the stored data is
// damaged, the source is parsed again. That fails if the source has changed or the
// Index is closed.
func (f *File) Parsed() (*source.File, error) {
	parsed, err := f.load()
	if err == nil || f.stored == nil || f.stored.index == nil {
		return parsed, err
	}
	return f.stored.index.reread(f, err)
}

// load is Parsed without the fallback to the source file.
func (f *File) load() (*source.File, error) {
	switch {
	case f.parsed != nil:
		return f.parsed, nil
	case f.stored == nil:
		return nil, errNoDetail
	}
	s := f.stored
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reparsed != nil {
		return s.reparsed, nil
	}
	if parsed := s.cached.Value(); parsed != nil {
		return parsed, nil
	}
	detail, err := s.bytes()
	var parsed *source.File
	if err == nil {
		parsed, err = f.decode(detail)
	}
	if err != nil {
		return nil, fmt.Errorf("load the index entry of %s: %w", f.Path, err)
	}
	s.cached = weak.Make(parsed)
	return parsed, nil
}

// packed reads the packed detail and verifies its checksum.
func (s *stored) packed() ([]byte, error) {
	text := make([]byte, s.size)
	if n, err := s.from.ReadAt(text, s.at); n < len(text) {
		return nil, err
	}
	if crc32.Checksum(text, castagnoli) != s.sum {
		return nil, errDetail
	}
	return decodeBase64(text)
}

// bytes reads the detail.
func (s *stored) bytes() ([]byte, error) {
	packed, err := s.packed()
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

// reread parses the source again because the stored detail is damaged, and saves the
// result.
func (x *Index) reread(f *File, damage error) (*source.File, error) {
	now, _, err := x.ReadFile(x.ctx, f.Path, f.Language)
	if err != nil {
		return nil, fmt.Errorf("%w; and reading the source again: %w", damage, err)
	}
	parsed, err := now.load()
	switch {
	case err != nil:
		return nil, err
	case now.Hash != f.Hash || !bytes.Equal(now.appendNames(nil), f.appendNames(nil)):
		return nil, fmt.Errorf("%w; and reading the source again: %w", damage, errSince)
	}
	x.log.Warn("the saved index of a file is damaged; the file was read again", "path", f.Path, "error", damage)
	f.stored.mu.Lock()
	defer f.stored.mu.Unlock()
	f.stored.reparsed = parsed
	return parsed, nil
}
