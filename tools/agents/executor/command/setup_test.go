package command_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// serve is an argument of the test program. It then runs one agent like a server; the next
// arguments are the state directory and a shell script.
const serve = "serve-one-agent"

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == serve { // without a supervisor, agents outlive the server
		os.Exit(server(os.Args[2], os.Args[3]))
	}
	process.Supervise()
	goleak.VerifyTestMain(m)
}

// server runs one agent and prints its messages.
func server(state, script string) int {
	r, err := command.New(command.Options{StateDir: state})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_, err = r.Run(context.Background(), shell(script), executor.Spec{AgentID: "agent-1", Dir: os.TempDir()}, func(e executor.Event) {
		if e.Kind == executor.Said {
			fmt.Println(e.Text)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// shell is a Program that runs a shell script. A line "KIND: TEXT" of its output is an
// event.
type shell string

func (s shell) Command(_ context.Context, spec executor.Spec, scratch func() (string, error)) (command.Call, error) {
	dir, err := scratch()
	if err != nil {
		return command.Call{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("token"), 0o600); err != nil {
		return command.Call{}, err
	}
	return command.Call{Path: "/bin/sh", Args: []string{"-c", string(s)}, Dir: spec.Dir, Env: spec.Env, Input: spec.Prompt}, nil
}

func (shell) Decoder() command.Decoder { return decoder{} }

func (shell) Failure(words string) error {
	if strings.Contains(words, "login") {
		return executor.ErrUnauthenticated
	}
	return nil
}

type decoder struct{}

func (decoder) Decode(line []byte, tell func(executor.Event)) bool {
	kind, text, ok := strings.Cut(string(line), ": ")
	if ok {
		tell(executor.Event{Kind: executor.Kind(kind), Text: text})
	}
	return ok
}
