package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

func TestExecute_Output(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"sub/hello.sh": "#!/bin/sh\necho hello from $(basename $PWD)\n"}})
	for name, tt := range map[string]struct {
		args terminal.CommandArgs
		want terminal.CommandResult
	}{
		"both streams":        {terminal.CommandArgs{Command: "echo out; echo err >&2"}, terminal.CommandResult{Stdout: "out\n", Stderr: "err\n"}},
		"an exit code":        {terminal.CommandArgs{Command: "exit 3"}, terminal.CommandResult{ExitCode: 3}},
		"a signal":            {terminal.CommandArgs{Command: "kill -TERM $$"}, terminal.CommandResult{ExitCode: 143, Signal: "SIGTERM"}},
		"no shell":            {terminal.CommandArgs{Command: "echo", Args: []string{"$HOME;", "a  b"}}, terminal.CommandResult{Stdout: "$HOME; a  b\n"}},
		"no arguments":        {terminal.CommandArgs{Command: "pwd", Args: []string{}, CWD: "sub"}, terminal.CommandResult{Stdout: p.dir + "/sub\n"}},
		"a directory":         {terminal.CommandArgs{Command: "./hello.sh", CWD: "sub"}, terminal.CommandResult{Stdout: "hello from sub\n"}},
		"a relative program":  {terminal.CommandArgs{Command: "./hello.sh", Args: []string{}, CWD: p.dir + "/sub"}, terminal.CommandResult{Stdout: "hello from sub\n"}},
		"variables":           {terminal.CommandArgs{Command: "echo $GREETING", Env: map[string]string{"GREETING": "good day"}}, terminal.CommandResult{Stdout: "good day\n"}},
		"standard input":      {terminal.CommandArgs{Command: "cat; echo .", Stdin: new("text")}, terminal.CommandResult{Stdout: "text.\n"}},
		"unread input":        {terminal.CommandArgs{Command: "true", Stdin: new(strings.Repeat("x", 1<<20))}, terminal.CommandResult{}},
		"no input":            {terminal.CommandArgs{Command: "cat; echo nothing"}, terminal.CommandResult{Stdout: "nothing\n"}},
		"colours":             {terminal.CommandArgs{Command: `printf '\033[31mred\033[0m\n'`}, terminal.CommandResult{Stdout: "red\n"}},
		"colours as they are": {terminal.CommandArgs{Command: `printf '\033[31mred\033[0m\n'`, KeepEscapes: true}, terminal.CommandResult{Stdout: "\x1b[31mred\x1b[0m\n"}},
		"Shift_JIS":           {terminal.CommandArgs{Command: `printf '\203\147\203\211\203\213\202\252\224\255\220\266\202\265\202\334\202\265\202\275\n'`}, terminal.CommandResult{Stdout: "トラルが発生しました\n"}},
		"no text":             {terminal.CommandArgs{Command: `printf "a\\377\\001\\002\\003\\000b"`}, terminal.CommandResult{Stdout: "a\\xff\x01\x02\x03\x00b"}},
		"a terminal":          {terminal.CommandArgs{Command: "test -t 0 && test -t 1 && test -t 2 && stty size; echo $TERM", PTY: true}, terminal.CommandResult{Stdout: "40 120\nxterm-256color\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.run(t, tt.args)
			got.ExecutionTime = 0
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	for deadline := time.Now().Add(hang); ; time.Sleep(time.Millisecond) {
		r, err := p.List(t.Context(), terminal.ListArgs{})
		if err == nil && r.Total == 0 {
			break
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("what has told everything is still known: %+v, %v", r, err)
		}
	}
}

func TestExecute_Refusals(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"plain.txt": "", "sub/x": ""}, options: terminal.Options{Policy: &command.Policy{Denied: []string{"curl *"}}}})
	for name, tt := range map[string]struct {
		args terminal.CommandArgs
		code string
		says []string
	}{
		"nothing":            {terminal.CommandArgs{Command: "  "}, "INVALID_PARAMS", nil},
		"no program":         {terminal.CommandArgs{Command: "", Args: []string{"x"}}, "INVALID_PARAMS", nil},
		"a zero byte":        {terminal.CommandArgs{Command: "echo \x00"}, "INVALID_PARAMS", nil},
		"a long line":        {terminal.CommandArgs{Command: "echo " + strings.Repeat("x", 64<<10)}, "INVALID_PARAMS", []string{"65536"}},
		"a missing program":  {terminal.CommandArgs{Command: "nosuchprogram", Args: []string{}}, "FILE_NOT_FOUND", []string{"nosuchprogram", "shell"}},
		"a line as program":  {terminal.CommandArgs{Command: "echo a", Args: []string{}}, "FILE_NOT_FOUND", []string{"without args"}},
		"outside":            {terminal.CommandArgs{Command: "true", CWD: "/"}, "PERMISSION_DENIED", nil},
		"climbing":           {terminal.CommandArgs{Command: "true", CWD: "../.."}, "PERMISSION_DENIED", nil},
		"a missing place":    {terminal.CommandArgs{Command: "true", CWD: "none"}, "FILE_NOT_FOUND", nil},
		"a file as place":    {terminal.CommandArgs{Command: "true", CWD: "plain.txt"}, "NOT_A_DIRECTORY", []string{"plain.txt"}},
		"destruction":        {terminal.CommandArgs{Command: "rm -rf /"}, "COMMAND_BLOCKED", []string{"rm"}},
		"no shell to hide":   {terminal.CommandArgs{Command: "rm", Args: []string{"-rf", "/"}}, "COMMAND_BLOCKED", []string{"rm"}},
		"what is denied":     {terminal.CommandArgs{Command: "true && curl example.com"}, "COMMAND_BLOCKED", []string{"curl"}},
		"our own variable":   {terminal.CommandArgs{Command: "true", Env: map[string]string{"DOUGU_TOKEN": "x"}}, "INVALID_PARAMS", []string{"DOUGU_"}},
		"a broken variable":  {terminal.CommandArgs{Command: "true", Env: map[string]string{"A=B": "x"}}, "INVALID_PARAMS", nil},
		"waiting too long":   {terminal.CommandArgs{Command: "true", WaitMs: new(50_001)}, "INVALID_PARAMS", []string{"50000"}},
		"too much output":    {terminal.CommandArgs{Command: "true", MaxOutput: 10_000_001}, "INVALID_PARAMS", []string{"10000000"}},
		"an endless timeout": {terminal.CommandArgs{Command: "true", Timeout: 86_400_001}, "INVALID_PARAMS", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.Execute(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
		})
	}
	if r, _ := p.List(t.Context(), terminal.ListArgs{}); r.Total != 0 {
		t.Errorf("something was started: %+v", r)
	}
}

