package terminal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/internal/spool"
)

const (
	// maxWait is the longest waitMs, and the default of Options.MaxWait.
	maxWait        = 50 * time.Second
	defaultTimeout = 60 * time.Second
	// backgroundWait is the time that a call waits for a command in the background, so that an immediate failure is reported.
	backgroundWait = 250 * time.Millisecond
)

// CommandArgs are the arguments of execute_command.
type CommandArgs struct {
	// Command is a shell line, or with Args a program.
	Command string `json:"command" jsonschema:"minLength=1,description=Shell line; with args a program"`
	// Args are the arguments of the program. If they are not nil, the program runs without a shell and needs no quoting.
	Args []string `json:"args,omitempty" jsonschema:"description=Run without a shell"`
	// CWD is the working directory, relative to the project root or absolute and inside the project.
	CWD string `json:"cwd,omitempty"`
	// Timeout is the time in milliseconds after which the command is ended. 0 is Options.Timeout, or no timeout in the
	// background.
	Timeout int `json:"timeout,omitempty" jsonschema:"minimum=1,maximum=86400000,description=ms; 60000 if not set\\, in background none"`
	// Background returns soon with a process ID for the other tools, and gives the command a writable input.
	Background bool `json:"background,omitempty"`
	// WaitMs is the time in milliseconds to wait for the end. Then the command continues, and the answer has its process ID.
	// nil is Timeout, at most 50,000, or 250 in the background.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=50000,description=Maximum wait for the answer in ms"`
	// Env are additional environment variables.
	Env map[string]string `json:"env,omitempty"`
	// Stdin is the standard input. It ends afterwards, unless the command has a terminal. nil means no input, except in the
	// background or on a terminal, where send_process_input can follow.
	Stdin *string `json:"stdin,omitempty"`
	// MaxOutput is the most bytes of output in the answer. 0 is the budget of the set.
	MaxOutput int `json:"maxOutput,omitempty" jsonschema:"minimum=1"`
	// PTY runs the command on a terminal of 40 lines and 120 columns, with one output stream.
	PTY bool `json:"pty,omitempty" jsonschema:"description=On a terminal"`
	// KeepEscapes keeps escape sequences, for example of colours, in the output.
	KeepEscapes bool `json:"keepEscapes,omitempty"`
}

// CommandResult is the result of execute_command.
type CommandResult struct {
	// ExitCode is -1 while the command runs, and 128 plus the signal number after a signal.
	ExitCode int `json:"exitCode"`
	// Signal is the signal that ended the command, for example SIGKILL.
	Signal string `json:"signal,omitempty"`
	// Stdout and Stderr are the output as text. Long output is reduced to its beginning and end with a note between them.
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	// ExecutionTime is the running time in milliseconds.
	ExecutionTime int64 `json:"executionTime"`
	// ProcessID identifies the process for the other tools. It is set in the background, and if the process runs or has further
	// output.
	ProcessID string `json:"processId,omitempty"`
	// Running means that the command has not ended.
	Running bool `json:"running,omitempty"`
	// LeftBehind means that the command has ended and processes that it started still run. Without a supervisor, as on systems
	// other than Linux, only processes that hold its output are known.
	LeftBehind bool `json:"leftBehind,omitempty"`
	// TimedOut means that the command exceeded its timeout; see TimeoutError.
	TimedOut bool `json:"timedOut,omitempty"`
	// Refused are the new paths of protected files (.mcp.json and others) that a command in a sandbox created or changed. The
	// former content is back at the old path.
	Refused []string `json:"refused,omitempty"`
	// Unrefused is the reason if some of these files were not renamed or checked.
	Unrefused string `json:"unrefused,omitempty"`
	// Truncated means that Stdout or Stderr is incomplete. read_process_output has the rest.
	Truncated bool `json:"truncated,omitempty"`

	offers offering
}

