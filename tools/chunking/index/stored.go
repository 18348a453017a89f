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

// stored is where a Store has the detail of a file: all that a parser found but for
// what searches look at, which is most of it. It is read when it is asked for, and
// kept as long as somebody uses it.
type stored struct {
	from   io.ReaderAt
	at     int64
	size   uint32
	sum    uint32 // a checksum
	record int    // the size of the whole record
	index  *Index // reads the source again where the detail is damaged; nil if nobody does

	mu       sync.Mutex
	cached   weak.Pointer[source.File]
	reparsed *source.File // the result of reading the source again
}

var (
	errNoDetail = errors.New("nothing was parsed")
	errDetail   = fmt.Errorf("%w: the detail of a file is not what was written", errDamaged)
	errSince    = errors.New("the file has changed since it was indexed")
)

// Parsed is all that a parser found in the file. Of a file that a Store has loaded
// it is read from there when it is asked for; who needs it again and again holds
// it. What is damaged there is read again from the source. It is an error if that
// has changed since, or if the Index is closed.
func (f *File) Parsed() (*source.File, error) {
	parsed, err := f.load()
	if err == nil || f.stored == nil || f.stored.index == nil {
		return parsed, err
	}
	return f.stored.index.reread(f, err)
}

// load is Parsed without the source.
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
		return nil, fmt.Errorf("loading what is indexed of %s: %w", f.Path, err)
	}
	s.cached = weak.Make(parsed)
	return parsed, nil
}

// bytes are the detail in the form of appendDetail.
func (s *stored) bytes() ([]byte, error) {
	detail := make([]byte, s.size)
	if n, err := s.from.ReadAt(detail, s.at); n < len(detail) {
		return nil, err
	}
	if crc32.Checksum(detail, castagnoli) != s.sum {
		return nil, errDetail
	}
	return detail, nil
}

// reread reads the source of a file again, whose detail cannot be read. What it says
// is saved again.
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
	x.log.Warn("what was saved of a file is damaged; it was read again", "path", f.Path, "error", damage)
	f.stored.mu.Lock()
	defer f.stored.mu.Unlock()
	f.stored.reparsed = parsed
	return parsed, nil
}
