package process

import (
	"strings"
	"sync"
)

const (
	// maxLastLines is the number of lines that LastLines keeps.
	maxLastLines = 5
	// maxLastLine is the longest line that is kept, in bytes; longer ones are cut.
	maxLastLine = 300
)

// LastLines keeps the last lines of a child's standard error for the error of its end.
// They may contain secrets. The zero value is ready; its methods may be called concurrently.
type LastLines struct {
	mu    sync.Mutex
	lines []string
}

// Add keeps a line that is not empty.
func (l *LastLines) Add(line string) {
	if line = strings.TrimSpace(strings.ToValidUTF8(line[:min(len(line), maxLastLine)], "")); line == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == maxLastLines {
		l.lines = l.lines[1:]
	}
	l.lines = append(l.lines, line)
}

// String returns the lines, joined by " | ".
func (l *LastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, " | ")
}

// After returns the way in which a process has ended and its last lines, for the sentence
// "it has ended with …".
func (l *LastLines) After(exit Exit) string {
	said := l.String()
	switch {
	case said != "":
		return exit.String() + " and said last: " + said
	case exit.Code != 0:
		return exit.String() + " and said nothing"
	}
	return exit.String()
}
