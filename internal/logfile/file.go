package logfile

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/rotate"
)

// Place is where a File writes.
type Place struct {
	// Name is the file's; the errors alone are also in a second one, "a.error.log"
	// for "a.log".
	Name string
	// Dir is the directory that Name is in; nil for a name as the system
	// understands it. It is closed with the files if it is an io.Closer.
	Dir rotate.Dir
	// Max is the size in bytes at which a file is rotated. Keep is the number of rotated files that are kept.
	Max  int64
	Keep int
}

// File is a handler that writes records as lines of JSON into a file that
// rotates. Where it writes can be changed at any time, for all loggers that were
// derived from it as well; as long as it has no place it discards.
type File struct {
	shared      *shared
	all, errors slog.Handler
}

// shared is the state that all handlers derived from a File share.
type shared struct {
	failed func(error)

	mu    sync.Mutex // guards the fields below
	place *Place
	files [2]*rotate.File // all records, and errors; nil without a place
	lost  [2]int          // for each file, the records lost since the last successful write
}

const (
	allRecords = iota
	errorRecords
)

// NewFile returns a File without a place. failed is called with the error when a
// record cannot be written to a file. It is not called for further failures until
// a record was written to this file again. It must not log to the File, and may be
// nil.
func NewFile(failed func(error)) *File {
	if failed == nil {
		failed = func(error) {}
	}
	s := &shared{failed: failed}
	// The level was checked before Handle is called, for example by a Switch.
	everything := &slog.HandlerOptions{Level: slog.Level(-1 << 30)}
	return &File{shared: s, all: slog.NewJSONHandler(line{s, allRecords}, everything), errors: slog.NewJSONHandler(line{s, errorRecords}, everything)}
}

// Use writes to a place from now on, and makes sure that this works. When it does
// not, the File goes on where it was, and the place is not used. nil is no place.
func (f *File) Use(p *Place) error {
	var next [2]*rotate.File
	if p != nil {
		for i, name := range []string{p.Name, errorName(p.Name)} {
			next[i] = &rotate.File{Name: name, Dir: p.Dir, Max: p.Max, Keep: p.Keep}
		}
		// The file of errors is opened by the first error, so that there is none without errors.
		if err := next[allRecords].Open(); err != nil {
			return err
		}
	}
	s := f.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.close()
	s.place, s.files, s.lost = p, next, [2]int{}
	return err
}

// errorName is the name of the file with errors.
func errorName(name string) string { return strings.TrimSuffix(name, ".log") + ".error.log" }

// Close closes the files. Later records are discarded.
func (f *File) Close() error { return f.Use(nil) }

func (s *shared) close() error {
	var failed *multierror.Error
	for _, file := range s.files {
		if file != nil {
			failed = multierror.Append(failed, file.Close())
		}
	}
	if s.place != nil {
		if c, ok := s.place.Dir.(io.Closer); ok {
			failed = multierror.Append(failed, c.Close())
		}
	}
	return failed.ErrorOrNil()
}

// Enabled implements slog.Handler.
func (f *File) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (f *File) Handle(ctx context.Context, r slog.Record) error {
	err := f.all.Handle(ctx, r)
	if r.Level >= slog.LevelError {
		err = errors.Join(err, f.errors.Handle(ctx, r))
	}
	return err
}

// WithAttrs implements slog.Handler.
func (f *File) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &File{f.shared, f.all.WithAttrs(attrs), f.errors.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (f *File) WithGroup(name string) slog.Handler {
	return &File{f.shared, f.all.WithGroup(name), f.errors.WithGroup(name)}
}

// line writes the lines of one of the files.
type line struct {
	*shared
	which int
}

// Write implements io.Writer. slog calls it once for every record. The returned
// length is always len(p), because a part of a line is never written again.
func (l line) Write(p []byte) (int, error) {
	first, err := l.append(p)
	if err != nil && first {
		l.failed(err)
	}
	return len(p), err
}

// append writes a line, and tells whether a failure is the first after success.
func (l line) append(p []byte) (first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file := l.files[l.which]
	if file == nil {
		return false, nil
	}
	if err := file.Append(p); err != nil {
		l.lost[l.which]++
		return l.lost[l.which] == 1, err
	}
	if lost := l.lost[l.which]; lost > 0 {
		l.lost[l.which] = 0
		return false, file.Append(lostLine(lost))
	}
	return false, nil
}

// lostLine is the record of records that were lost.
func lostLine(count int) []byte {
	var text strings.Builder
	slog.New(slog.NewJSONHandler(&text, nil)).Warn("records before the last could not be written", slog.Int("lost", count))
	return []byte(text.String())
}
