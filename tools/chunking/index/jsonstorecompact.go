package index

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// compactSoon has the journal written anew, without what is of no use in it, while
// others go on to append to it.
func (s *JSONStore) compactSoon() {
	if s.compacting {
		return
	}
	s.compacting = true
	s.background.Go(func() {
		err := s.compact()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.compacting = false
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it stays as it is
			s.log.Warn("the journal of chunks cannot be compacted", "directory", s.path, "error", err)
		}
	})
}

// compact looks through the journal without a lock, and takes one to put the new
// one in its place, together with what was appended meanwhile. A damaged journal is
// removed: the next start reads the JSON files.
func (s *JSONStore) compact() error {
	data, before, err := s.journal()
	if err != nil {
		return err
	}
	_, end, err := frames(data)
	var small []byte
	if err == nil {
		small, err = compacted(data[:end])
	}
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
		if !os.SameFile(before, info) || info.Size() < int64(end) {
			return nil // another process was faster
		}
		if damaged {
			s.log.Warn("the journal of chunks is damaged and was removed", "directory", s.path, "error", errDamaged)
			return s.dir.Remove(journalName)
		}
		tail, err := io.ReadAll(io.NewSectionReader(f, int64(end), info.Size()-int64(end)))
		if err != nil {
			return err
		}
		return s.replaceJournal(append(small, tail...))
	})
}

// journal is the journal as it is now.
func (s *JSONStore) journal() ([]byte, os.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return nil, nil, fs.ErrNotExist
	}
	return readWhole(s.dir, journalName, maxJournal)
}
