package acp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// standIn is the argument with which the test program stands in for one that speaks the protocol. The next one is a script.
const standIn = "stand-in"

// sleeper is the argument with which it does nothing for long, and is left behind.
const sleeper = "sleeper"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == standIn {
		if err := play(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == sleeper {
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play plays a script, whose lines are
//
//	< TEXT	print it
//	> TEXT	read a line that has it; several texts are apart by " & "
//	! huge N	print a line of N bytes
//	! hang	read nothing, and go on for long
//	! fork	leave a process behind
//	! end	read until the end of the input
//
// $DIR stands for the working directory.
func play(file string) error {
	script, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for line := range strings.Lines(strings.ReplaceAll(string(script), "$DIR", dir)) {
		line = strings.TrimSuffix(line, "\n")
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "", "#":
		case "<":
			fmt.Println(text)
		case ">":
			got, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("waiting for %s: %w", text, err)
			}
			for part := range strings.SplitSeq(text, " & ") {
				if !strings.Contains(got, part) {
					return fmt.Errorf("it was told %s instead of %s", strings.TrimSpace(got), part)
				}
			}
		case "!":
			if err := do(text, in); err != nil {
				return err
			}
		default:
			return fmt.Errorf("no such line: %s", line)
		}
	}
	return nil
}

func do(what string, in *bufio.Reader) error {
	var n int
	switch {
	case what == "hang":
		time.Sleep(time.Minute)
	case what == "end":
		for _, err := in.ReadString('\n'); err == nil; _, err = in.ReadString('\n') {
		}
	case what == "fork":
		return exec.Command(os.Args[0], sleeper).Start()
	default:
		if _, err := fmt.Sscanf(what, "huge %d", &n); err != nil {
			return err
		}
		fmt.Println(`{"jsonrpc":"2.0","method":"x","params":"` + strings.Repeat("a", n) + `"}`)
	}
	return nil
}

// of is an executor whose program plays a script.
func of(t *testing.T, script string, change func(*acp.Options)) *acp.Executor {
	t.Helper()
	if !strings.Contains(script, "\n") {
		data, err := os.ReadFile(filepath.Join("testdata", script+".acp"))
		if err != nil {
			t.Fatal(err)
		}
		script = string(data)
	}
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := acp.Options{Program: self, Args: []string{standIn, file}, Process: command.Options{Begin: time.Minute, Farewell: time.Minute, Grace: time.Minute}}
	if change != nil {
		change(&o)
	}
	x, err := acp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// hello is how each script begins: a session that is opened.
const hello = `> "method":"initialize" & "id":1
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}
> "method":"session/new" & "id":2
< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}
> "method":"session/prompt" & "id":3 & "sessionId":"s-1" & "text":"Do it."
`

// bye is how each ends that ends well.
const bye = `
< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}
! end
`

// run runs an agent to its end, and answers what it has told, but for its output.
func run(t *testing.T, x *acp.Executor, s executor.Spec) (executor.Exit, []executor.Event) {
	t.Helper()
	s.AgentID, s.Env = "agent-1", append(s.Env, "GORACE=atexit_sleep_ms=0")
	if s.Prompt == "" {
		s.Prompt = "Do it."
	}
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

// story is what was told, in brief.
func story(told []executor.Event) []string {
	var all []string
	for _, e := range told {
		text := string(e.Kind)
		switch {
		case e.Kind == executor.Init:
			text += " " + e.Session
			if e.Model != "" {
				text += " " + e.Model
			}
		case e.Tool != nil:
			text += " " + e.Tool.CallID + " " + e.Tool.Type
			if e.Tool.Name != "" {
				text += " " + e.Tool.Server + "/" + e.Tool.Name
			}
			for _, c := range e.Tool.Changes {
				text += " " + c.Kind + " " + filepath.Base(c.Path)
			}
			if e.Tool.Failed {
				text += " failed: " + e.Tool.Error
			}
		case e.Kind == executor.Unknown, e.Kind == executor.Line:
			text += " " + e.Text[:min(len(e.Text), 60)]
		case e.Text != "":
			text += " " + e.Text
		}
		all = append(all, text)
	}
	return all
}

// valid fails the test if what was told is not as it has to be.
func valid(t testing.TB, e executor.Event) {
	t.Helper()
	if e.Kind == "" || (e.Kind == executor.ToolStarted || e.Kind == executor.ToolCompleted) != (e.Tool != nil) {
		t.Errorf("it tells %+v", e)
	}
	if e.Tool != nil && len(e.Tool.Args) > 0 && !json.Valid(e.Tool.Args) {
		t.Errorf("it tells the arguments %s", e.Tool.Args)
	}
}