// Execute implements execute_command. An exit code other than 0 is no error. A command that exceeds its timeout is a
// *TimeoutError beside the result. The end of ctx ends the command.
func (t *Terminal) Execute(ctx context.Context, args CommandArgs) (CommandResult, error) {
	wait, err := args.wait(t.options.Timeout, t.options.MaxWait)
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
	if _, err := await(ctx, p.over, wait, p.reportProgress); err != nil {
		p.abandon()
		return CommandResult{}, fmt.Errorf("the command was ended because its call was cancelled: %w", err)
	}
	r := p.result(budget, args.KeepEscapes)
	switch {
	case args.Background:
		r.ProcessID = p.id // set even if the command has ended already
	case r.ProcessID == "":
		p.forget()
	}
	if r.TimedOut {
		return r, &TimeoutError{Result: r, timeout: j.timeout}
	}
	return r, nil
}

// timeout returns the timeout of the command.
func (a *CommandArgs) timeout(usual time.Duration) time.Duration {
	if a.Timeout == 0 && !a.Background {
		return usual
	}
	return time.Duration(a.Timeout) * time.Millisecond
}

// wait returns the time that the call waits. A shorter timeout is included, with the time to end the command.
func (a *CommandArgs) wait(usual, most time.Duration) (time.Duration, error) {
	if a.WaitMs != nil {
		return parseWait(*a.WaitMs)
	}
	if a.Background {
		return backgroundWait, nil
	}
	return min(a.timeout(usual)+timeoutGrace+time.Second, most), nil
}

// parseWait validates a time to wait.
func parseWait(ms int) (time.Duration, error) {
	wait := time.Duration(ms) * time.Millisecond
	if wait < 0 || wait > maxWait {
		return 0, invalid("Give a waitMs of 0 to 50000, and call again for more.", "waitMs %d is out of bounds", ms)
	}
	return wait, nil
}

// budget returns the bytes of output in an answer.
func (t *Terminal) budget(asked int) (int, error) {
	switch {
	case asked == 0:
		return t.limits.Answer, nil
	case asked < 0 || asked > t.limits.MaxAnswer:
		return 0, invalid(fmt.Sprintf("Give 1 to %d bytes.", t.limits.MaxAnswer), "%d bytes of output are out of bounds", asked)
	}
	return asked, nil
}

// result returns the present state of a process, with up to budget bytes of output.
func (p *proc) result(budget int, ansi bool) CommandResult {
	s := p.state() // read before the output: after the end the output is complete
	r := CommandResult{
		ExitCode: s.exit.Code, Signal: s.exit.Signal, ExecutionTime: s.took.Milliseconds(),
		Running: s.running, TimedOut: s.timedOut, LeftBehind: p.leftBehind(), offers: p.offers,
	}
	_, out, errs := p.out.Sizes()
	forErrs := min(errs, max(int64(budget)/2, int64(budget)-out))
	var cutOut, cutErrs bool
	r.Stdout, out, cutOut = p.excerpt(spool.Stdout, out, int64(budget)-forErrs, ansi)
	r.Stderr, errs, cutErrs = p.excerpt(spool.Stderr, errs, forErrs, ansi)
	p.markSeen(spool.Stdout, out)
	p.markSeen(spool.Stderr, errs)
	p.markSeen(spool.Both, out+errs)
	r.Truncated = cutOut || cutErrs
	if !r.Running {
		r.Refused, r.Unrefused = p.refused, p.unrefused
	}
	if r.Truncated || r.Running || r.LeftBehind {
		r.ProcessID = p.id
	}
	return r
}

// TextContent returns the text for the model: a line about the process, and its output.
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

// headline returns the first line.
func (r CommandResult) headline() string {
	took := time.Duration(r.ExecutionTime) * time.Millisecond
	switch {
	case r.Running:
		return fmt.Sprintf("still running after %v as process %s: %s", took, r.ProcessID, r.offers.followAdvice())
	case r.TimedOut:
		return fmt.Sprintf("ended by its timeout after %v%s", took, r.notes())
	case r.Signal != "":
		return fmt.Sprintf("ended by %s after %v%s", r.Signal, took, r.notes())
	}
	return fmt.Sprintf("exit code %d after %v%s", r.ExitCode, took, r.notes())
}

// notes returns the notes on the process.
func (r CommandResult) notes() string {
	switch {
	case r.LeftBehind && r.ProcessID != "":
		return leftNote(r.ProcessID)
	case r.Truncated:
		return "; " + r.offers.outputAdvice(r.ProcessID)
	}
	return ""
}
