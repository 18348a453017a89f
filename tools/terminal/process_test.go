package terminal_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

// background starts a command in the background and returns its ID.
func (p project) background(t testing.TB, line string) string {
	t.Helper()
	r := p.run(t, terminal.CommandArgs{Command: line, Background: true, WaitMs: new(0)})
	if r.ProcessID == "" {
		t.Fatalf("%s: it is not in the background: %+v", line, r)
	}
	return r.ProcessID
}

// Reading without an offset continues after the last answer.
func TestReadOutput_Continues(t *testing.T) {
	p := newProject(t, setup{})
	id := p.background(t, "echo one; read x; echo two >&2; read x; echo three")
	if got := p.readUntil(t, id, "one\n"); got != "one\n" {
		t.Errorf("it says %q", got)
	}
	if r := p.read(t, terminal.ReadOutputArgs{ProcessID: id}); r.Output != "" || !r.Running || !strings.Contains(r.TextContent(), "nothing new") {
		t.Errorf("without news: %+v", r)
	}
	send := terminal.SendInputArgs{ProcessID: id, WaitMs: new(0)}
	if _, err := p.SendInput(t.Context(), send); err != nil {
		t.Fatal(err)
	}
	if r := p.read(t, terminal.ReadOutputArgs{ProcessID: id, Stream: "stderr", WaitMs: 50_000}); r.Output != "two\n" || r.Offset != 0 {
		t.Errorf("standard error: %+v", r)
	}
	if r := p.read(t, terminal.ReadOutputArgs{ProcessID: id, Offset: new(int64(0)), WaitMs: 50_000}); r.Output != "one\ntwo\n" {
		t.Errorf("both streams: %+v", r)
	}
	said := p.say(t, send, "three\n")
	last, rest := p.awaitEnd(t, id)
	if said+rest != "three\n" || last.ExitCode != 0 || last.Size != 14 || !strings.Contains(last.TextContent(), "ended with exit code 0") {
		t.Errorf("at last %q, %+v", said, last)
	}
	for _, tt := range []struct {
		args terminal.ReadOutputArgs
		code string
	}{
		{terminal.ReadOutputArgs{ProcessID: "p99"}, "UNKNOWN_PROCESS"},
		{terminal.ReadOutputArgs{ProcessID: id, Offset: new(int64(15))}, "BAD_RANGE"},
		{terminal.ReadOutputArgs{ProcessID: id, Stream: "stdin"}, "INVALID_PARAMS"},
		{terminal.ReadOutputArgs{ProcessID: id, WaitMs: -1}, "INVALID_PARAMS"},
		{terminal.ReadOutputArgs{ProcessID: id, Length: -1}, "INVALID_PARAMS"},
	} {
		_, err := p.ReadOutput(t.Context(), tt.args)
		toolsettest.WantError(t, err, tt.code)
	}
}

// A partially written character is shown when it is complete.
func TestReadOutput_PartialCharacters(t *testing.T) {
	p := newProject(t, setup{})
	id := p.background(t, `printf 'a\343\201'; read x; printf '\202\346\227'; read x; printf '\245\033[3'; read x; printf '1mz'`)
	want := []string{"a", "あ", "日", "z"}
	said := []string{p.readUntil(t, id, want[0])}
	for _, next := range want[1:] {
		said = append(said, p.say(t, terminal.SendInputArgs{ProcessID: id, WaitMs: new(0)}, next))
	}
	if got := strings.Join(said, "|"); got != strings.Join(want, "|") {
		t.Errorf("it says %q", got)
	}
}

// say writes to a process and returns its output until that contains certain words.
func (p project) say(t testing.TB, args terminal.SendInputArgs, words string) string {
	t.Helper()
	r, err := p.SendInput(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Output, words) {
		return r.Output
	}
	return r.Output + p.readUntil(t, args.ProcessID, words)
}

// A program asks questions on a terminal and without one.
func TestSendInput_Conversation(t *testing.T) {
	const script = `printf 'Name? '; read name; printf "Hello $name. Really? "; read sure; echo "You said $sure."`
	for name, args := range map[string]terminal.CommandArgs{
		"on a terminal":      {Command: script, PTY: true, WaitMs: new(0)},
		"without a terminal": {Command: script, Background: true, WaitMs: new(0)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{})
			id := p.run(t, args).ProcessID
			p.readUntil(t, id, "Name? ")
			said := p.say(t, terminal.SendInputArgs{ProcessID: id, Input: "Anna"}, "Really? ")
			if !strings.HasSuffix(said, "Hello Anna. Really? ") {
				t.Fatalf("it answers %q", said)
			}
			said = p.say(t, terminal.SendInputArgs{ProcessID: id, Input: "yes\n", AppendNewline: new(false)}, "said yes.\n")
			if !strings.HasSuffix(said, "You said yes.\n") {
				t.Fatalf("it answers %q", said)
			}
			if last, _ := p.awaitEnd(t, id); last.ExitCode != 0 {
				t.Errorf("it ended with %+v", last)
			}
			_, err := p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: id, Input: "more"})
			toolsettest.WantError(t, err, "INPUT_CLOSED")
		})
	}
}