// A command that exceeds its timeout is ended with its process tree, and its output is kept.
func TestExecute_Timeout(t *testing.T) {
	p := newProject(t, setup{})
	var got terminal.CommandResult
	var err error
	timeout := 200
	for ; timeout < 100_000; timeout *= 4 { // until the command has time to print
		got, err = p.Execute(t.Context(), terminal.CommandArgs{Command: "echo begun; echo why >&2; sleep 1000 & sleep 1000", Timeout: timeout})
		if err != nil && strings.Contains(err.Error(), "why") {
			break
		}
	}
	toolsettest.WantError(t, err, "TIMEOUT", (time.Duration(timeout) * time.Millisecond).String(), "begun", "why", "background=true")
	var late *terminal.TimeoutError
	if !errors.As(err, &late) || !reflect.DeepEqual(late.Result, got) || !got.TimedOut || got.Stdout != "begun\n" || got.Stderr != "why\n" || got.Running || got.ExitCode == 0 || got.ExecutionTime < int64(timeout) {
		t.Errorf("got %+v, %+v", got, err)
	}
	r := toolsettest.Call(t, p, "execute_command", `{"command":"sleep 1000","timeout":1}`)
	if !r.IsError || r.ErrorCode() != "TIMEOUT" || !strings.Contains(toolsettest.Text(t, r), "Next step: ") {
		t.Errorf("the tool says %s", toolsettest.Text(t, r))
	}
}

// A command continues in the background after the wait.
func TestExecute_Background(t *testing.T) {
	p := newProject(t, setup{})
	got := p.run(t, terminal.CommandArgs{Command: "echo begun; read line; echo got $line", WaitMs: new(100), Background: true})
	if !got.Running || got.ProcessID == "" || got.ExitCode != -1 {
		t.Fatalf("got %+v", got)
	}
	if !strings.Contains(got.TextContent(), "still running after") || !strings.Contains(got.TextContent(), got.ProcessID) {
		t.Errorf("it says %q", got.TextContent())
	}
	answer, err := p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: got.ProcessID, Input: "it", WaitMs: new(0)})
	if err != nil {
		t.Fatal(err)
	}
	last, said := p.awaitEnd(t, got.ProcessID)
	if said = answer.Output + said; last.ExitCode != 0 || last.Running || !strings.HasSuffix(said, "got it\n") {
		t.Errorf("it says %q and ended with %+v", said, last)
	}
	foreground := p.run(t, terminal.CommandArgs{Command: "sleep 1000", WaitMs: new(0)})
	if !foreground.Running {
		t.Errorf("got %+v", foreground)
	}
	_, err = p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: foreground.ProcessID, Input: "x"})
	toolsettest.WantError(t, err, "INPUT_CLOSED", "background=true")
}

