package agentclients

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// terminal is a pseudo-terminal in which a program runs. It answers the questions of programs for the position of the cursor and for
// the kind of the terminal.
type terminal struct {
	file *os.File
	done chan struct{} // closed when the program has closed the terminal

	mu     sync.Mutex
	screen []byte // all output
}

// startTerminal starts a program in a terminal.
func startTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	opened, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	// Package pty leaves the terminal in blocking mode, in which Close waits for Read.
	fd, err := syscall.Dup(int(opened.Fd()))
	if err = errors.Join(err, opened.Close()); err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), opened.Name())
	term := &terminal{file: file, done: make(chan struct{})}
	go func() {
		defer close(term.done)
		buffer := make([]byte, 1<<16)
		for {
			n, err := file.Read(buffer)
			if err != nil {
				return
			}
			term.mu.Lock()
			term.screen = append(term.screen, buffer[:n]...)
			term.mu.Unlock()
			for question, answer := range map[string]string{"\x1b[6n": "\x1b[1;1R", "\x1b[c": "\x1b[?62;22c", "\x1b[?u": "\x1b[?0u"} {
				if strings.Contains(string(buffer[:n]), question) {
					term.write(answer)
				}
			}
		}
	}()
	t.Cleanup(term.close)
	return term
}

// close closes the terminal, as its window does.
func (t *terminal) close() {
	_ = t.file.Close()
	<-t.done
}

// write types keys.
func (t *terminal) write(keys string) { _, _ = t.file.WriteString(keys) }

// text returns the output up to now.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.screen)
}