// Input to a shell is checked like a command. Input to another program is not recorded.
func TestSendInput_ShellPolicy(t *testing.T) {
	p := newProject(t, setup{})
	shell := p.run(t, terminal.CommandArgs{Command: "sh", Background: true, WaitMs: new(0)}).ProcessID
	_, err := p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: shell, Input: "rm -rf /"})
	toolsettest.WantError(t, err, "COMMAND_BLOCKED", "rm")
	r, err := p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: shell, Input: "echo $((6*7)); exit 4", WaitMs: new(50_000)})
	if err != nil || !strings.Contains(r.Output, "42\n") {
		t.Errorf("it answers %+v, %v", r, err)
	}
	if last, _ := p.awaitEnd(t, shell); last.ExitCode != 4 {
		t.Errorf("it ended with %+v", last)
	}
	reader := p.background(t, "cat >/dev/null")
	if _, err := p.SendInput(t.Context(), terminal.SendInputArgs{ProcessID: reader, Input: "my secret password", CloseInput: true}); err != nil {
		t.Error(err)
	}
	p.awaitEnd(t, reader)
	for _, record := range p.audit.Recent(100) {
		if strings.Contains(record.Params, "my secret") {
			t.Errorf("recorded: %+v", record)
		}
	}
}

// A process that does not read does not block the caller, and no input is sent twice.
func TestSendInput_BlockedProcess(t *testing.T) {
	p := newProject(t, setup{})
	id := p.background(t, "sleep 1000")
	big := strings.Repeat("x", 60<<10)
	var err error
	for range 4 { // until the pipe is full
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err = p.SendInput(ctx, terminal.SendInputArgs{ProcessID: id, Input: big, WaitMs: new(0)})
		cancel()
		if err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("a process that does not read takes everything")
	}
	if _, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: id, Force: true}); err != nil {
		t.Error(err)
	}
}

func TestList_AndKill(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"sub/x": ""}})
	if r, err := p.List(t.Context(), terminal.ListArgs{}); err != nil || r.TextContent() != "[no processes]\n" {
		t.Errorf("at first: %+v, %v", r, err)
	}
	first := p.background(t, "echo working; sleep 1000")
	p.readUntil(t, first, "working")
	second := p.run(t, terminal.CommandArgs{Command: "sleep", Args: []string{"1000", "a b"}, CWD: "sub", Background: true, WaitMs: new(0)})
	p.awaitEnd(t, second.ProcessID) // sleep does not like its arguments
	list, err := p.List(t.Context(), terminal.ListArgs{})
	if err != nil || len(list.Processes) != 2 {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	one, two := list.Processes[0], list.Processes[1]
	if one.ProcessID != first || !one.Running || one.ExitCode != -1 || one.OutputBytes != 8 || one.CWD != "." || !alive(one.PID) {
		t.Errorf("the first is %+v", one)
	}
	if two.Running || two.ExitCode == 0 || two.CWD != "sub" || two.Command != "sleep 1000 'a b'" {
		t.Errorf("the second is %+v", two)
	}
	killed, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: first})
	if err != nil || !killed.Success || killed.Signal != "SIGTERM" || killed.ExitCode != 143 || killed.Output != "working\n" || alive(one.PID) {
		t.Errorf("killing it: %+v, %v", killed, err)
	}
	again, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: first, Signal: "SIGKILL"})
	if err != nil || !again.Success || again.Signal != "SIGTERM" {
		t.Errorf("killing it again: %+v, %v", again, err)
	}
	_, err = p.Kill(t.Context(), terminal.KillArgs{ProcessID: "1"})
	toolsettest.WantError(t, err, "UNKNOWN_PROCESS", "list_processes")
	_, err = p.Kill(t.Context(), terminal.KillArgs{ProcessID: first, Signal: "SEGV"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "TERM")
}

// USR1 reaches a process that continues, and KILL ends a process that ignores TERM.
func TestKill_Signals(t *testing.T) {
	p := newProject(t, setup{})
	id := p.background(t, `trap 'echo heard' USR1; trap '' TERM; echo ready; sleep 300 & while :; do wait; done`)
	p.readUntil(t, id, "ready")
	r, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: id, Signal: "USR1"})
	if err != nil || !r.Running || !r.Success {
		t.Errorf("a signal: %+v, %v", r, err)
	}
	p.unread.Store(id, r.Output) // A process that answers at once has its answer in the result, and reading continues after it.
	p.readUntil(t, id, "heard\n")
	if r, err := p.Kill(t.Context(), terminal.KillArgs{ProcessID: id, Force: true}); err != nil || r.Signal != "SIGKILL" {
		t.Errorf("killing it: %+v, %v", r, err)
	}
}

// The output of an ended process is kept for a limited time.
func TestReadOutput_Expiry(t *testing.T) {
	p := newProject(t, setup{options: terminal.Options{KeepOutput: time.Millisecond}})
	id := p.background(t, "echo hello")
	for deadline := time.Now().Add(hang); ; {
		_, err := p.ReadOutput(t.Context(), terminal.ReadOutputArgs{ProcessID: id, WaitMs: 10})
		if err != nil {
			toolsettest.WantError(t, err, "UNKNOWN_PROCESS")
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is still known")
		}
	}
	many := newProject(t, setup{})
	for range 80 {
		many.background(t, "true")
	}
	for deadline := time.Now().Add(hang); ; {
		r, err := many.List(t.Context(), terminal.ListArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Total <= 64 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d are known", r.Total)
		}
	}
}

// Close ends all processes of the set.
func TestClose_EndsProcesses(t *testing.T) {
	p := newProject(t, setup{})
	p.background(t, "echo $$ >one; exec sleep 1000")
	p.background(t, "trap '' TERM HUP; echo $$ >two; while :; do sleep 0.05; done")
	p.run(t, terminal.CommandArgs{Command: "sh -c 'echo $$ >three; exec sleep 1000' & sleep 0.1"})
	var pids []int
	for _, name := range []string{"one", "two", "three"} {
		pids = append(pids, awaitFile(t, p.dir+"/"+name))
	}
	if err := p.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		awaitDeath(t, pid)
	}
	_, err := p.Execute(t.Context(), terminal.CommandArgs{Command: "true"})
	toolsettest.WantError(t, err, string(security.InternalError), "closed")
}
