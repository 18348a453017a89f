package terminal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/internal/spool"
)

const (
	// maxWait is the longest that a call blocks: clients give up after a minute.
	maxWait        = 50 * time.Second
	defaultTimeout = 60 * time.Second
	// backgroundWait is how long a call waits for a command in the background, so
	// that one that fails at once is seen to.
	backgroundWait = 250 * time.Millisecond
)

// CommandArgs are the arguments of execute_command.
type CommandArgs struct {
	// Command is a line for the shell, or with Args a program.
	Command string `json:"command" jsonschema:"minLength=1,description=Shell line; with args a program"`
	// Args are the arguments of the program. If they are not nil there is no shell, so
	// that nothing in them needs quotes.
	Args []string `json:"args,omitempty" jsonschema:"description=Run without a shell"`
	// CWD is the directory to start in: relative to the project root, or absolute and
	// in the project.
	CWD string `json:"cwd,omitempty"`
	// Timeout is after how many milliseconds the command is ended. 0 is
	// Options.Timeout, or in the background never.
	Timeout int `json:"timeout,omitempty" jsonschema:"minimum=1,maximum=86400000,description=ms; 60000 if not set\\, in background none"`
	// Background answers soon, with a process id for the other tools, and gives the
	// command an input that can be written to.
	Background bool `json:"background,omitempty"`
	// WaitMs is how many milliseconds to wait for the end; then the command goes on
	// and the answer has its process id. nil is as long as Timeout, at most 50,000,
	// and 250 in the background.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=50000,description=Answer after so many ms\\, running or not"`
	// Env are variables that are set for it.
	Env map[string]string `json:"env,omitempty"`
	// Stdin is what it reads; then its input ends, unless it has a terminal. nil is
	// nothing, except in the background or on a terminal, where send_process_input
	// can follow.
	Stdin *string `json:"stdin,omitempty"`
	// MaxOutput bounds the output in the answer, in bytes. 0 is the budget of the
	// set.
	MaxOutput int `json:"maxOutput,omitempty" jsonschema:"minimum=1"`
	// PTY runs it on a terminal of 40 lines and 120 columns, where output has one
	// stream.
	PTY bool `json:"pty,omitempty" jsonschema:"description=On a terminal"`
	// KeepEscapes leaves escapes, such as those for colours, in the output.
	KeepEscapes bool `json:"keepEscapes,omitempty"`
}

// CommandResult is what execute_command answers.
type CommandResult struct {
	// ExitCode is -1 while the command runs, and 128 and its number after a signal.
	ExitCode int `json:"exitCode"`
	// Signal is the one that has ended it, such as SIGKILL.
	Signal string `json:"signal,omitempty"`
	// Stdout and Stderr are what it has said, as text. Of too much the beginning and
	// the end are there, with a note between them.
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	// ExecutionTime is how long it ran, or has run so far, in milliseconds.
	ExecutionTime int64 `json:"executionTime"`
	// ProcessID names it to the other tools, if there is something left to ask; in the
	// background always.
	ProcessID string `json:"processId,omitempty"`
	// Running says that it has not ended yet.
	Running bool `json:"running,omitempty"`
	// LeftBehind says that it has ended, but programs that it has started still run.
	// Without a supervisor, as on other systems than Linux, they are known only if they
	// hold its output.
	LeftBehind bool `json:"leftBehind,omitempty"`
	// TimedOut says that it was ended because of its timeout: see TimeoutError.
	TimedOut bool `json:"timedOut,omitempty"`
	// Refused are the new paths of protected files (.mcp.json and others) that were made or changed while the command ran in a sandbox.
	// Former content is back at the old path.
	Refused []string `json:"refused,omitempty"`
	// Unrefused says why some of these files were not renamed, or not all files were checked.
	Unrefused string `json:"unrefused,omitempty"`
	// Truncated says that Stdout or Stderr lack something, which read_process_output
	// has.
	Truncated bool `json:"truncated,omitempty"`

	offers offering
}

// Execute is execute_command. The output of a command that has ended with an exit
// code other than 0 is no error; one that has not ended within its timeout is a
// *TimeoutError, beside the result. A call whose context ends, ends the command.
func (t *Terminal) Execute(ctx context.Context, args CommandArgs) (CommandResult, error) {
	wait, err := args.wait(t.options.Timeout)
	if err != nil {
		return CommandResult{}, err
	}
	budget, err := t.budget(args.MaxOutput)
	if err != nil {
		return CommandResult{}, err
	}
	j := job{
		operation: "execute_command", line: args.Command, cwd: args.CWD, env: args.Env, stdin: args.Stdin, pty: args.PTY,
		timeout: args.timeout(t.options.Timeout), input: args.Background && args.Stdin == nil,
	}
	if args.Args != nil {
		j.args = append([]string{args.Command}, args.Args...)
	}
	p, err := t.start(ctx, j)
	if err != nil {
		return CommandResult{}, err
	}
	if _, err := await(ctx, p.over, wait, p.tell); err != nil {
		p.abandon()
		return CommandResult{}, fmt.Errorf("the command was ended because nobody waits for it any more: %w", err)
	}
	r := p.result(budget, args.KeepEscapes)
	switch {
	case args.Background:
		r.ProcessID = p.id // however soon it has ended
	case r.ProcessID == "":
		p.forget()
	}
	if r.TimedOut {
		return r, &TimeoutError{Result: r, timeout: j.timeout}
	}
	return r, nil
}

