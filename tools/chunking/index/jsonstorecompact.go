package index

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// compactSoon compacts journal and log in the background. Appends remain possible
// meanwhile.
func (s *JSONStore) compactSoon() {
	if s.compacting {
		return
	}
	s.compacting = true
	s.background.Go(func() {
		for _, compact := range []func() error{s.compact, s.compactLog} {
			if err := compact(); err != nil && !errors.Is(err, fs.ErrNotExist) { // the uncompacted file remains valid
				s.log.Warn("the index of chunks cannot be compacted", "directory", s.path, "error", err)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.compacting = false
	})
}

// compact compacts the journal. It reads without the lock, and locks to append newer
// frames and replace the file. A damaged journal is removed; the next start uses the
// log.
func (s *JSONStore) compact() error {
	journal, before, err := s.journal()
	if err != nil {
		return err
	}
	defer journal.Close()
	small, end, err := compacted(journal, before.Size())
	damaged := errors.Is(err, errDamaged)
	if err != nil && !damaged {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return nil // the directory is gone
	}
	return s.locked(context.Background(), func() error {
		f, info, err := openRegular(s.dir, journalName, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer f.Close()
		if !os.SameFile(before, info) || info.Size() < end {
			return nil // another process was faster
		}
		if damaged {
			s.log.Warn("the journal of chunks is damaged and was removed", "directory", s.path, "error", errDamaged)
			return s.dir.Remove(journalName)
		}
		tail, err := io.ReadAll(io.NewSectionReader(f, end, info.Size()-end))
		if err != nil {
			return err
		}
		return s.replaceJournal(append(small, tail...))
	})
}

// journal opens the current journal.
func (s *JSONStore) journal() (*os.File, os.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return nil, nil, fs.ErrNotExist
	}
	return s.openJournal()
}
