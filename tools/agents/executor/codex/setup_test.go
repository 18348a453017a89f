package codex_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// standIn is the argument with which the test program stands in for the Codex CLI: it prints the stream that the prompt names.
const standIn = "stand-in"

// streams is a variable with the directory of the streams.
const streams = "CODEX_TEST_STREAMS"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == standIn {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}

// play prints a stream, or how the program was called.
func play() int {
	if slices.Contains(os.Args, "models") {
		fmt.Print(os.Getenv("CODEX_TEST_MODELS"))
		return 0
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err == nil && strings.HasPrefix(string(prompt), "called") {
		text, _ := json.Marshal(map[string]any{"args": os.Args[2:], "token": os.Getenv("TOKEN")})
		message, _ := json.Marshal(map[string]any{"type": "item.completed", "item": map[string]string{"id": "1", "type": "agent_message", "text": string(text)}})
		fmt.Printf("%s\n{\"type\":\"turn.completed\"}\n", message)
		return 0
	}
	stream, err := os.ReadFile(filepath.Join(os.Getenv(streams), string(prompt)+".jsonl"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error: thread/resume failed: no rollout found for thread id 0")
		return 1
	}
	_, _ = os.Stdout.Write(stream)
	return 0
}

// stand is an executor for which the test program stands in.
func stand(t *testing.T, o codex.Options) *codex.Executor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Program, o.Args, o.Process = self, []string{standIn}, command.Options{Begin: time.Minute}
	x, err := codex.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// run plays a stream to its end.
func run(t *testing.T, x *codex.Executor, s executor.Spec) (executor.Exit, []executor.Event) {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	s.AgentID, s.Dir, s.Env = "agent-1", t.TempDir(), append(s.Env, streams+"="+dir, "GORACE=atexit_sleep_ms=0")
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
