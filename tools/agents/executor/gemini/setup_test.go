package gemini_test

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
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
)

// standIn is the argument with which the test program stands in for the Gemini CLI: it prints the stream that the prompt names.
const standIn = "stand-in"

// streams is a variable with the directory of the streams.
const streams = "GEMINI_TEST_STREAMS"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == standIn {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}

// play prints a stream, or how the program was called.
func play() int {
	prompt, err := io.ReadAll(os.Stdin)
	if err == nil && strings.Contains(string(prompt), "called") {
		text, _ := json.Marshal(called(string(prompt)))
		message, _ := json.Marshal(map[string]any{"type": "message", "role": "assistant", "content": string(text)})
		fmt.Printf("%s\n{\"type\":\"result\",\"status\":\"success\"}\n", message)
		return 0
	}
	stream, err := os.ReadFile(filepath.Join(os.Getenv(streams), string(prompt)+".jsonl"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Invalid auth method selected.")
		return 1
	}
	_, _ = os.Stdout.Write(stream)
	return 0
}

// call is how the program was called.
type call struct {
	Args                   []string
	Prompt, Home, Settings string
	Links                  []string
}

func called(prompt string) call {
	c := call{Args: os.Args[2:], Prompt: prompt, Home: os.Getenv("GEMINI_CLI_HOME")}
	settings, _ := os.ReadFile(filepath.Join(c.Home, ".gemini", "settings.json"))
	c.Settings = string(settings)
	links, _ := filepath.Glob(filepath.Join(c.Home, ".gemini", "*"))
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil {
			c.Links = append(c.Links, to)
		}
	}
	return c
}

// stand is an executor for which the test program stands in.
func stand(t *testing.T, o gemini.Options) *gemini.Executor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Program, o.Args, o.Process = self, []string{standIn}, command.Options{Begin: time.Minute}
	x, err := gemini.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// run plays a stream to its end.
func run(t *testing.T, x *gemini.Executor, s executor.Spec) (executor.Exit, []executor.Event) {
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
