package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// The log is a text file of JSON objects, one per line. A line describes one source
// file in the format of File.AppendJSON, or removes one: version, path and
// "removed":true. Each save appends lines; the last line for a path is valid. An
// incomplete last line is the result of a crash.
const (
	logName = "chunks.jsonl"
	// maxLine is the upper limit of the length of a line in bytes.
	maxLine = 256 << 20
	// logPart is the number of bytes that are written at once.
	logPart = 1 << 20
)

var (
	lineHead    = []byte(`{"version":` + strconv.Itoa(jsonVersion) + `,"path":`)
	lineRemoved = []byte(`,"removed":true}`)
)

func appendRemoved(b []byte, path string) []byte {
	b = jsonx.AppendQuoted(append(b, lineHead...), path)
	return append(append(b, lineRemoved...), '\n')
}

// linePath returns the path of a line and the bytes after it. The final newline may be
// missing.
func linePath(line []byte) (path string, rest []byte, ok bool) {
	quoted, ok := bytes.CutPrefix(line, lineHead)
	if !ok || len(quoted) == 0 || quoted[0] != '"' {
		return "", nil, false
	}
	for at := 1; at < len(quoted); at++ {
		switch quoted[at] {
		case '\\':
			at++
		case '"':
			ok = json.Unmarshal(quoted[:at+1], &path) == nil
			return path, quoted[at+1:], ok && path != ""
		}
	}
	return "", nil, false
}

// lineWriter writes lines in large blocks. err is the first error; later writes do
// nothing.
type lineWriter struct {
	to  io.Writer
	buf []byte
	err error
}

func (w *lineWriter) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.to.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// lines writes one line for each changed file and each removed path.
func (w *lineWriter) lines(ctx context.Context, changed []*File, removed []string) {
	for _, f := range changed {
		w.buf, w.err = f.AppendJSON(w.buf)
		if len(w.buf) >= logPart {
			w.flush()
		}
		if w.err == nil {
			w.err = ctx.Err()
		}
		if w.err != nil {
			return
		}
	}
	for _, path := range removed {
		w.buf = appendRemoved(w.buf, path)
	}
	w.flush()
}

// appendLog appends lines to the log. The caller holds the lock. whole reports that a
// new log was created and contains nothing else.
func (s *JSONStore) appendLog(ctx context.Context, changed []*File, removed []string) (whole bool, err error) {
	f, info, err := openRegular(s.dir, logName, os.O_RDWR)
	if err != nil {
		return s.beginLog(ctx, changed, removed)
	}
	end := info.Size()
	w := s.lineWriter(io.NewOffsetWriter(f, end))
	defer s.keepRoom(w)
	if last := []byte{'\n'}; end > 0 {
		if _, err := f.ReadAt(last, end-1); err != nil || last[0] != '\n' {
			w.buf = append(w.buf, '\n') // ends the incomplete line of a crashed process
		}
	}
	if w.lines(ctx, changed, removed); w.err != nil {
		_ = f.Truncate(end) // a remaining partial line would be ignored
	}
	return false, errors.Join(w.err, f.Close())
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

// beginLog creates a log if there is no usable one, from the files of the journal and
// the new changes.
func (s *JSONStore) beginLog(ctx context.Context, changed []*File, removed []string) (whole bool, err error) {
	journal, known, err := s.readJournal(ctx)
	if err == nil {
		defer journal.Close()
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	known = slices.DeleteFunc(known, func(f *File) bool {
		_, err := f.load()
		return err != nil // the source file is parsed again on demand
	})
	d, err := s.draft()
	if err != nil {
		return false, err
	}
	w := s.lineWriter(d.file)
	defer s.keepRoom(w)
	w.lines(ctx, known, nil)
	if w.err == nil {
		w.lines(ctx, changed, removed)
	}
	return len(known) == 0, d.place(logName, w.err)
}

// loadLog returns the files of the log. Damaged lines are skipped and logged.
func (s *JSONStore) loadLog(ctx context.Context) ([]*File, error) {
	data, _, err := readFileLimited(s.dir, logName, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	damaged := 0
	last := map[string]int{}
	for line := range bytes.Lines(data) {
		path, rest, ok := linePath(line)
		if !ok || len(line) > maxLine {
			damaged++
			continue
		}
		at, again := last[path]
		if !again {
			at = len(lines)
			lines, last[path] = append(lines, nil), at
		}
		if lines[at] = line; bytes.Equal(bytes.TrimRight(rest, "\n"), lineRemoved) {
			lines[at] = nil
		}
	}
	files, bad := s.parseLines(ctx, lines)
	if damaged += bad; damaged > 0 {
		s.log.WarnContext(ctx, "lines of chunks cannot be used; their sources are parsed again", "lines", damaged)
	}
	return files, ctx.Err()
}

// parseLines parses lines concurrently. A nil line is skipped.
func (s *JSONStore) parseLines(ctx context.Context, lines [][]byte) (files []*File, damaged int) {
	read := make([]*File, len(lines))
	var bad atomic.Int64
	parallel(len(lines), 16, func(i int) {
		if lines[i] == nil || ctx.Err() != nil {
			return
		}
		f, err := ParseJSON(lines[i])
		if err != nil {
			bad.Add(1)
			s.log.DebugContext(ctx, "a line of chunks cannot be used; its source is parsed again", "error", err)
			return
		}
		read[i] = f
	})
	files = read[:0]
	for _, f := range read {
		if f != nil {
			files = append(files, f)
		}
	}
	return files, int(bad.Load())
}

// Intact reports whether log and journal still exist with at least the expected size.
func (s *JSONStore) Intact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return false
	}
	for _, name := range []string{logName, journalName} {
		info, err := s.dir.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() < s.live && name == journalName {
			return false
		}
	}
	return true
}
