package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

const (
	lockName = "lock"
	// lockPatience is how long another process may hold the journal.
	lockPatience = 10 * time.Second
	// idle is how many bytes of the journal may be of no use, beyond as many as are
	// of use, before it is written anew.
	idle = 4 << 20
)

var errLocked = errors.New("another process does not let go of the lock file")

// locked runs do while no other process works on the journal.
func (s *JSONStore) locked(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errLocked)
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
		if err := wait.For(ctx, delay/2+rand.N(delay)); err != nil {
			return fmt.Errorf("locking the journal: %w", err)
		}
	}
}

// loadJournal reads the journal. fs.ErrNotExist says that there is none.
func (s *JSONStore) loadJournal(ctx context.Context) ([]*File, error) {
	data, info, err := readWhole(s.dir, journalName, maxJournal)
	if err != nil {
		return nil, err
	}
	files, sizes, err := decodeJournal(ctx, data)
	if err != nil {
		return nil, err
	}
	s.sizes, s.live = sizes, 0
	for _, size := range sizes {
		s.live += int64(size)
	}
	s.known = journalState{info, 0} // the end is looked for when it is written
	return files, nil
}

// loaded is what one frame holds.
type loaded struct {
	files []*File // nil where a path is forgotten or a file cannot be
	paths []string
	sizes []int
	err   error
}

// decodeJournal reads all files of a journal, and how much of it each has. It
// keeps data.
func decodeJournal(ctx context.Context, data []byte) ([]*File, map[string]int, error) {
	all, _, err := frames(data)
	if err != nil {
		return nil, nil, err
	}
	room := headroom(3 * int64(len(data)))
	defer runtime.KeepAlive(room)
	read := make([]loaded, len(all))
	parallel(len(all), 1, func(i int) {
		if ctx.Err() == nil {
			read[i] = decodeFrame(all[i])
		}
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	n := 0
	for _, frame := range read {
		n += len(frame.paths)
	}
	at, sizes := make(map[string]int, n), make(map[string]int, n)
	files := make([]*File, 0, n)
	for _, frame := range read {
		if frame.err != nil {
			return nil, nil, frame.err
		}
		for i, path := range frame.paths {
			if old, ok := at[path]; ok {
				files[old] = nil
			}
			delete(sizes, path)
			if f := frame.files[i]; f != nil {
				at[path], sizes[path] = len(files), frame.sizes[i]
				files = append(files, f)
			}
		}
	}
	kept := files[:0]
	for _, f := range files {
		if f != nil {
			kept = append(kept, f)
		}
	}
	return kept, sizes, nil
}

// decodeFrame reads the files of a frame. One that cannot be is left out.
func decodeFrame(frame []byte) (l loaded) {
	body, err := content(frame)
	if err != nil {
		return loaded{err: err}
	}
	var room *slabs
	l.err = records(body, func(chunks int, r record) {
		if room == nil {
			room = newSlabs(chunks)
		}
		l.paths = append(l.paths, r.path())
		l.sizes = append(l.sizes, r.size)
		l.files = append(l.files, r.file(room))
	})
	return l
}

// file reads the file of a record, or nil.
func (r record) file(room *slabs) *File {
	if r.kind != recordFile {
		return nil
	}
	both := new(struct {
		File
		parsed parse.File
	})
	both.File.File = &both.parsed
	read := reader{data: r.body}
	if err := read.file(&both.File, room); err != nil || len(read.data) > 0 {
		return nil
	}
	return &both.File
}

// add appends frames, which hold so many files, to the journal, which must be
// locked. It is written anew if too much of it is of no use.
func (s *JSONStore) add(ctx context.Context, frames []byte, files int) error {
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
		return s.begin(ctx, frames, files)
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
	if s.known.size > 2*s.live+idle {
		s.compactSoon()
	}
	return nil
}

// begin makes a journal where there is none that can be used: of the frames, if
// they hold all that was ever saved, else of the JSON files.
func (s *JSONStore) begin(ctx context.Context, frames []byte, files int) error {
	if s.bare && len(s.sizes) == files {
		return s.replaceJournal(append([]byte(journalHeader), frames...))
	}
	all, err := s.loadJSON(ctx)
	if err != nil {
		return err
	}
	return s.rewrite(all)
}

// end is where the next frame belongs. The whole journal is looked through if
// somebody else may have written to it.
func (s *JSONStore) end(f *os.File, info os.FileInfo) (int64, error) {
	if s.known.info != nil && s.known.size > 0 && s.known.size == info.Size() && os.SameFile(s.known.info, info) {
		return s.known.size, nil
	}
	return journalEnd(f, info.Size())
}

// rewrite makes the journal of files.
func (s *JSONStore) rewrite(files []*File) error {
	w := frameWriter{out: []byte(journalHeader)}
	for _, f := range files {
		s.resize(f.Path, w.file(f))
	}
	w.flush()
	return s.replaceJournal(w.out)
}

func (s *JSONStore) replaceJournal(data []byte) error {
	s.known = journalState{}
	return s.replace(journalName, data)
}
