package build

import (
	"bytes"
	"io"
	"sync"
)

// Matcher parses the output of a build and collects its problems. It is safe for concurrent use.
//
// Write accepts the output as one stream, split anywhere. For separate stdout and stderr, use one writer of Stream for each, so
// that their lines are not mixed. The problems are collected together. Call Close at the end of the output: the last problem
// can be incomplete before.
type Matcher struct {
	// Root is the directory of the project, as its tools call it, that files are
	// named relative to; the directory of the build if empty. Set it before the
	// first Write.
	Root string
	// Exists reports whether a file exists; the name has slashes and is relative to Root. The Matcher calls it at most a few
	// thousand times, for tools that print incomplete paths, for example Java test frameworks. Without it, incomplete paths
	// stay unchanged. Set it before the first Write.
	Exists func(name string) bool

	system System
	dir    string

	mu      sync.Mutex
	report  *report
	main    *stream
	streams []*stream
}

// NewMatcher makes a matcher for the output of a system in a directory. The system
// decides how lines are read that can mean different things; output of all tools is
// understood with each, as builders call one another. The directory is where the
// build runs, as its tools call it: files named relative to it are found.
func NewMatcher(s System, dir string) *Matcher { return &Matcher{system: s, dir: dir} }

// Write takes more of the output. It never fails.
func (m *Matcher) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.main == nil {
		m.main = m.stream()
	}
	m.main.write(p)
	return len(p), nil
}

// Stream gives a writer, that never fails, for a part of the output that comes beside
// the others.
func (m *Matcher) Stream() io.Writer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return streamWriter{m, m.stream()}
}

type streamWriter struct {
	m *Matcher
	s *stream
}

func (w streamWriter) Write(p []byte) (int, error) {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.s.write(p)
	return len(p), nil
}

// Close says that the output has ended, and so has its last line. It never fails.
func (m *Matcher) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		s.end()
	}
	return nil
}

// Problems returns the distinct problems so far, in the order of the output. A consequence, for example "Error 1" of make, is
// omitted if its cause is known. At most 500 errors and 500 warnings are kept.
func (m *Matcher) Problems() []Problem {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report == nil {
		return nil
	}
	return m.report.problems()
}

// Omitted is how many more problems there were than are kept.
func (m *Matcher) Omitted() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report == nil {
		return 0
	}
	return m.report.omitted
}

func (m *Matcher) stream() *stream {
	if m.report == nil {
		m.report = newReport(m.system, m.dir, m.Root, m.Exists)
	}
	s := &stream{report: m.report, parsers: parsers()}
	m.streams = append(m.streams, s)
	return s
}

// maxLine is the most bytes of a line that are parsed; the rest is skipped.
const maxLine = 64 << 10

// stream is one sequence of lines.
type stream struct {
	report  *report
	parsers []parser
	focus   parser // the parser with an open block, which gets the next line first; or nil

	line  []byte // the beginning of a line that has not ended
	blank bool   // the last line was empty: more of them say nothing
	cr    bool   // the last byte was a carriage return, which has ended a line
}

func (s *stream) write(p []byte) {
	for len(p) > 0 {
		if s.cr {
			s.cr = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		piece, rest, ended := p, []byte(nil), false
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			piece, rest, ended = p[:i], p[i+1:], true
		}
		if i := bytes.IndexByte(piece, '\r'); i >= 0 {
			piece, rest, ended, s.cr = p[:i], p[i+1:], true, true
		}
		p = rest
		piece = piece[:min(len(piece), maxLine-len(s.line))]
		switch {
		case !ended:
			s.line = append(s.line, piece...)
		case len(s.line) == 0:
			s.take(piece)
		default:
			s.line = append(s.line, piece...)
			s.take(s.line)
			s.line = s.line[:0]
		}
	}
}

// take gives a line to the parsers. It ignores an empty line that a carriage return has
// ended, because progress bars and terminals write such lines.
func (s *stream) take(raw []byte) {
	if len(raw) == 0 && s.cr {
		return
	}
	text := string(plain(raw))
	s.report.tests.line(text)
	if text == "" && s.blank && s.focus == nil {
		return
	}
	s.blank = text == ""
	if s.focus != nil {
		switch s.focus.line(s.report, text) {
		case more:
			return
		case taken:
			s.release()
			return
		}
		s.release()
	}
	for _, p := range s.parsers {
		switch p.line(s.report, text) {
		case taken:
			return
		case more:
			s.focus = p
			return
		}
	}
}

func (s *stream) release() {
	p := s.focus
	s.focus = nil
	p.end(s.report)
}

func (s *stream) end() {
	if len(s.line) > 0 {
		s.take(s.line)
		s.line = nil
	}
	if s.focus != nil {
		s.release()
	}
	for _, p := range s.parsers {
		p.end(s.report)
	}
}
