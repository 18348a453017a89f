package sqlite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// segmentCount is the largest number of files of a stream.
const segmentCount = 16

// stream is one output stream of an agent: segments in files, and a buffer of unwritten bytes.
type stream struct {
	dir, name string
	maxBytes  int64     // of all segments
	segments  []segment // ordered by offset; there may be gaps
	written   int64     // offset of buffer
	buffer    []byte
}

// segment is a range of a stream in a file whose name contains the offset.
type segment struct{ offset, size int64 }

func (g segment) end() int64 { return g.offset + g.size }

func (s *stream) path(g segment) string {
	return filepath.Join(s.dir, fmt.Sprintf("%s-%016x", s.name, g.offset))
}

// loadSegments finds the files of an earlier process.
func (s *stream) loadSegments() {
	entries, _ := os.ReadDir(s.dir)
	for _, entry := range entries {
		digits, ok := strings.CutPrefix(entry.Name(), s.name+"-")
		offset, err := strconv.ParseInt(digits, 16, 64)
		if !ok || err != nil || len(digits) != 16 || offset < 0 {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			s.segments = append(s.segments, segment{offset, info.Size()})
		}
	}
	slices.SortFunc(s.segments, func(a, b segment) int { return cmp.Compare(a.offset, b.offset) })
	if n := len(s.segments); n > 0 {
		s.written = s.segments[n-1].end()
	}
}

func (s *stream) end() int64 { return s.written + int64(len(s.buffer)) }

func (s *stream) append(p []byte) error {
	s.buffer = append(s.buffer, p...)
	if len(s.buffer) < maxBuffer {
		return nil
	}
	return s.flush()
}

// flush writes the buffer. Bytes that cannot be written are dropped; offsets still count them.
func (s *stream) flush() error {
	for len(s.buffer) > 0 {
		n := len(s.segments)
		if n == 0 || s.segments[n-1].size >= s.maxBytes/segmentCount || s.segments[n-1].end() != s.written {
			s.segments = append(s.segments, segment{offset: s.written})
			s.trim()
			n = len(s.segments)
		}
		last := &s.segments[n-1]
		p := s.buffer[:min(int64(len(s.buffer)), max(1, s.maxBytes/segmentCount-last.size))]
		wrote, err := s.write(*last, p)
		last.size += int64(wrote)
		if err != nil {
			s.written += int64(len(s.buffer))
			s.buffer = nil
			return err
		}
		s.written += int64(len(p))
		s.buffer = s.buffer[len(p):]
	}
	s.buffer = nil
	return nil
}

// write appends to the file of a segment.
func (s *stream) write(g segment, p []byte) (n int, err error) {
	file, err := os.OpenFile(s.path(g), os.O_CREATE|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(s.dir, 0o700); err == nil {
			file, err = os.OpenFile(s.path(g), os.O_CREATE|os.O_WRONLY, 0o600)
		}
	}
	if err != nil {
		return 0, err
	}
	n, err = file.WriteAt(p, g.size)
	return n, errors.Join(err, file.Close())
}

// trim removes old segments until the number is within segmentCount. It keeps the first one, which
// shows the beginning of the run.
func (s *stream) trim() {
	for len(s.segments) > segmentCount {
		// Readers skip missing files.
		_ = os.Remove(s.path(s.segments[1]))
		s.segments = slices.Delete(s.segments, 1, 2)
	}
}

// read returns at most n bytes from offset on, up to the next gap. The buffer must be empty.
func (s *stream) read(offset int64, n int) (p []byte, at int64) {
	at = offset
	for _, g := range s.segments {
		next := at + int64(len(p))
		if g.end() <= next {
			continue
		}
		if g.offset > next {
			if len(p) > 0 {
				break
			}
			at, next = g.offset, g.offset
		}
		piece := make([]byte, min(int64(n-len(p)), g.end()-next))
		got, err := s.readFile(g, piece, next-g.offset)
		p = append(p, piece[:got]...)
		if len(p) == n || err != nil && len(p) > 0 {
			return p, at
		}
		if err != nil {
			at = g.end() // the file is missing
		}
	}
	if len(p) == 0 {
		at = s.written
	}
	return p, at
}

func (s *stream) readFile(g segment, p []byte, at int64) (int, error) {
	file, err := os.Open(s.path(g))
	if err != nil {
		return 0, err
	}
	n, err := file.ReadAt(p, at)
	if n == len(p) || errors.Is(err, io.EOF) && n > 0 {
		err = nil
	}
	return n, errors.Join(err, file.Close())
}

// safeName matches identifiers that are safe file names and unique without regard to case.
var safeName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,79}$`)

// deviceName matches reserved names on Windows.
var deviceName = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// fileName returns a safe file name for any identifier.
func fileName(id string) string {
	if safeName.MatchString(id) && !deviceName.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "=" + hex.EncodeToString(sum[:20])
}
