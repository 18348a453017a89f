// Package waittest waits in tests: for conditions without a notification, by polling, and for calls, with a timeout.
package waittest

import (
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// timeout is the timeout of a condition; it is longer than any correct test takes.
	timeout = time.Minute
	// interval is the time between two evaluations of a condition.
	interval = 2 * time.Millisecond
)

// Until polls a condition until holds returns true. description completes sentences like "the file is found". The
// test fails after a timeout of one minute.
func Until(t testing.TB, description string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(timeout); !holds(); time.Sleep(interval) {
		if time.Now().After(deadline) {
			t.Fatal("timeout while waiting until " + description)
		}
	}
}

// KillOnceReady starts a command, waits until it has written the line "ready", and kills it some time later.
func KillOnceReady(t testing.TB, cmd *exec.Cmd, later time.Duration) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	time.Sleep(later)
	cmd.Process.Kill()
	cmd.Wait()
}

// Log is a text that is read while it is written. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the text written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logger writes all levels as JSON.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
