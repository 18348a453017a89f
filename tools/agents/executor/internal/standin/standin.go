// Package standin tests executors: test programs stand in for the programs that
// executors run, and what they tell is written down in brief.
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
	// argument is the first of a test program that stands in.
	argument = "stand-in"
	// streams is a variable with the directory of the streams that it plays.
	streams = "DOUGU_TEST_STREAMS"
)

// Main runs the tests of a package. Run to stand in, the program prints what answer
// makes of the prompt, or if that is nothing the stream that the prompt names; if
// there is no such stream it prints failure as an error.
func Main(m *testing.M, failure string, answer func(args []string, prompt string) string) {
	process.Supervise()
	if len(os.Args) > 1 && os.Args[1] == argument {
		os.Exit(play(failure, answer))
	}
	goleak.VerifyTestMain(m)
}

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

// Program is how the test program is run to stand in.
func Program(t testing.TB) (path string, args []string, process command.Options) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path, []string{argument}, command.Options{Begin: time.Minute}
}

// New makes an executor, and closes it with the test.
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

// Run runs an agent to its end, and answers what it has told but for its output. Its
// directory is an empty one if none is given.
func Run(t testing.TB, x executor.Executor, s executor.Spec) (executor.Exit, []executor.Event) {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	// With the race detector a program sleeps for a second before it ends.
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
