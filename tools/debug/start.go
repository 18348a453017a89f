package debug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/environ"
)

// StartArgs are the arguments of debug_start.
type StartArgs struct {
	// Program is a source file, the directory of a package, or an executable, in the project.
	Program string `json:"program,omitempty" jsonschema:"description=Source file\\, package directory or executable of the project"`
	// Mode is one of ModeProgram and its like. "" is ModeProgram, or for a file that is no source ModeBinary.
	Mode string `json:"mode,omitempty" jsonschema:"enum=program,enum=test,enum=binary,enum=attach"`
	// Args are the arguments of the program.
	Args []string `json:"args,omitempty"`
	// CWD is the working directory, relative to the project root. "" is the project root, or for tests the usual directory.
	CWD string `json:"cwd,omitempty"`
	// Env are variables that are set for it.
	Env map[string]string `json:"env,omitempty"`
	// StopOnEntry stops it where it begins.
	StopOnEntry bool `json:"stopOnEntry,omitempty"`
	// Breakpoints are set before it runs.
	Breakpoints []Breakpoint `json:"breakpoints,omitempty"`
	// Adapter names one; "" is that for the language of the program.
	Adapter string `json:"adapter,omitempty" jsonschema:"description=Such as delve or debugpy; by default the one for the language"`
	// ProcessID is the process to attach to.
	ProcessID int `json:"processId,omitempty" jsonschema:"minimum=1,description=For mode attach"`
	// WaitMs is how long to wait for the program to stop or end, in milliseconds. nil is 45,000. A program that takes longer goes on.
	WaitMs *int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=45000"`
}

const (
	maxArgs = 64 << 10 // bytes of all arguments
)

// Start implements debug_start. The end of ctx before the first stop ends the session.
func (d *Debugger) Start(ctx context.Context, args StartArgs) (State, error) {
	wait, err := waiting(args.WaitMs, maxWait)
	if err != nil {
		return State{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t, err := d.checkTarget(ctx, &args)
	if err != nil {
		return State{}, err
	}
	s := d.newSession(caller.PrincipalOf(ctx), t)
	if err := d.launch(ctx, s, args); err != nil {
		s.cancel(err)
		return State{}, err
	}
	if _, err := s.await(ctx, wait); err != nil {
		s.cancel(errAbandoned)
		return State{}, fmt.Errorf("the session was ended because its call was cancelled: %w", err)
	}
	if at, _ := s.position(); at.err != nil {
		return State{}, s.withStartOutput(at.err)
	}
	return s.currentState(ctx)
}

// withStartOutput adds the output to the error of a failed session.
func (s *session) withStartOutput(err error) error {
	text, _, _ := s.output(0, maxPrinted)
	if text == "" {
		return err
	}
	return withOutput(err, text)
}

// checkTarget resolves the program and checks its permission.
func (d *Debugger) checkTarget(ctx context.Context, args *StartArgs) (target, error) {
	size := 0
	for _, arg := range args.Args {
		size += len(arg)
		if strings.ContainsRune(arg, 0) {
			return target{}, invalid("Leave it out.", "an argument holds a zero byte")
		}
	}
	switch {
	case args.Mode != "" && !slices.Contains(modes(), args.Mode):
		return target{}, invalid("Give program, test, binary or attach.", "there is no mode %s", quote(args.Mode))
	case args.Mode == ModeAttach && !d.options.Attach:
		return target{}, &security.Error{Code: security.PermissionDenied, Message: "Attaching to processes is turned off.", Next: "Start the program with debug_start instead, or ask the user to allow it."}
	case args.Mode == ModeAttach && caller.PrincipalOf(ctx) != "":
		return target{}, &security.Error{Code: security.PermissionDenied, Message: "Only the user of this machine can attach to processes.", Next: "Start the program with debug_start instead."}
	case args.Mode == ModeAttach && (args.ProcessID <= 0 || args.ProcessID == os.Getpid()):
		return target{}, invalid("Give the processId of a running program.", "the process %d cannot be attached to", args.ProcessID)
	case size > maxArgs:
		return target{}, invalid("Write it to a file, and name that.", "the arguments have %d bytes, more than %d", size, maxArgs)
	case d.root.ReadOnly() && !d.options.Sandbox.ReadOnly():
		return target{}, &security.Error{Code: security.PermissionDenied, Reason: security.ReadOnlyRoot, Message: "The project is read-only, and a program could change it.",
			Next: "Use tools that only read."}
	}
	return d.choose(ctx, args)
}

// launch starts a session that the policy allows. The audit log knows of it before.
func (d *Debugger) launch(ctx context.Context, s *session, args StartArgs) error {
	t := s.target
	how := t.adapter.Launches[t.mode]
	said, err := variables(args.Env)
	if err != nil {
		return err
	}
	cwd, err := d.directory(ctx, args.CWD)
	if err != nil {
		return err
	}
	if args.CWD == "" && how.InDir {
		cwd = t.dir
	}
	if err := s.points.add(ctx, d, args.Breakpoints); err != nil {
		return err
	}
	atEntry := args.StopOnEntry && how.Entry == "" || t.mode == ModeAttach
	if args.StopOnEntry && how.Entry != "" {
		s.points.addEntry(how.Entry)
	}
	v := values{"program": t.program, "dir": t.dir, "cwd": cwd, "args": args.Args, "env": args.Env, "stopOnEntry": atEntry, "pid": args.ProcessID}
	if args.Args == nil {
		v["args"] = []string{}
	}
	if args.Env == nil {
		v["env"] = map[string]string{}
	}
	params := map[string]any{"program": t.path, "mode": t.mode, "adapter": t.adapter.Name, "args": args.Args, "cwd": args.CWD}
	if len(args.Env) > 0 {
		params["env"] = args.Env
	}
	if t.mode == ModeAttach {
		params["processId"] = args.ProcessID
	}
	checks := s.points.expressions()
	if len(how.As) > 0 {
		if err := d.allowed(ctx, "debug_start", params, command.Command{Args: v.words(how.As), Dir: cwd, Env: said}); err != nil {
			return err
		}
	}
	if err := s.allowedExpressions(ctx, "debug_start", checks); err != nil {
		return err
	}
	return d.run(ctx, s, v, how, params)
}

// run lets a session begin.
func (d *Debugger) run(ctx context.Context, s *session, v values, how Launch, params map[string]any) (err error) {
	if err := d.enter(s); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.remove(s)
		}
	}()
	entry, err := d.audit.Begin(ctx, audit.Entry{Operation: "debug_start", Params: params})
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp(d.options.Sandbox.Temp(), "dougu-debug-")
	if err != nil {
		return recordOutcome(entry, fmt.Errorf("making the directory of the session: %w", err))
	}
	v["temp"] = temp
	t := s.target
	b := beginning{request: "launch", temp: temp, attached: t.mode == ModeAttach}
	if b.attached {
		b.request = "attach"
	}
	b.arguments, _ = v.expand(anyOf(how.Attributes))
	b.config = dap.Config{
		Name: t.adapter.Name, Command: append([]string{t.command}, v.words(t.adapter.Args)...), Dir: temp, Env: d.environ(temp, t.adapter.Env), Announces: t.adapter.Announces,
		Wrap: d.options.Sandbox.Wrap, Event: s.event, Output: s.wrote, Log: d.log, CallTimeout: d.options.CallTimeout,
	}
	if b.attached {
		b.config.Wrap = nil // processes outside are invisible inside
	}
	if b.config.Announces == "" {
		b.config.Output = nil // the adapter's own output is not output of the program
	}
	d.work.Go(func() {
		s.run(b, func(err error) {
			if errors.Is(err, errTerminated) || errors.Is(err, errStopped) || errors.Is(err, errClosed) {
				err = nil
			}
			if err := entry.End(err); err != nil {
				d.log.Error("the end of a debugging session was not recorded", "session", s.id, "error", err)
			}
		})
	})
	return nil
}

