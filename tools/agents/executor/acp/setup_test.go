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

// standIn is the argument with which the test program stands in for one that speaks the protocol. The next one is a script.
const standIn = "stand-in"

// sleeper is the argument with which it does nothing for long, and is left behind.
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
	return standin.New(t, acp.New, o)
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
	s.Prompt = cmp.Or(s.Prompt, "Do it.")
	return standin.Run(t, x, s)
}

// story is what was told, in brief, without the directories of files.
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
