package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
)

const (
	lockName = "lock"
	// lockTimeout is the maximum time to wait for the lock of another process.
	lockTimeout = 10 * time.Second
	// maxIdle is the number of outdated bytes from which the journal is compacted, if
	// outdated bytes also exceed the valid ones.
	maxIdle = 4 << 20
)

var errLocked = errors.New("another process holds the lock file")

// locked calls do while it holds the lock between processes. On file systems without
// locks it calls do directly.
func (s *JSONStore) locked(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockTimeout, errLocked)
	defer cancel()
	lock, _, err := openRegular(s.dir, lockName, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = s.dir.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	for delay := time.Millisecond; ; delay = min(2*delay, 50*time.Millisecond) {
		got, err := rootfs.TryLock(lock)
		if got || err != nil { // a file system without locks has few processes on it
			return do()
		}
		if err := wait.Sleep(ctx, delay/2+rand.N(delay)); err != nil {
			return fmt.Errorf("locking the journal: %w", err)
		}
	}
}

// loadJournal loads the journal. It returns fs.ErrNotExist if there is none.
func (s *JSONStore) loadJournal(ctx context.Context) ([]*File, error) {
	journal, files, err := s.readJournal(ctx)
	if err != nil {
		return nil, err
	}
	info, err := journal.Stat()
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	s.journals = append(s.journals, journal)
	s.loaded, s.live = slices.Clone(files), 0
	clear(s.sizes)
	for _, f := range files {
		s.live += int64(f.stored.record)
	}
	s.known = journalState{info, 0} // the first write finds the end
	return files, nil
}

// readJournal reads the heads of the journal. The file must stay open while details may
// be read.
func (s *JSONStore) readJournal(ctx context.Context) (*os.File, []*File, error) {
	journal, info, err := s.openJournal()
	if err != nil {
		return nil, nil, err
	}
	files, err := decodeJournal(ctx, journal, info.Size())
	if err != nil {
		return nil, nil, errors.Join(err, journal.Close())
	}
	return journal, files, nil
}

func (s *JSONStore) openJournal() (*os.File, os.FileInfo, error) {
	journal, info, err := openRegular(s.dir, journalName, os.O_RDONLY)
	if err == nil && info.Size() > maxJournal {
		err = errors.Join(fmt.Errorf("%s has %d bytes, more than it can have", journalName, info.Size()), journal.Close())
	}
	return journal, info, err
}

// loaded is the content of one frame.
type loaded struct {
	records []record
	room    *slabs
	files   []*File // of the valid records
	err     error
}

// decodeJournal decodes the heads of all files in a journal. The files refer to journal
// for their details.
func decodeJournal(ctx context.Context, journal io.ReaderAt, size int64) ([]*File, error) {
	all, _, err := frames(journal, size)
	if err != nil {
		return nil, err
	}
	heads := int64(0)
	for _, f := range all {
		heads += f.heads
	}
	room := headroom(8 * heads)
	defer runtime.KeepAlive(room)
	read := make([]loaded, len(all))
	parallel(len(all), 1, func(i int) {
		if ctx.Err() == nil {
			read[i].read(journal, all[i])
		}
	})
	n, err := keepLastRecords(read)
	if err != nil {
		return nil, err
	}
	parallel(len(all), 1, func(i int) {
		if ctx.Err() == nil {
			read[i].decode(journal)
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	files := make([]*File, 0, n)
	for i := range read {
		files = append(files, read[i].files...)
	}
	return files, nil
}

// read reads the records of a frame.
func (l *loaded) read(journal io.ReaderAt, f frame) {
	heads, err := f.read(journal)
	if err != nil {
		l.err = err
		return
	}
	l.room = newSlabs(claimedChunks(heads))
	l.err = f.records(heads, func(_ int, r record) { l.records = append(l.records, r) })
}

// keepLastRecords marks all but the last record of each path as removed, and returns
// the number of paths.
func keepLastRecords(read []loaded) (n int, err error) {
	for i := range read {
		if read[i].err != nil {
			return 0, read[i].err
		}
		n += len(read[i].records)
	}
	last := make(map[string]*record, n)
	for i := range read {
		for k := range read[i].records {
			r := &read[i].records[k]
			path := r.path()
			if before, ok := last[path]; ok {
				before.kind = recordRemoved
			}
			last[path] = r
		}
	}
	return len(last), nil
}

// decode decodes the heads of valid records. Invalid heads are skipped.
func (l *loaded) decode(journal io.ReaderAt) {
	l.files = make([]*File, 0, len(l.records))
	for i := range l.records {
		if f := l.records[i].file(journal, l.room); f != nil {
			l.files = append(l.files, f)
		}
	}
}

// file returns the file of a record, or nil.
func (r record) file(journal io.ReaderAt, room *slabs) *File {
	if r.kind != recordFile {
		return nil
	}
	both := new(struct {
		File
		stored
	})
	both.stored = stored{from: journal, at: r.detail.at, size: uint32(r.detail.size), sum: r.sum, record: r.size}
	both.File.stored = &both.stored
	read := reader{data: r.head}
	if err := read.head(&both.File, room); err != nil || r.detail.size/minDetail < int64(both.File.Len()) {
		return nil
	}
	return &both.File
}

// add appends frames to the locked journal and starts a compaction if necessary. whole
// reports that frames contain all files of the log.
func (s *JSONStore) add(ctx context.Context, frames []byte, whole bool) error {
	if len(frames) == 0 {
		return nil
	}
	f, info, err := openRegular(s.dir, journalName, os.O_RDWR)
	var end int64
	if err == nil {
		if end, err = s.end(f, info); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return s.begin(ctx, frames, whole)
	}
	s.step("append")
	if _, err = f.WriteAt(frames, end); err == nil {
		err = f.Truncate(end + int64(len(frames)))
	}
	if e := f.Close(); err == nil {
		err = e
	}
	s.known = journalState{}
	if err != nil {
		return err
	}
	s.known = journalState{info, end + int64(len(frames))}
	if s.known.size > 2*s.live+s.maxIdle {
		s.compactSoon()
	}
	return nil
}

// begin creates a journal from frames if they contain all files of the log, otherwise
// from the log.
func (s *JSONStore) begin(ctx context.Context, frames []byte, whole bool) error {
	if whole {
		return s.replaceJournal(append([]byte(journalHeader), frames...))
	}
	all, err := s.loadLog(ctx)
	if err != nil {
		return err
	}
	return s.rewrite(all, frames) // the log lacks what is no UTF-8
}

// end returns the offset of the next frame. It reads the journal if another process may
// have changed it.
func (s *JSONStore) end(f *os.File, info os.FileInfo) (int64, error) {
	if s.known.info != nil && s.known.size > 0 && s.known.size == info.Size() && os.SameFile(s.known.info, info) {
		return s.known.size, nil
	}
	return journalEnd(f, info.Size())
}

// rewrite replaces the journal by one with files, followed by frames.
func (s *JSONStore) rewrite(files []*File, frames []byte) error {
	w := frameWriter{out: []byte(journalHeader)}
	for _, f := range files {
		size, err := w.file(f)
		if err != nil {
			return err
		}
		s.resize(f.Path, size)
	}
	w.flush()
	return s.replaceJournal(append(w.out, frames...))
}

func (s *JSONStore) replaceJournal(data []byte) error {
	s.known = journalState{}
	return s.replace(journalName, data)
}
