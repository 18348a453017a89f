//go:build unix

package process_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

// hang is how long nothing may take.
const hang = 30 * time.Second

// watched is a captured process and its output so far.
type watched struct {
	*process.Captured
	mu      sync.Mutex
	said    [2]bytes.Buffer
	changed chan struct{}
}

// capture runs a line of shell.
func capture(t testing.TB, script string, o process.CaptureOptions) *watched {
	t.Helper()
	w := &watched{changed: make(chan struct{}, 1)}
	o.Output = func(s process.Stream, p []byte) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said[s].Write(p)
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
	c, err := process.Capture(exec.Command("/bin/sh", "-c", script), o)
	if err != nil {
		t.Fatal(err)
	}
	w.Captured = c
	t.Cleanup(func() { _ = c.Close() })
	return w
}

func (w *watched) text(s process.Stream) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said[s].String()
}

// await waits until the process has said something on standard output.
func (w *watched) await(t testing.TB, words string) string {
	t.Helper()
	timeout := time.After(hang)
	for {
		if all := w.text(process.Stdout); strings.Contains(all, words) {
			return all
		}
		select {
		case <-w.changed:
		case <-timeout:
			t.Fatalf("it does not say %q, but %q and %q", words, w.text(process.Stdout), w.text(process.Stderr))
		}
	}
}

func wait(t testing.TB, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(hang):
		t.Fatal("it does not end")
	}
}

func TestCapture_Output(t *testing.T) {
	for _, tt := range []struct {
		script, stdout, stderr string
		exit                   process.Exit
	}{
		{"echo out; echo err >&2", "out\n", "err\n", process.Exit{}},
		{"printf half; exit 3", "half", "", process.Exit{Code: 3}},
		{"kill -9 $$", "", "", process.Exit{Code: 137, Signal: "SIGKILL"}},
		{"cat; test -t 0 || echo no terminal", "no terminal\n", "", process.Exit{}},
		{"nosuchcommand-of-any-kind 2>/dev/null", "", "", process.Exit{Code: 127}},
	} {
		w := capture(t, tt.script, process.CaptureOptions{})
		wait(t, w.Ended())
		wait(t, w.Drained())
		if got := w.Exit(); got != tt.exit || w.text(process.Stdout) != tt.stdout || w.text(process.Stderr) != tt.stderr {
			t.Errorf("%s: %+v, %q, %q", tt.script, got, w.text(process.Stdout), w.text(process.Stderr))
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: closing it: %v", tt.script, err)
		}
	}
}

// The lines of both streams keep their order in one pipe.
func TestCapture_Merge(t *testing.T) {
	w := capture(t, "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done", process.CaptureOptions{Merge: true})
	wait(t, w.Drained())
	var want strings.Builder
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&want, "out %d\nerr %d\n", i, i)
	}
	if got := w.text(process.Stdout); got != want.String() || w.text(process.Stderr) != "" {
		t.Errorf("captured %q and %q, want %q in the first stream", got, w.text(process.Stderr), want.String())
	}
}

// TestCapture_OutputBeforeExit checks that output just before the exit is not lost.
func TestCapture_OutputBeforeExit(t *testing.T) {
	for range 500 {
		w := capture(t, "echo a reason >&2; exit 1", process.CaptureOptions{})
		wait(t, w.Ended())
		if got := w.text(process.Stderr); got != "a reason\n" {
			t.Fatalf("it said %q", got)
		}
		_ = w.Close()
	}
}

func TestCapture_OutputHeldOpen(t *testing.T) {
	w := capture(t, "(sleep 0.3; echo later; sleep 1000) & echo now", process.CaptureOptions{Linger: time.Millisecond})
	wait(t, w.Ended())
	select {
	case <-w.Drained():
		t.Error("nobody holds the output")
	default:
	}
	if !w.Left() {
		t.Error("nothing is left")
	}
	w.await(t, "later\n") // later output is still forwarded
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	wait(t, w.Drained())
	if w.Left() {
		t.Error("something is left")
	}
}

func TestCaptured_Input(t *testing.T) {
	w := capture(t, "read name; echo hello $name; cat", process.CaptureOptions{Input: true})
	if _, err := w.Write([]byte("you\n")); err != nil {
		t.Fatal(err)
	}
	w.await(t, "hello you\n")
	if _, err := w.Write([]byte("the rest")); err != nil {
		t.Fatal(err)
	}
	if err := w.CloseInput(); err != nil {
		t.Fatal(err)
	}
	wait(t, w.Ended())
	if got := w.text(process.Stdout); got != "hello you\nthe rest" {
		t.Errorf("it said %q", got)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, process.ErrNoInput) {
		t.Errorf("writing to it: %v", err)
	}
	none := capture(t, "true", process.CaptureOptions{})
	if _, err := none.Write([]byte("x")); !errors.Is(err, process.ErrNoInput) {
		t.Errorf("writing to one without an input: %v", err)
	}
}

// The shell must not start a process meanwhile: dash loses a signal that arrives while it does. A caller of the test
// may ignore HUP, which no shell can trap then.
func TestCaptured_Signal(t *testing.T) {
	w := capture(t, `trap 'echo one' USR1; trap 'echo two' USR2; echo ready; sleep 300 & while :; do wait; done`, process.CaptureOptions{})
	w.await(t, "ready")
	for signal, says := range map[process.Signal]string{process.User1: "one", process.User2: "two"} {
		if err := w.Signal(signal); err != nil {
			t.Fatal(err)
		}
		w.await(t, says)
	}
	if err := w.Signal("NONE"); !errors.Is(err, process.ErrSignal) {
		t.Errorf("an unknown signal: %v", err)
	}
	if err := w.Stop(process.Terminate, hang); err != nil {
		t.Fatal(err)
	}
	if got := w.Exit(); got.Signal != "SIGTERM" {
		t.Errorf("it ended with %+v", got)
	}
}

func TestCaptured_StopKills(t *testing.T) {
	w := capture(t, `trap '' TERM INT; echo ready; while :; do sleep 0.02; done`, process.CaptureOptions{})
	w.await(t, "ready")
	if err := w.Stop(process.Interrupt, 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got := w.Exit(); got.Signal != "SIGKILL" {
		t.Errorf("it ended with %+v", got)
	}
}

func TestCapture_Errors(t *testing.T) {
	if _, err := process.Capture(exec.Command("/none/such"), process.CaptureOptions{Input: true}); err == nil || !strings.Contains(err.Error(), "/none/such") {
		t.Errorf("starting it: %v", err)
	}
	refused := errors.New("not here")
	if _, err := process.Capture(exec.Command("/bin/sh"), process.CaptureOptions{Wrap: func(*exec.Cmd) error { return refused }}); !errors.Is(err, refused) {
		t.Errorf("wrapping it: %v", err)
	}
	if _, err := process.StartWith(exec.Command("/bin/sh"), process.Options{Wrap: func(*exec.Cmd) error { return refused }}); !errors.Is(err, refused) {
		t.Errorf("wrapping a child: %v", err)
	}
}

// A slow reader gets all that the process has written, though the process has ended long before.
func TestCapture_SlowReader(t *testing.T) {
	var got atomic.Int64
	c, err := process.Capture(exec.Command("/bin/sh", "-c", "head -c 60000 /dev/zero"), process.CaptureOptions{Linger: 10 * time.Millisecond, Output: func(_ process.Stream, p []byte) {
		time.Sleep(50 * time.Millisecond)
		got.Add(int64(len(p)))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wait(t, c.Ended())
	if n := got.Load(); n != 60000 {
		t.Errorf("%d of 60000 bytes were handed on before the end", n)
	}
}
