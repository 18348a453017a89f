//go:build unix

package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignals sends signals to servers.
func TestSignals(t *testing.T) {
	t.Parallel()
	fixture := build(t, "./fixture")
	for name, signal := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": os.Interrupt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, fixture)
			s.send(modernCall(1, "hold", `{"key":"k"}`))
			s.stderr.said(t, "holding k")
			if err := s.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			s.ends() // with its input still open
			s.stderr.said(t, "fixture: cancelled k")
		})
	}
}

// TestBrokenPipes tests servers whose client has closed an output stream.
func TestBrokenPipes(t *testing.T) {
	t.Parallel()
	fixture := build(t, "./fixture")

	t.Run("standard output", func(t *testing.T) {
		t.Parallel()
		cmd, p := launch(t, fixture)
		p.stdout.Close()
		s := attend(t, cmd, p.stdin, nil, follow("standard error", p.stderr))
		s.send(modernCall(1, "hold", `{"key":"k"}`))
		s.stderr.said(t, "holding k")
		// A process that another test forks may keep the pipe open for a moment. The server must write until the pipe breaks.
		late := time.Now().Add(patience)
		for id := 2; s.running() && time.Now().Before(late); id++ {
			_, _ = fmt.Fprintln(s.stdin, modernCall(id, "echo", `{"text":"x"}`))
		}
		if state := s.waits(); state.ExitCode() < 0 {
			t.Errorf("the server ended with %v; nobody reads it, but it has to put its things in order", state)
		}
		s.stderr.said(t, "fixture: cancelled k")
	})

	// A closed standard error must not end the server.
	t.Run("standard error", func(t *testing.T) {
		t.Parallel()
		cmd, p := launch(t, fixture)
		p.stderr.Close()
		s := attend(t, cmd, p.stdin, follow("standard output", p.stdout), nil)
		s.send(modernCall(1, "print", `{"text":"x"}`), modernCall(2, "crash", `{}`))
		s.answer(1)
		s.answer(2)
		s.send(modernCall(3, "echo", `{"text":"still here"}`))
		if m := s.answer(3); !strings.Contains(string(m.Result), "still here") {
			t.Errorf("the answer after the broken pipe: %+v", m)
		}
		s.stdin.Close()
		s.ends()
	})
}

// TestProcess_ChildOutlivesServer starts a child that inherits the server's standard output and keeps running. The client sees the end of
// the output when the server ends.
func TestProcess_ChildOutlivesServer(t *testing.T) {
	t.Parallel()
	fixture := build(t, "./fixture")
	leash, end, err := os.Pipe() // the child runs until end is closed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leash.Close(); end.Close() })
	s := start(t, fixture, leash)
	s.send(modernCall(1, "spawn", `{"text":"I stay","linger":true}`))
	s.answer(1)
	s.stderr.said(t, "I stay")
	s.stdin.Close()
	s.ends()
	if _, ended, _ := s.stderr.now(); ended {
		t.Error("standard error has ended, so the child has not stayed, and the test has shown nothing")
	}
	end.Close()
	s.stderr.all(t) // ends with the child
}