func TestExecute_Cancelled(t *testing.T) {
	p := newProject(t, setup{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := p.Execute(ctx, terminal.CommandArgs{Command: "echo $$ >pid; sleep 1000"})
		done <- err
	}()
	pid := awaitFile(t, p.dir+"/pid")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	awaitDeath(t, pid)
}

// Long output is reduced to its beginning and end, and the rest can be read.
func TestExecute_LongOutput(t *testing.T) {
	p := newProject(t, setup{limits: tools.Limits{Answer: 4 << 10}})
	got := p.run(t, terminal.CommandArgs{Command: "seq 1 100000; echo problem >&2"})
	if !got.Truncated || got.ProcessID == "" || got.Stderr != "problem\n" || len(got.Stdout) > 4<<10 || len(got.Stdout) < 3<<10 {
		t.Fatalf("%d bytes: %+v", len(got.Stdout), got)
	}
	if !strings.HasPrefix(got.Stdout, "1\n2\n3\n") || !strings.HasSuffix(got.Stdout, "\n99999\n100000\n") || !strings.Contains(got.Stdout, "bytes left out: read_process_output with processId="+got.ProcessID) {
		t.Errorf("it says %q", got.Stdout)
	}
	var want strings.Builder
	for i := 1; i <= 100000; i++ {
		fmt.Fprintln(&want, i)
	}
	var all strings.Builder
	for offset, pages := int64(0), 0; ; pages++ {
		r := p.read(t, terminal.ReadOutputArgs{ProcessID: got.ProcessID, Stream: "stdout", Offset: &offset, Length: 100_000})
		all.WriteString(r.Output)
		if offset = r.NextOffset; !r.Truncated {
			if pages < 5 || r.ExitCode != 0 {
				t.Errorf("%d pages, %+v", pages, r)
			}
			break
		}
	}
	if all.String() != want.String() {
		t.Errorf("the pages have %d bytes, want %d", all.Len(), want.Len())
	}
	tail := p.read(t, terminal.ReadOutputArgs{ProcessID: got.ProcessID, Stream: "stdout", Offset: new(int64(-15))})
	if tail.Output != "99999\n100000\n" || tail.Truncated {
		t.Errorf("the tail is %+v", tail)
	}
	more := p.run(t, terminal.CommandArgs{Command: "seq 1 2000", MaxOutput: 100_000})
	if more.Truncated || !strings.HasSuffix(more.Stdout, "\n2000\n") {
		t.Errorf("with more room: %d bytes, %+v", len(more.Stdout), more.Truncated)
	}
	binary := p.run(t, terminal.CommandArgs{Command: "head -c 4096 /dev/zero | tr '\\0' '\\377'"})
	if len(binary.Stdout) > 5<<10 || !binary.Truncated {
		t.Errorf("what has become longer: %d bytes", len(binary.Stdout))
	}
}

// Background children of a command do not delay its answer and can be read and ended.
func TestExecute_LeftBehind(t *testing.T) {
	p := newProject(t, setup{})
	got := p.run(t, terminal.CommandArgs{Command: "(echo $$ >pid; trap 'echo bye; exit' TERM; sleep 300 & wait) & echo started"})
	if !got.LeftBehind || got.Running || got.ProcessID == "" || got.ExitCode != 0 || !strings.HasPrefix(got.Stdout, "started\n") {
		t.Fatalf("got %+v", got)
	}
	list, err := p.List(t.Context(), terminal.ListArgs{})
	if err != nil || len(list.Processes) != 1 || !list.Processes[0].LeftBehind || !strings.Contains(list.TextContent(), "programs that it has started still run: kill_process "+got.ProcessID) {
		t.Errorf("the list is %+v, %v", list, err)
	}
	killed, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: got.ProcessID})
	if err != nil || !killed.Success || runtime.GOOS == "linux" && !strings.Contains(killed.TextContent(), "have been ended") {
		t.Errorf("ending it: %+v, %v", killed, err)
	}
	for deadline := time.Now().Add(hang); ; {
		r := p.read(t, terminal.ReadOutputArgs{ProcessID: got.ProcessID, WaitMs: 100})
		if !r.LeftBehind {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is still there: %+v", r)
		}
	}
}

