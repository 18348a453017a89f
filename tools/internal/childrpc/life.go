// Package childrpc is the common part of sessions with child processes that speak a protocol over streams: language servers and
// debug adapters. [Life] records the first failure of a process and its last output; [Error] is a failure of the process.
// Packages lsp and dap implement the protocols.
package childrpc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/truncate"
)

// ErrClosed is the failure of a session that its owner has ended.
var ErrClosed = errors.New("it was ended")

// Error is a failure of a process. An error response to a request has another type.
type Error struct {
	Peer  string // the name of the process
	Doing string // the request; may be empty
	Gone  bool   // the process has ended
	Words string // last lines of the output beside the protocol
	Err   error
}

func (e *Error) Error() string {
	if e.Doing == "" {
		return fmt.Sprintf("%s: %v", e.Peer, e.Err)
	}
	return fmt.Sprintf("%s, %s: %v", e.Peer, e.Doing, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Limits of the output that is kept for errors.
const (
	maxWords = 12  // lines
	maxWord  = 400 // bytes of a line
)

// Life records the first failure and the last output of one process. Its methods are safe for concurrent use.
type Life struct {
	peer    string
	failing chan struct{} // closed with the first failure

	mu      sync.Mutex
	parting bool  // every failure becomes ErrClosed
	err     error // the first failure
	words   []string
	rest    string // incomplete last line
}

// NewLife returns the Life of a process with a name for errors.
func NewLife(peer string) *Life { return &Life{peer: peer, failing: make(chan struct{})} }

// Fail records the first failure; later ones are ignored.
func (l *Life) Fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	if l.err = err; l.parting {
		l.err = ErrClosed
	}
	close(l.failing)
}

// Part replaces every later failure by ErrClosed. The owner calls it before it asks the process to end.
func (l *Life) Part() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parting = true
}

// Failing returns a channel that is closed by the first failure.
func (l *Life) Failing() <-chan struct{} { return l.failing }

// Failure returns the first failure, or nil.
func (l *Life) Failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Explain replaces the recorded failure by the way the process ended. exit is its exit status, or nil. Without exit, the end of
// a stream is explained with the stream's name.
func (l *Life) Explain(exit *process.Exit, stream string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case exit != nil:
		l.err = fmt.Errorf("it has ended by itself with %s", *exit)
	case errors.Is(l.err, io.EOF):
		l.err = errors.New("it has closed its " + stream)
	}
}

// Gone returns the error of a request to an ended process.
func (l *Life) Gone(doing string) error {
	return &Error{Peer: l.peer, Doing: doing, Err: l.Failure(), Gone: true, Words: l.Words()}
}

// Failed returns the error of a request to a running process.
func (l *Life) Failed(doing string, err error) error {
	return &Error{Peer: l.peer, Doing: doing, Err: err}
}

// Hear records output beside the protocol, in parts of any length.
func (l *Life) Hear(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest)+len(p) > maxWords*maxWord {
		l.rest, p = "", p[max(0, len(p)-maxWords*maxWord):]
	}
	lines := strings.Split(l.rest+string(p), "\n")
	l.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		l.keep(line)
	}
}

// HearLine records one line of output beside the protocol.
func (l *Life) HearLine(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(line)
}

func (l *Life) keep(line string) {
	if line = strings.TrimSpace(line); line == "" {
		return
	}
	l.words = append(l.words, truncate.Cut(line, maxWord))
	if excess := len(l.words) - maxWords; excess > 0 {
		l.words = append(l.words[:0], l.words[excess:]...)
	}
}

// Words returns the last lines of the output beside the protocol, at most 12 of 400 bytes.
func (l *Life) Words() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(strings.Join(l.words, "\n") + "\n" + truncate.Cut(l.rest, maxWord))
}
