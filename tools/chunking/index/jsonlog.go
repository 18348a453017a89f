package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/dougu-go/dougu/tools/internal/plural"
)

// The log is a text file of JSON objects, one per line. A line describes one source
// file in the format of File.AppendJSON, removes one, or gives one other times. Each save appends
// lines; the last line for a path is valid. An incomplete last line is the result of a crash.
const (
	logName = "chunks.jsonl"
	// maxLog is the upper limit of the size of a log in bytes.
	maxLog = 1 << 30
	// logPart is the number of bytes that are written at once.
	logPart = 1 << 20
	// readPart is the number of bytes of one read; several reads run concurrently.
	readPart = 4 << 20
	// linesAtOnce is the number of lines that a goroutine decodes at once.
	linesAtOnce = 64
)

// logLines are the valid lines of a log.
type logLines struct {
	all     []logLine
	damaged int   // number of lines that are not as they were written
	foreign int   // number of lines of other versions
	end     int64 // offset after the last complete line
}

// logLine is one line of a log.
type logLine struct {
	*line   // nil if err is set
	data    []byte
	at      int64
	err     error
	touched *logLine // a later line with other times, or nil
}

// cutLog splits a log and keeps the last lines of each path.
func cutLog(data []byte) logLines {
	var lines logLines
	for at := 0; at < len(data); {
		size := bytes.IndexByte(data[at:], '\n') + 1
		if size == 0 {
			size = len(data) - at
		} else {
			lines.end = int64(at + size)
		}
		lines.all = append(lines.all, logLine{data: data[at : at+size], at: int64(at)})
		at += size
	}
	parallel((len(lines.all)+linesAtOnce-1)/linesAtOnce, 1, func(i int) {
		for n := i * linesAtOnce; n < min((i+1)*linesAtOnce, len(lines.all)); n++ {
			one := &lines.all[n]
			one.line, one.err = cutLine(one.data)
		}
	})
	lines.keepLast()
	return lines
}

// keepLast removes the lines that are damaged, foreign, or replaced by later ones.
func (l *logLines) keepLast() {
	last := make(map[string]*logLine, len(l.all))
	for i := range l.all {
		one := &l.all[i]
		switch {
		case errors.Is(one.err, errVersion):
			l.foreign++
		case one.err != nil:
			l.damaged++
		case one.isRemoved():
			delete(last, one.path)
		case !one.isTouched():
			last[one.path] = one
		case last[one.path] != nil:
			last[one.path].touched = one
		}
	}
	kept := make([]logLine, 0, len(last))
	for i := range l.all {
		if one := &l.all[i]; one.err == nil && last[one.path] == one {
			kept = append(kept, *one)
		}
	}
	l.all = kept
}

// files decodes the lines. The files refer to the log for their details. Lines that no AppendJSON can
// have written count as damaged and are removed.
func (l *logLines) files(ctx context.Context, log io.ReaderAt) []*File {
	files := make([]*File, len(l.all))
	parallel((len(l.all)+linesAtOnce-1)/linesAtOnce, 1, func(i int) {
		r := newLineReader()
		for n := i * linesAtOnce; n < min((i+1)*linesAtOnce, len(l.all)) && ctx.Err() == nil; n++ {
			files[n] = l.all[n].file(r, log)
		}
	})
	kept, lines := files[:0], l.all[:0]
	for i, f := range files {
		if f == nil {
			l.damaged++
			continue
		}
		kept, lines = append(kept, f), append(lines, l.all[i])
	}
	l.all = lines
	return kept
}

// file decodes a line with its later times. It returns nil for an invalid line.
func (l *logLine) file(r *lineReader, log io.ReaderAt) *File {
	f, err := r.file(l.line, log, l.at)
	if err != nil {
		return nil
	}
	if l.touched != nil {
		r.touch(l.touched.line, f)
	}
	return f
}

// size is the number of bytes of the line and of the line with other times.
func (l *logLine) size() int {
	size := len(l.data)
	if l.touched != nil {
		size += len(l.touched.data)
	}
	return size
}

// openLog opens the log for reading. The error is fs.ErrNotExist if there is none.
func (s *JSONStore) openLog() (*os.File, os.FileInfo, error) {
	if s.dir == nil {
		return nil, nil, fs.ErrNotExist
	}
	f, info, err := openRegular(s.dir, logName, os.O_RDONLY)
	if err == nil && info.Size() > maxLog {
		err = errors.Join(fmt.Errorf("%s has %d bytes, more than it can have", logName, info.Size()), f.Close())
	}
	return f, info, err
}

// loadLog returns the files of the log. The log stays open, because details are read on demand.
func (s *JSONStore) loadLog(ctx context.Context) ([]*File, error) {
	log, info, err := s.openLog()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.logs = append(s.logs, log)
	data, err := s.readLog(ctx, log, info.Size())
	if err != nil {
		return nil, err
	}
	room := headroom(2 * int64(len(data)))
	defer runtime.KeepAlive(room)
	lines := cutLog(data)
	files := lines.files(ctx, log)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.live = 0
	clear(s.entries)
	for i, f := range files {
		s.enter(f, lines.all[i].size())
	}
	s.stale = lines.damaged > 0 || len(data) == 0
	s.foreign = lines.foreign > 0 && len(files) == 0
	switch {
	case len(data) == 0:
		return nil, fmt.Errorf("%w: %s is empty", ErrDamaged, s.logPath())
	case lines.damaged > 0:
		return files, fmt.Errorf("%w: %s of %s cannot be read, %d can", ErrDamaged, plural.Count(lines.damaged, "entry"), s.logPath(), len(files))
	case lines.foreign > 0:
		s.log.InfoContext(ctx, "the saved chunks are not used; the files are read again", "directory", s.path, "reason", errVersion)
	}
	return files, nil
}