// All tools report a background child without output until it is ended.
func TestExecute_LeftWithoutOutput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has supervisors")
	}
	p := newProject(t, setup{})
	got := p.run(t, terminal.CommandArgs{Command: "env -i setsid -f sleep 300 >/dev/null 2>&1 </dev/null", Background: true, WaitMs: new(50_000)})
	note := "programs that it has started still run: kill_process " + got.ProcessID + " ends them"
	if !got.LeftBehind || !strings.Contains(got.TextContent(), note) {
		t.Errorf("the answer is %q", got.TextContent())
	}
	if r := p.read(t, terminal.ReadOutputArgs{ProcessID: got.ProcessID}); !strings.Contains(r.TextContent(), note) {
		t.Errorf("read_process_output says %q", r.TextContent())
	}
	if list, err := p.List(t.Context(), terminal.ListArgs{}); err != nil || !strings.Contains(list.TextContent(), note) {
		t.Errorf("list_processes says %q, %v", list.TextContent(), err)
	}
	killed, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: got.ProcessID})
	if err != nil || !killed.Success || !killed.EndedLeft || !strings.Contains(killed.TextContent(), "have been ended") {
		t.Errorf("kill_process says %q, %v", killed.TextContent(), err)
	}
	if r := p.read(t, terminal.ReadOutputArgs{ProcessID: got.ProcessID}); r.LeftBehind {
		t.Errorf("afterwards read_process_output says %q", r.TextContent())
	}
}

func TestExecute_MaxProcesses(t *testing.T) {
	p := newProject(t, setup{options: terminal.Options{MaxProcesses: 2}})
	first := p.run(t, terminal.CommandArgs{Command: "sleep 1000", Background: true, WaitMs: new(0)})
	p.run(t, terminal.CommandArgs{Command: "sleep 1000", Background: true, WaitMs: new(0)})
	_, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "true"})
	toolsettest.WantError(t, err, "TOO_MANY_PROCESSES", "2", "kill_process")
	if _, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: first.ProcessID, Force: true}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(hang); ; {
		_, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "true"})
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestExecute_ReadOnlyRoot(t *testing.T) {
	p := newProject(t, setup{readOnly: true})
	_, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "true"})
	toolsettest.WantError(t, err, "PERMISSION_DENIED")
	if refused := new(security.Error); !errors.As(err, &refused) || refused.Reason != security.ReadOnlyRoot {
		t.Errorf("it is refused because of %v", err)
	}
}

// Commands get the environment without secrets.
func TestExecute_Environment(t *testing.T) {
	for name, value := range map[string]string{"GITHUB_TOKEN": "s1", "MY_PASSWORD": "s2", "DOUGU_TOKEN": "s3", "HARMLESS": "yes", "OTHER_THING": "too"} {
		t.Setenv(name, value)
	}
	const query = `echo "$GITHUB_TOKEN|$MY_PASSWORD|$DOUGU_TOKEN|$HARMLESS|$OTHER_THING|$PAGER"`
	for name, tt := range map[string]struct {
		env  []string
		want string
	}{
		"by default":     {nil, "|||yes|too|cat\n"},
		"with a secret":  {[]string{"*", "GITHUB_TOKEN", "DOUGU_TOKEN"}, "s1|||yes|too|cat\n"},
		"only what fits": {[]string{"PATH", "HARM*", "MY_*"}, "|||yes||cat\n"},
	} {
		p := newProject(t, setup{options: terminal.Options{Env: tt.env}})
		if got := p.run(t, terminal.CommandArgs{Command: query}); got.Stdout != tt.want {
			t.Errorf("%s: got %q, want %q", name, got.Stdout, tt.want)
		}
	}
}

// The audit log records a command before it runs, and its end.
func TestExecute_Audit(t *testing.T) {
	p := newProject(t, setup{})
	p.run(t, terminal.CommandArgs{Command: "echo hello", Env: map[string]string{"API_TOKEN": "abc"}, Stdin: new("my abc")})
	_, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "rm -rf /"})
	toolsettest.WantError(t, err, "COMMAND_BLOCKED")
	var started, ended, refused bool
	for deadline := time.Now().Add(hang); !ended && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, r := range p.audit.Recent(10) {
			switch {
			case r.Operation != "execute_command" || strings.Contains(r.Params, "abc"):
				t.Fatalf("recorded: %+v", r)
			case strings.Contains(r.Params, "echo hello") && r.Result == "started":
				started = true
			case strings.Contains(r.Params, "echo hello") && r.Result == "success":
				ended = true
			case strings.Contains(r.Params, "rm -rf /") && r.ErrorCode == string(security.CommandBlocked):
				refused = true
			}
		}
	}
	if !started || !ended || !refused {
		t.Errorf("recorded: started %v, ended %v, refused %v: %+v", started, ended, refused, p.audit.Recent(10))
	}
}
