// Package standin tests executors. The test program replaces the agent program: [Main]
// makes it print recorded streams, [Run] runs an agent with it, and [Same] compares the
// events with a summary of one line per event.
package standin

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
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
	if len(os.Args) > 1 && os.Args[1] == child {
		time.Sleep(time.Hour)
	}
	goleak.VerifyTestMain(m)
}

// Beginnings of a prompt that change how the test program prints the recorded stream that the
// rest of the prompt names.
const (
	endless = "endless: " // it prints the first line, starts a child process, and does not end
	hostile = "hostile: " // it prints executortest.Noise first
)

// child is the first argument of a test program that sleeps, as a child process of an agent.
const child = "stand-in-child"

// play replaces the agent program and returns the exit code.
func play(failure string, answer func(args []string, prompt string) string) int {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if text := answer(os.Args[2:], string(input)); text != "" {
		fmt.Println(text)
		return 0
	}
	prompt, isEndless := strings.CutPrefix(string(input), endless)
	prompt, isHostile := strings.CutPrefix(prompt, hostile)
	stream, err := os.ReadFile(filepath.Join(os.Getenv(streams), prompt+".jsonl"))
	if err != nil {
		fmt.Fprintln(os.Stderr, failure)
		return 1
	}
	if isEndless {
		return hang(stream)
	}
	if isHostile {
		_, _ = os.Stdout.Write(executortest.Noise())
	}
	_, _ = os.Stdout.Write(stream)
	return 0
}

// hang prints the first line of a stream, starts a child process, and sleeps.
func hang(stream []byte) int {
	if err := exec.Command(os.Args[0], child).Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	first, _, _ := bytes.Cut(stream, []byte("\n"))
	fmt.Printf("%s\n", first)
	time.Sleep(time.Hour)
	return 0
}

// Harness returns the harness of package executortest for an executor whose program is the test program, with the
// recorded streams normal, which ends with answer, and failure. missing returns the executor for a program that does not
// exist.
func Harness(t *testing.T, open, missing func(*testing.T) executor.Executor, answer, failure string) executortest.Harness {
	t.Helper()
	s := environment(t, executor.Spec{Trust: true})
	return executortest.Harness{
		New: open, Missing: missing, Spec: s, Answers: map[string]string{"normal": answer},
		Failure: failure, Endless: endless + "normal", Hostile: hostile + "normal", Resumes: true,
	}
}

// environment returns s with the variables that the test program needs.
func environment(t testing.TB, s executor.Spec) executor.Spec {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	// A program with the race detector otherwise sleeps for a second before it exits.
	s.Env = append(s.Env, streams+"="+dir, "GORACE=atexit_sleep_ms=0")
	return s
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
	s = environment(t, s)
	s.AgentID = "agent-1"
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
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