// readLog reads the log. If its last line is incomplete, another process may be writing it: it is read again with the lock.
func (s *JSONStore) readLog(ctx context.Context, log *os.File, size int64) ([]byte, error) {
	data, err := readAll(log, size)
	if err != nil || len(data) == 0 || data[len(data)-1] == '\n' || s.readOnly {
		return data, err
	}
	err = s.locked(ctx, func() error {
		info, err := log.Stat()
		if err == nil {
			data, err = readAll(log, info.Size())
		}
		return err
	})
	return data, err
}

// readAll reads a file of a size. The result is shorter if the file was truncated meanwhile.
func readAll(f io.ReaderAt, size int64) ([]byte, error) {
	data := make([]byte, size)
	parts := (len(data) + readPart - 1) / readPart
	read, errs := make([]int, parts), make([]error, parts)
	parallel(parts, 1, func(i int) {
		from := i * readPart
		read[i], errs[i] = f.ReadAt(data[from:min(from+readPart, len(data))], int64(from))
	})
	for i, err := range errs {
		if err == io.EOF && read[i] < min(readPart, len(data)-i*readPart) {
			return data[:i*readPart+read[i]], nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	return data, nil
}

// appendLog appends the lines of changed files and of removed paths. The caller holds the lock.
func (s *JSONStore) appendLog(ctx context.Context, changed []*File, removed []string) error {
	f, info, err := openRegular(s.dir, logName, os.O_RDWR)
	if err != nil || s.foreign {
		if err == nil {
			f.Close()
		}
		return s.beginLog(ctx, changed)
	}
	end := info.Size()
	w := s.lineWriter(io.NewOffsetWriter(f, end))
	defer s.keepRoom(w)
	if last := []byte{'\n'}; end > 0 {
		if _, err := f.ReadAt(last, end-1); err != nil || last[0] != '\n' {
			w.buf = append(w.buf, '\n') // ends the incomplete line of a crashed process
		}
	}
	s.step("append")
	if s.writeLines(ctx, w, changed, removed); w.err != nil {
		_ = f.Truncate(end) // a remaining partial line would count as damaged
	}
	if err := errors.Join(w.err, f.Close()); err != nil {
		return err
	}
	if info.Size()+w.written > s.live+s.live/4+s.maxIdle || s.stale {
		s.compactSoon()
	}
	return nil
}

// beginLog makes a new log of changed files.
func (s *JSONStore) beginLog(ctx context.Context, changed []*File) error {
	d, err := s.draft()
	if err != nil {
		return err
	}
	s.live = 0
	clear(s.entries)
	w := s.lineWriter(d.file)
	defer s.keepRoom(w)
	s.writeLines(ctx, w, changed, nil)
	if err := d.place(logName, w.err); err != nil {
		clear(s.entries)
		return err
	}
	s.foreign, s.stale = false, false
	return nil
}

// writeLines writes one line for each changed file and each removed path.
func (s *JSONStore) writeLines(ctx context.Context, w *lineWriter, changed []*File, removed []string) {
	for _, f := range changed {
		before := len(w.buf)
		if old, ok := s.entries[f.Path]; ok && f.touched && old.hash == f.Hash && old.fingerprint == f.fingerprint {
			w.buf = f.appendTouched(w.buf)
			s.enter(f, old.line+len(w.buf)-before)
		} else if b, err := f.AppendJSON(w.buf); err == nil {
			w.buf = b
			s.enter(f, len(b)-before)
		} else {
			s.log.DebugContext(ctx, "the detail of a file is lost; the file is parsed again at the next start", "path", f.Path, "error", err)
		}
		if w.flush(logPart); w.err == nil {
			w.err = ctx.Err()
		}
		if w.err != nil {
			return
		}
	}
	for _, path := range removed {
		w.buf = appendRemoved(w.buf, path)
		s.live -= int64(s.entries[path].size)
		delete(s.entries, path)
	}
	w.flush(1)
}

// lineWriter writes lines in large blocks. err is the first error; later writes do
// nothing.
type lineWriter struct {
	to      io.Writer
	buf     []byte
	written int64
	err     error
}

// flush writes the buffer if it has at least some bytes.
func (w *lineWriter) flush(least int) {
	if len(w.buf) < least {
		return
	}
	if w.err == nil {
		_, w.err = w.to.Write(w.buf)
	}
	w.written += int64(len(w.buf))
	w.buf = w.buf[:0]
}

func (s *JSONStore) lineWriter(to io.Writer) *lineWriter {
	w := &lineWriter{to: to, buf: s.room[:0]}
	s.room = nil
	return w
}

func (s *JSONStore) keepRoom(w *lineWriter) {
	if cap(w.buf) <= 4*logPart {
		s.room = w.buf
	}
}