func (a *CommandArgs) timeout(usual time.Duration) time.Duration {
	if a.Timeout == 0 && !a.Background {
		return usual
	}
	return time.Duration(a.Timeout) * time.Millisecond
}

// wait is how long the call waits. A timeout that comes sooner is waited for, and
// for what it takes to end the command then.
func (a *CommandArgs) wait(usual time.Duration) (time.Duration, error) {
	if a.WaitMs != nil {
		return waiting(*a.WaitMs)
	}
	if a.Background {
		return backgroundWait, nil
	}
	return min(a.timeout(usual)+timeoutGrace+time.Second, maxWait), nil
}

// waiting checks a time to wait.
func waiting(ms int) (time.Duration, error) {
	wait := time.Duration(ms) * time.Millisecond
	if wait < 0 || wait > maxWait {
		return 0, invalid("Give a waitMs of 0 to 50000, and call again for more.", "waitMs %d is out of bounds", ms)
	}
	return wait, nil
}

// budget is how much output an answer may have.
func (t *Terminal) budget(asked int) (int, error) {
	switch {
	case asked == 0:
		return t.limits.Answer, nil
	case asked < 0 || asked > t.limits.MaxAnswer:
		return 0, invalid(fmt.Sprintf("Give 1 to %d bytes.", t.limits.MaxAnswer), "%d bytes of output are out of bounds", asked)
	}
	return asked, nil
}

// result tells of a process as it is now, with up to budget bytes of what it has
// said.
func (p *proc) result(budget int, ansi bool) CommandResult {
	s := p.state() // before the output: who has ended has said all
	r := CommandResult{
		ExitCode: s.exit.Code, Signal: s.exit.Signal, ExecutionTime: s.took.Milliseconds(),
		Running: s.running, TimedOut: s.timedOut, LeftBehind: p.leftBehind(), offers: p.offers,
	}
	_, out, errs := p.out.Sizes()
	forErrs := min(errs, max(int64(budget)/2, int64(budget)-out))
	var cutOut, cutErrs bool
	r.Stdout, out, cutOut = p.digest(spool.Stdout, out, int64(budget)-forErrs, ansi)
	r.Stderr, errs, cutErrs = p.digest(spool.Stderr, errs, forErrs, ansi)
	p.saw(spool.Stdout, out)
	p.saw(spool.Stderr, errs)
	p.saw(spool.Both, out+errs)
	r.Truncated = cutOut || cutErrs
	if !r.Running {
		r.Refused, r.Unrefused = p.refused, p.unrefused
	}
	if r.Truncated || r.Running || r.LeftBehind {
		r.ProcessID = p.id
	}
	return r
}

// TextContent is a line about the process, and what it has said.
func (r CommandResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + r.headline() + "]\n")
	b.WriteString(r.Stdout)
	if r.Stderr != "" {
		if r.Stdout != "" && !strings.HasSuffix(r.Stdout, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("[stderr]\n" + r.Stderr)
	}
	if strings.Contains(r.Stderr, "could not write config file") && strings.Contains(r.Stderr, ".git/config: Device or resource busy") {
		b.WriteString("\n[commands cannot change the repository's configuration; use git -c KEY=VALUE or git push REMOTE BRANCH, or ask the user]")
	}
	for _, path := range r.Refused {
		b.WriteString("\n[a protected file that was made or changed was renamed to " + path + "; its former content, if it had one, is back; ask the user to change it]")
	}
	if r.Unrefused != "" {
		b.WriteString("\n[about protected files, tell the user: " + r.Unrefused + "]")
	}
	return b.String()
}

func (r CommandResult) headline() string {
	took := time.Duration(r.ExecutionTime) * time.Millisecond
	switch {
	case r.Running:
		return fmt.Sprintf("still running after %v as process %s: %s", took, r.ProcessID, r.offers.follow())
	case r.TimedOut:
		return fmt.Sprintf("ended by its timeout after %v%s", took, r.about())
	case r.Signal != "":
		return fmt.Sprintf("ended by %s after %v%s", r.Signal, took, r.about())
	}
	return fmt.Sprintf("exit code %d after %v%s", r.ExitCode, took, r.about())
}

func (r CommandResult) about() string {
	switch {
	case r.LeftBehind && r.ProcessID != "":
		return leftNote(r.ProcessID)
	case r.Truncated:
		return "; " + r.offers.whole(r.ProcessID)
	}
	return ""
}
