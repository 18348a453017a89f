package acp_test

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

// standIn is the first argument of the test program when it acts as an ACP program. The
// second argument is a script; see play.
const standIn = "stand-in"

// sleeper is the first argument of the test program when it sleeps for a minute, as a
// process that an agent leaves behind.
const sleeper = "sleeper"

func TestMain(m *testing.M) {
	process.Supervise()
	if len(os.Args) > 2 && os.Args[1] == standIn {
		if err := play(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == servant {
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == sleeper {
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play runs a script with these kinds of lines:
//
//	< TEXT	print TEXT
//	> TEXT	read a line that contains TEXT; " & " separates several texts
//	! huge N	print a line of N bytes
//	! hang	sleep for a minute without reading
//	! fork	start a process that keeps running
//	! end	read to the end of the input
//
// $DIR is replaced by the working directory.
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
	for line := range strings.Lines(strings.ReplaceAll(string(script), "$DIR", filepath.ToSlash(dir))) {
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

// do runs a "!" line of a script.
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

// newExecutor returns an Executor whose program plays a script: a text of several lines, or the name
// of a file in testdata.
func newExecutor(t *testing.T, script string, change func(*acp.Options)) *acp.Executor {
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
	return standin.New(t, acp.New, o)
}

// hello begins a script: it initializes, opens the session s-1 and receives the prompt.
const hello = `> "method":"initialize" & "id":1
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}
> "method":"session/new" & "id":2
< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}
> "method":"session/prompt" & "id":3 & "sessionId":"s-1" & "text":"Do it."
`

// bye ends a script with a successful turn.
const bye = `
< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}
! end
`

// run runs an agent to its end and returns its exit and its events, without Output.
func run(t *testing.T, x *acp.Executor, s executor.Spec) (executor.Exit, []executor.Event) {
	t.Helper()
	s.Prompt = cmp.Or(s.Prompt, "Do it.")
	return standin.Run(t, x, s)
}

// story summarizes events as standin.Story does, with the base names of changed files.
func story(told []executor.Event) []string {
	told = slices.Clone(told)
	for i, e := range told {
		if e.Tool == nil {
			continue
		}
		call := *e.Tool
		call.Changes = slices.Clone(call.Changes)
		for i, c := range call.Changes {
			call.Changes[i].Path = filepath.Base(c.Path)
		}
		told[i].Tool = &call
	}
	return standin.Story(told)
}
