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

// segments is in how many files the most of a stream is.
const segments = 16

// stream is what an agent has written to one of its streams: segments in files, and the rest in memory.
type stream struct {
	dir, name string
	most      int64
	segments  []segment // in order; there may be gaps
	written   int64     // the offset of what waits
	waiting   []byte
}

// segment is a stretch of a stream in a file, which is named after its offset.
type segment struct{ offset, size int64 }

func (g segment) end() int64 { return g.offset + g.size }

func (s *stream) path(g segment) string {
	return filepath.Join(s.dir, fmt.Sprintf("%s-%016x", s.name, g.offset))
}

// find finds what is in files from before.
func (s *stream) find() {
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

func (s *stream) end() int64 { return s.written + int64(len(s.waiting)) }

func (s *stream) append(p []byte) error {
	s.waiting = append(s.waiting, p...)
	if len(s.waiting) < buffered {
		return nil
	}
	return s.flush()
}

// flush writes what waits. What cannot be written is dropped: offsets count it all the same.
func (s *stream) flush() error {
	for len(s.waiting) > 0 {
		n := len(s.segments)
		if n == 0 || s.segments[n-1].size >= s.most/segments || s.segments[n-1].end() != s.written {
			s.segments = append(s.segments, segment{offset: s.written})
			s.trim()
			n = len(s.segments)
		}
		last := &s.segments[n-1]
		p := s.waiting[:min(int64(len(s.waiting)), max(1, s.most/segments-last.size))]
		wrote, err := s.write(*last, p)
		last.size += int64(wrote)
		if err != nil {
			s.written += int64(len(s.waiting))
			s.waiting = nil
			return err
		}
		s.written += int64(len(p))
		s.waiting = s.waiting[len(p):]
	}
	s.waiting = nil
	return nil
}

// write adds to the file of a segment.
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

// trim removes the oldest segments but the first, which tells how all began, until the new one has room.
func (s *stream) trim() {
	for len(s.segments) > segments {
		// Who reads what was removed finds a gap.
		_ = os.Remove(s.path(s.segments[1]))
		s.segments = slices.Delete(s.segments, 1, 2)
	}
}

// read reads up to where something is missing. All is in files.
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
			at = g.end() // the file is gone
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

// plain are names that are safe as those of files, and differ by more than their case.
var plain = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,79}$`)

// devices are names that are none of files on Windows.
var devices = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// fileName is the name of the file or directory for something: an identifier can be any text.
func fileName(id string) string {
	if plain.MatchString(id) && !devices.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "=" + hex.EncodeToString(sum[:20])
}