func anyOf(m map[string]any) any { return m }

// environ returns the environment of the adapter and the program.
func (d *Debugger) environ(temp string, own []string) []string {
	env := append(slices.Clone(d.base), "PWD="+temp, "TERM=dumb", "PAGER=cat", "GIT_TERMINAL_PROMPT=0")
	return append(append(env, d.options.Sandbox.Environ()...), own...)
}

// variables validates the variables of a call and lists them.
func variables(given map[string]string) (list []string, err error) {
	for name, value := range given {
		switch err := environ.Check(name, value); {
		case errors.Is(err, environ.ErrOwn):
			return nil, invalid("Leave it out.", "variables that begin with %s belong to this server", environ.OwnPrefix)
		case err != nil:
			return nil, invalid("Give names without =, and values without zero bytes.", "the variable %s cannot be set", quote(name))
		}
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list, nil
}

// directory finds where a program is to start.
func (d *Debugger) directory(ctx context.Context, name string) (string, error) {
	if name == "" {
		name = "."
	}
	info, err := d.root.Stat(ctx, name)
	if err != nil {
		return "", err
	}
	if info.Kind != security.Directory {
		return "", problem(string(security.NotDirectory), "Give a directory of the project, or none.", "%s is not a directory", quote(name))
	}
	return filepath.Join(d.root.Dirs()[info.Dir], filepath.FromSlash(info.Rel)), nil
}

// allowed asks the policy, and records a refusal.
func (d *Debugger) allowed(ctx context.Context, operation string, params map[string]any, c command.Command) error {
	refusal := d.options.Policy.Check(c)
	if refusal == nil {
		return nil
	}
	if err := d.audit.Record(ctx, audit.Entry{Operation: operation, Params: params}, 0, refusal); err != nil {
		d.log.ErrorContext(ctx, "a refusal was not recorded", "error", err)
	}
	return refusal
}

// allowedExpressions asks the policy for expressions that could run commands.
func (s *session) allowedExpressions(ctx context.Context, operation string, all []string) error {
	as := s.target.adapter.Evaluates
	if len(as) == 0 {
		return nil
	}
	for _, expression := range all {
		c := command.Command{Args: values{"expression": expression}.words(as), Dir: s.d.root.Dirs()[0]}
		if err := s.d.allowed(ctx, operation, map[string]any{"sessionId": s.id, "expression": expression}, c); err != nil {
			return err
		}
	}
	return nil
}
