// Package standin tests executors. The test program replaces the agent program: [Main]
// makes it print recorded streams, [Run] runs an agent with it, and [Same] compares the
// events with a summary of one line per event.
package standin

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

const (
	// argument is the first argument of a test program that replaces an agent program.
	argument = "stand-in"
	// streams is an environment variable: the directory of the recorded streams.
	streams = "DOUGU_TEST_STREAMS"
)

// Main is the TestMain of a package. A test program that replaces an agent program prints
// the result of answer for its arguments and prompt. If the result is empty, it prints the
// recorded stream PROMPT.jsonl; if there is none, it prints failure to standard error and
// exits with code 1.
func Main(m *testing.M, failure string, answer func(args []string, prompt string) string) {
	process.Supervise()
	if len(os.Args) > 1 && os.Args[1] == argument {
		os.Exit(play(failure, answer))
	}
	goleak.VerifyTestMain(m)
}

// play replaces the agent program and returns the exit code.
func play(failure string, answer func(args []string, prompt string) string) int {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if text := answer(os.Args[2:], string(prompt)); text != "" {
		fmt.Println(text)
		return 0
	}
	stream, err := os.ReadFile(filepath.Join(os.Getenv(streams), string(prompt)+".jsonl"))
	if err != nil {
		fmt.Fprintln(os.Stderr, failure)
		return 1
	}
	_, _ = os.Stdout.Write(stream)
	return 0
}

// Program returns the command line with which the test program replaces an agent program.
func Program(t testing.TB) (path string, args []string, process command.Options) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path, []string{argument}, command.Options{Begin: time.Minute}
}

// New creates an executor and closes it at the end of the test.
func New[O any, X io.Closer](t testing.TB, make func(O) (X, error), o O) X {
	t.Helper()
	x, err := make(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// Run runs an agent to its end, and returns its exit and its events without Output. Without
// Spec.Dir it uses an empty directory.
func Run(t testing.TB, x executor.Executor, s executor.Spec) (executor.Exit, []executor.Event) {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	// A program with the race detector otherwise sleeps for a second before it exits.
	s.AgentID, s.Env = "agent-1", append(s.Env, streams+"="+dir, "GORACE=atexit_sleep_ms=0")
	var told []executor.Event
	exit, err := x.Run(t.Context(), s, func(e executor.Event) {
		if e.Kind != executor.Output {
			told = append(told, e)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return exit, told
}
