// Package waittest waits in tests for what nobody tells.
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
	// patience is only for what never happens: nothing is as slow as that.
	patience = time.Minute
	// between two looks there is so much.
	between = 2 * time.Millisecond
)

// Until looks again and again until something holds, which is said in words that
// complete a sentence, such as "the file is found". It fails the test when that does
// not happen.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(between) {
		if time.Now().After(deadline) {
			t.Fatal("it never happened that " + what)
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

// String is what was written until now.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logger writes all levels as JSON.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
