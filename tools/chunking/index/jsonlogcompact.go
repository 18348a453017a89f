package index

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// compactSoon compacts the log in the background. Appends remain possible meanwhile.
func (s *JSONStore) compactSoon() {
	if s.compacting {
		return
	}
	s.compacting = true
	s.background.Go(func() {
		if err := s.compact(); err != nil && !errors.Is(err, fs.ErrNotExist) { // the uncompacted log remains valid
			s.log.Warn("the index of chunks cannot be compacted", "directory", s.path, "error", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.compacting = false
	})
}

// compact rewrites the log with only the last lines of each path. It reads without the
// lock between processes, and locks to append newer lines and to replace the log.
func (s *JSONStore) compact() error {
	log, before, err := s.openLogNow()
	if err != nil {
		return err
	}
	defer log.Close()
	data, err := readAll(log, before.Size())
	if err != nil {
		return err
	}
	lines := cutLog(data)
	small, sizes := lines.compacted()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return nil // the directory is gone
	}
	return s.locked(context.Background(), func() error {
		now, info, err := openRegular(s.dir, logName, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer now.Close()
		if !os.SameFile(before, info) || info.Size() < lines.end {
			return nil // another process was faster
		}
		tail, err := io.ReadAll(io.NewSectionReader(now, lines.end, info.Size()-lines.end))
		if err != nil {
			return err
		}
		if small = append(small, tail...); len(small) == 0 {
			return s.dir.Remove(logName)
		}
		if err := s.replace(logName, small); err != nil {
			return err
		}
		s.stale = false
		for path, size := range sizes {
			if e, ok := s.entries[path]; ok && e.size == size.before {
				s.live += int64(size.after - size.before)
				e.size, e.line = size.after, size.after
				s.entries[path] = e
			}
		}
		return nil
	})
}

// resized is the number of bytes of a file in the log before and after it was compacted.
type resized struct{ before, after int }

// compacted returns the lines, with the later times of touched files in them, and the
// files whose number of bytes has changed.
func (l *logLines) compacted() ([]byte, map[string]resized) {
	var small []byte
	sizes := make(map[string]resized)
	r := newLineReader()
	for i := range l.all {
		one := &l.all[i]
		if one.touched == nil {
			small = append(small, one.data...)
			continue
		}
		from := len(small)
		f := one.file(r, lineAt{one})
		if f == nil {
			continue
		}
		b, err := f.AppendJSON(small)
		if err != nil {
			continue // the file is parsed again
		}
		small = b
		sizes[one.path] = resized{one.size(), len(small) - from}
	}
	return small, sizes
}

// lineAt reads a line by offsets of its log.
type lineAt struct{ *logLine }

// ReadAt implements io.ReaderAt.
func (l lineAt) ReadAt(p []byte, at int64) (int, error) {
	if at -= l.at; at < 0 || at > int64(len(l.data)) {
		return 0, io.EOF
	}
	n := copy(p, l.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// openLogNow is openLog with the lock of the store.
func (s *JSONStore) openLogNow() (*os.File, os.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openLog()
}
