package claude_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// standIn is the argument with which the test program stands in for Claude Code: it prints the stream that the prompt names.
const standIn = "stand-in"

// streams is a variable with the directory of the streams.
const streams = "CLAUDE_TEST_STREAMS"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == standIn {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}

// play prints a stream, or how the program was called.
func play() int {
	prompt, err := io.ReadAll(os.Stdin)
	if err == nil && strings.HasPrefix(string(prompt), "called") {
		called := map[string]any{"args": os.Args[2:], "inside": os.Getenv("CLAUDECODE")}
		if at := len(os.Args) - 1; os.Args[at-1] == "--mcp-config" {
			servers, _ := os.ReadFile(os.Args[at])
			called["servers"] = string(servers)
		}
		text, _ := json.Marshal(called)
		result, _ := json.Marshal(map[string]any{"type": "result", "subtype": "success", "result": string(text)})
		fmt.Println(string(result))
		return 0
	}
	stream, err := os.ReadFile(filepath.Join(os.Getenv(streams), string(prompt)+".jsonl"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "There's an issue with the selected model (x). It may not exist or you may not have access to it.")
		return 1
	}
	_, _ = os.Stdout.Write(stream)
	return 0
}

// run plays a stream to its end.
func run(t *testing.T, s executor.Spec) (executor.Exit, []executor.Event) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	x, err := claude.New(claude.Options{Program: self, Args: []string{standIn}, Process: command.Options{Begin: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
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
