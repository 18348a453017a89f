package e2e

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is the timeout of all waiting. It is reached only if a process hangs.
const patience = 2 * time.Minute

// stream collects the output lines of a process.
type stream struct {
	name string

	mu    sync.Mutex
	lines []string
	ended bool
	more  chan struct{} // closed at the next line or the end
}

// follow reads r to its end and closes it.
func follow(name string, r io.ReadCloser) *stream {
	s := &stream{name: name, more: make(chan struct{})}
	go func() {
		defer r.Close()
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadString('\n')
			s.add(line, err != nil)
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *stream) add(line string, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line != "" {
		s.lines = append(s.lines, strings.TrimSuffix(line, "\n"))
	}
	s.ended = last
	close(s.more)
	s.more = make(chan struct{})
}

func (s *stream) now() (lines []string, ended bool, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.lines), s.ended, s.more
}

// until waits for a line that fits returns true for.
func (s *stream) until(t *testing.T, what string, fits func(line string) bool) string {
	t.Helper()
	late := time.After(patience)
	for seen := 0; ; {
		lines, ended, more := s.now()
		if i := slices.IndexFunc(lines[seen:], fits); i >= 0 {
			return lines[seen+i]
		}
		seen = len(lines)
		if ended {
			t.Fatalf("%s has ended without %s; its end:\n%s", s.name, what, tail(strings.Join(lines, "\n")))
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("%s is still without %s after %v; its end:\n%s", s.name, what, patience, tail(strings.Join(lines, "\n")))
		}
	}
}

// said waits for a line that contains words.
func (s *stream) said(t *testing.T, words string) {
	t.Helper()
	s.until(t, "the words "+words, func(line string) bool { return strings.Contains(line, words) })
}

// all waits for the end and returns every line.
func (s *stream) all(t *testing.T) []string {
	t.Helper()
	late := time.After(patience)
	for {
		lines, ended, more := s.now()
		if ended {
			return lines
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("%s has not ended after %v; its end:\n%s", s.name, patience, tail(strings.Join(lines, "\n")))
		}
	}
}
