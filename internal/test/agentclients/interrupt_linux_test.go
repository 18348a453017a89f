package agentclients

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/internal/waittest"
)

// Limits of the test of interruptions.
const (
	maxStart     = 90 * time.Second // from the start of a program to its call
	maxInterrupt = 10 * time.Second // from an interruption to the end of a command
)

// pipeName is the name of the pipe that the command holds open, in the project.
const pipeName = "command"

// TestPrograms_Interrupts interrupts each program during a call that runs a command, and compares the effects with the committed
// recording: by a key in the program's interface, and by Ctrl-C in a run without an interface. The server and the command must end
// with the program in both.
func TestPrograms_Interrupts(t *testing.T) {
	testrequire.Node(t, 20, "install a recent Node.js and put it on the PATH")
	for _, p := range agentPrograms {
		programPath(t, p.bin)
	}
	cursorcli := buildCursorcli(t)
	for _, p := range agentPrograms {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			fmt.Fprintf(&b, "program: %s %s\n", p.pkg, p.version(t))
			if p.interactive.args != nil {
				r := startInterruptible(t, p, cursorcli, p.interactive.args(task))
				r.awaitCommand()
				r.terminal.write(p.interactive.key)
				ends := r.commandEnds()
				r.record(&b, "interrupted call: "+map[string]string{escape: "Escape", ctrlC: "Ctrl-C"}[p.interactive.key], ends)
				r.end()
			}
			r := startInterruptible(t, p, cursorcli, p.args(task))
			r.awaitCommand()
			r.terminal.write(ctrlC)
			ends := r.commandEnds()
			r.end()
			r.record(&b, "interrupted run without an interface: Ctrl-C", ends)
			compare(t, filepath.Join("testdata", p.name+".interrupt.txt"), b.String())
		})
	}
}

// interruptible is a run of a program in a terminal, whose model calls a tool that runs a command.
type interruptible struct {
	*run
	terminal *terminal
	running  chan *os.File // receives the pipe that the command holds open, when the command runs
	command  *os.File      // the pipe of the command; nil before its start
	process  *os.Process
	ended    chan struct{} // closed when the program has ended
}

// startInterruptible starts a program with arguments.
func startInterruptible(t *testing.T, p agentProgram, cursorcli string, args []string) *interruptible {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const tool = "execute_command"
	steps := []agentmodel.Step{{Text: "I run a command.", Server: "cursorcli", Tool: tool, Args: object{"command": "sleep 600 > " + pipeName, "timeout": 600_000}}, {Text: "Done."}}
	if p.search != nil {
		steps = slices.Insert(steps, 0, p.search([]string{"mcp__cursorcli__" + tool}))
	}
	r := newRun(t, p, agentmodel.Start(t, agentmodel.Play(task, steps)))
	r.limit = maxStart
	r.commands = map[string][]string{"cursorcli": {self, relayCommand, r.log(), cursorcli, "-root", r.project, "-profile", "coding"}}
	p.configure(r)
	pipe := filepath.Join(r.project, pipeName)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := r.command(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	i := &interruptible{run: r, running: make(chan *os.File, 1), terminal: startTerminal(t, cmd), process: cmd.Process, ended: make(chan struct{})}
	go func() {
		defer close(i.running)
		if f, err := os.Open(pipe); err == nil { // waits for the command
			i.running <- f
		}
	}()
	t.Cleanup(func() {
		if f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // ends the waiting
			_ = f.Close()
		}
		if i.command != nil {
			_ = i.command.Close()
		} else if f := <-i.running; f != nil {
			_ = f.Close()
		}
	})
	go func() {
		defer close(i.ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(i.kill)
	return i
}

// awaitCommand waits until the command runs.
func (i *interruptible) awaitCommand() {
	i.t.Helper()
	select {
	case i.command = <-i.running:
		return
	case <-i.ended:
		i.t.Errorf("%s has ended before the command", i.program.name)
	case <-time.After(maxStart):
		i.t.Errorf("the command was not started within %v", maxStart)
	}
	text := i.terminal.text()
	i.t.Fatalf("server:\n%s\nterminal:\n%q", i.input(), text[max(0, len(text)-5000):])
}

// commandEnds reports whether the command ends after an interruption.
func (i *interruptible) commandEnds() bool {
	i.t.Helper()
	if err := i.command.SetReadDeadline(time.Now().Add(maxInterrupt)); err != nil {
		i.t.Fatal(err)
	}
	_, err := i.command.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// input returns the log of the server's input.
func (i *interruptible) input() string {
	data, err := os.ReadFile(i.log())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.t.Error(err)
	}
	return string(data)
}

// record records the effects of an interruption.
func (i *interruptible) record(b *strings.Builder, name string, ends bool) {
	received, log := "nothing", i.input()
	switch {
	case strings.Contains(log, "signal interrupt\n"): // a cancellation may follow, and be late
		received = "SIGINT"
	case strings.Contains(log, "cancelled "):
		received = "notifications/cancelled"
	}
	state := map[bool]string{true: "ends", false: "goes on"}
	fmt.Fprintf(b, "\n== %s\nserver receives: %s\ncommand: %s\n", name, received, state[ends])
}

// end ends the program, and checks that its server and the command end with it.
func (i *interruptible) end() {
	i.t.Helper()
	i.terminal.close()
	select {
	case <-i.ended:
	case <-time.After(maxInterrupt):
		i.kill()
	}
	if stop := i.program.stop; stop != nil {
		if out, err := i.run.command(stop...).CombinedOutput(); err != nil {
			i.t.Errorf("stop %s: %v\n%s", i.program.name, err, out)
		}
	}
	var server int
	if _, err := fmt.Sscanf(i.input(), "server %d", &server); err != nil {
		i.t.Errorf("%s has not started the server: %v", i.program.name, err)
		return
	}
	waittest.Until(i.t, "the server ends", func() bool { return !isRunning(server) })
	if !i.commandEnds() {
		i.t.Errorf("the command goes on after the end of %s", i.program.name)
	}
}

// kill kills the program and its process group.
func (i *interruptible) kill() {
	select {
	case <-i.ended:
	default:
		_ = syscall.Kill(-i.process.Pid, syscall.SIGKILL)
		<-i.ended
	}
}

// isRunning reports whether a process runs and is not a zombie.
func isRunning(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(line) > 0
}
