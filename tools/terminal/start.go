package terminal

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/pty"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

const (
	maxLine     = 64 << 10 // most bytes of a command with its arguments
	maxStdin    = 10 << 20
	maxTimeout  = 24 * time.Hour
	ptyRows     = 40
	ptyColumns  = 120
	shownParams = 2 << 10 // most bytes of a command in a list
)

// job is a command to start.
type job struct {
	operation string // name of the tool for the audit log
	line      string // shell line, unless there are args
	args      []string
	cwd       string
	env       map[string]string
	extra     []string // variables that this program adds
	stdin     *string
	input     bool // the input stays writable
	pty       bool
	timeout   time.Duration // 0 is no timeout
	merge     bool          // stdout and stderr are one stream
	batch     bool          // the program may be a batch file, because args contain no shell syntax
	observe   func(s process.Stream, p []byte)
}

// display returns the command line for people.
func (j *job) display() string {
	if j.args == nil {
		return j.line
	}
	words := make([]string, len(j.args))
	for i, arg := range j.args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$`;&|<>()*?[]{}~#!") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// check validates a job.
func (j *job) check() error {
	size := len(j.line)
	for _, arg := range j.args {
		size += len(arg) + 1
	}
	switch {
	case j.args == nil && strings.TrimSpace(j.line) == "", j.args != nil && j.args[0] == "":
		return invalid("Give a command.", "there is no command")
	case size > maxLine:
		return invalid("Write it to a file and run that, or give the data as stdin.", "the command has %d bytes, more than %d", size, maxLine)
	case strings.ContainsRune(j.line, 0), slices.ContainsFunc(j.args, func(a string) bool { return strings.ContainsRune(a, 0) }):
		return invalid("Leave it out.", "the command holds a zero byte")
	case j.stdin != nil && len(*j.stdin) > maxStdin:
		return invalid("Write it to a file and redirect that.", "stdin has %d bytes, more than %d", len(*j.stdin), maxStdin)
	case j.timeout < 0 || j.timeout > maxTimeout:
		return invalid("Give a timeout of 1 to 86400000 ms.", "the timeout of %v is out of bounds", j.timeout)
	}
	return nil
}

// start starts a job if the policy allows it. The audit log records it before.
func (t *Terminal) start(ctx context.Context, j job) (*proc, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, path, err := t.directory(ctx, j.cwd)
	if err != nil {
		return nil, err
	}
	env, said, err := t.environ(j.env, j.pty)
	if err != nil {
		return nil, err
	}
	cmd, err := t.command(ctx, &j, dir, said)
	if err != nil {
		return nil, err
	}
	cmd.Dir, cmd.Env = dir, append(append(env, "PWD="+dir), j.extra...)
	return t.begin(ctx, &j, cmd, path)
}

// command returns the command of a job if it is allowed.
func (t *Terminal) command(ctx context.Context, j *job, dir string, said []string) (*exec.Cmd, error) {
	c := command.Command{Dir: dir, Env: said}
	if j.args != nil {
		c.Args = j.args
	} else {
		c.Script, c.Shell = j.line, t.options.Shell
	}
	if t.root.ReadOnly() && !t.options.Sandbox.ReadOnly() {
		return nil, &security.Error{Code: security.PermissionDenied, Reason: security.ReadOnlyRoot, Message: "The project is read-only, and a command could change it.",
			Next: "Use tools that only read."}
	}
	if err := t.options.Policy.Check(c); err != nil {
		t.recordRefusal(ctx, j, err)
		return nil, err
	}
	if j.args == nil {
		return shellCommand(t.options.Shell, j.line), nil
	}
	cmd := exec.Command(j.args[0], j.args[1:]...)
	if cmd.Err == nil && !j.batch {
		if err := checkProgram(cmd.Path); err != nil {
			return nil, err
		}
	}
	return cmd, nil
}

// recordRefusal records a refused command in the audit log.
func (t *Terminal) recordRefusal(ctx context.Context, j *job, refusal error) {
	if err := t.audit.Record(ctx, audit.Entry{Operation: j.operation, Params: j.params(t.shownDir(j.cwd))}, 0, refusal); err != nil {
		t.log.ErrorContext(ctx, "a refusal was not recorded", "error", err)
	}
}

func (t *Terminal) shownDir(cwd string) string {
	if cwd == "" {
		return "."
	}
	return cwd
}

// params returns the parameters of a job for the audit log.
func (j *job) params(path string) map[string]any {
	p := map[string]any{"command": j.display(), "cwd": path}
	if len(j.env) > 0 {
		p["env"] = j.env
	}
	if j.stdin != nil {
		p["stdinBytes"] = len(*j.stdin)
		if j.shell() != "" {
			p["stdin"] = *j.stdin
		}
	}
	return p
}

// begin starts a command if a place is free.
func (t *Terminal) begin(ctx context.Context, j *job, cmd *exec.Cmd, path string) (*proc, error) {
	p := &proc{
		id: t.newID(), owner: caller.PrincipalOf(ctx), line: j.display(), path: path, dir: cmd.Dir, pty: j.pty, shell: j.shell(), offers: t.offers(), input: j.input || j.pty, observe: j.observe,
		out:       spool.New(spool.Options{Max: t.options.MaxOutput, Dir: t.options.OutputDir}),
		abandoned: make(chan struct{}), forgotten: make(chan struct{}), over: make(chan struct{}), writing: make(chan struct{}, 1),
	}
	if err := t.reserve(p.owner); err != nil {
		return nil, err
	}
	entry, err := t.audit.Begin(ctx, audit.Entry{Operation: j.operation, Params: j.params(path)})
	if err != nil {
		t.unreserve(p.owner)
		return nil, err
	}
	o := process.CaptureOptions{Output: p.store, Input: p.input || j.stdin != nil, Merge: j.merge, Mark: t.mark}
	if j.pty {
		o.Terminal = pty.Size{Rows: ptyRows, Columns: ptyColumns}.Open
	}
	p.protection = t.options.Sandbox.Protect()
	o.Wrap = p.protection.Wrap
	p.started = time.Now()
	p.Captured, err = process.Capture(cmd, o)
	if err != nil {
		t.unreserve(p.owner)
		p.protection.Close()
		err = notStarted(cmd.Args[0], err)
		return nil, errors.Join(err, entry.End(err))
	}
	t.add(p)
	t.work.Go(func() {
		t.run(p, j.timeout, func(s state) {
			if err := entry.End(outcome(s)); err != nil {
				t.log.Error("the end of a command was not recorded", "process", p.id, "error", err)
			}
		})
	})
	if j.stdin != nil {
		p.writing <- struct{}{}
		t.work.Go(func() { p.writeInitial(*j.stdin) })
	}
	return p, nil
}

// outcome returns the error for the audit log. An exit code is no error.
func outcome(s state) error {
	if s.timedOut {
		return &security.Error{Code: security.Timeout, Message: "it took too long"}
	}
	return nil
}

// shell returns the kind of shell of the job if its program reads commands from its input, otherwise "".
func (j *job) shell() string {
	if j.args != nil {
		return shellOf(j.args[0])
	}
	words := strings.Fields(j.line)
	for _, word := range words[:min(len(words), 4)] { // env, sudo, exec and similar programs can precede the shell
		if shell := shellOf(word); shell != "" {
			return shell
		}
	}
	return ""
}

// writeInitial writes the initial input of a process. On a terminal further input can follow. It holds the semaphore for writing
// meanwhile.
func (p *proc) writeInitial(text string) {
	defer func() { <-p.writing }()
	if p.pty {
		text = terminalText(text)
	}
	_, _ = p.Write([]byte(text)) // a process need not read its input
	if !p.pty {
		_ = p.CloseInput()
	}
}
