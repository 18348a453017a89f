// Package childrpc is the common part of sessions with child processes that speak a protocol over streams: language servers and debug
// adapters. A Life is one life of a process, with the first failure and the last words, and an Error is a failure in it. The protocols
// themselves are in packages lsp and dap.
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

// ErrClosed is a session that was ended by its owner.
var ErrClosed = errors.New("it was ended")

// Error is a failure of a process, as opposed to its refusal of a request.
type Error struct {
	Peer  string // the name of the process
	Doing string // the request; may be empty
	Gone  bool   // the process is gone
	Words string // the end of its output beside the protocol
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

// The end of the output beside the protocol is kept for errors.
const (
	maxWords = 12  // lines
	maxWord  = 400 // bytes of a line
)

// Life is one life of a process. Its methods may be called concurrently.
type Life struct {
	peer    string
	failing chan struct{} // closed with the first failure

	mu      sync.Mutex
	parting bool  // every failure is ErrClosed
	err     error // the first failure
	words   []string
	rest    string // of a line
}

// NewLife begins the life of a process that has a name.
func NewLife(peer string) *Life { return &Life{peer: peer, failing: make(chan struct{})} }

// Fail ends the life with the first error that it is called with.
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

// Part makes ErrClosed of every failure from now on: the owner has told the process to end.
func (l *Life) Part() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parting = true
}

// Failing is closed with the first failure.
func (l *Life) Failing() <-chan struct{} { return l.failing }

// Failure returns the first failure, or nil.
func (l *Life) Failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Explain says in place of the failure how the process has ended: exit, unless it is nil, if it has ended by itself, and else, after the
// end of its output, that it has closed a stream by this name.
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

// Gone returns the error of a request when the process is gone.
func (l *Life) Gone(doing string) error {
	return &Error{Peer: l.peer, Doing: doing, Err: l.Failure(), Gone: true, Words: l.Words()}
}

// Failed returns the error of a request of a process that goes on.
func (l *Life) Failed(doing string, err error) error {
	return &Error{Peer: l.peer, Doing: doing, Err: err}
}

// Hear keeps output of the process beside the protocol.
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

// HearLine keeps a line that the process writes beside the protocol.
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

// Words returns the last lines that the process has written beside the protocol.
func (l *Life) Words() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(strings.Join(l.words, "\n") + "\n" + truncate.Cut(l.rest, maxWord))
}
