package cursor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is how settings call this executor.
const Name = "cursor"

// Via is how the program is given the prompt.
type Via string

// Options are the options of an Executor. The zero value runs the installed program.
type Options struct {
	// Name is how the executor is called, if there are several. Default Name.
	Name string
	// Program is the path of the program. Empty: "cursor-agent" or "agent" is
	// looked up each time in PATH, and where it is usually installed; never in the
	// current directory.
	Program string
	// Args come before all other arguments, for a program that stands in for the real one.
	Args []string
	// Via is how the prompt is handed over. Default Stdin.
	Via Via
	// ConfigDir is where the settings of the program are, of which each agent gets a
	// copy, and its sessions, which all share. Default: CURSOR_CONFIG_DIR, or else
	// where the program looks; with Args: none.
	ConfigDir string
	// SharedConfig leaves the program its own settings, as is done anyway where links
	// to files cannot be made. Agents that begin at once may then fail, with builds
	// before July 2026, and Spec.Tools and Spec.Servers mean nothing.
	SharedConfig bool
	// KeepMCPClosed leaves MCP servers unapproved that the user has not approved.
	KeepMCPClosed bool
	// Sandbox is "enabled" or "disabled"; empty leaves it to the program's settings.
	Sandbox string
	// Whole has text told in whole messages, not as it is written.
	Whole bool
	// Process says how the program is run.
	Process command.Options
}

// Executor runs agents with the Cursor CLI. It implements executor.Executor.
type Executor struct {
	*local
	o      Options
	runner *command.Runner
}

// local has the parts that executors with a program share.
type local = command.Local

// New makes an Executor. That the program is not there is not its error: it may be installed later.
func New(o Options) (*Executor, error) {
	o.Name = cmp.Or(o.Name, Name)
	o.Via = cmp.Or(o.Via, Stdin)
	if o.Via != Stdin && o.Via != Argument {
		return nil, fmt.Errorf("cursor: a prompt is handed over by %q or %q, not by %q", Stdin, Argument, o.Via)
	}
	if !slices.Contains([]string{"", "enabled", "disabled"}, o.Sandbox) {
		return nil, fmt.Errorf(`cursor: the sandbox is "enabled" or "disabled", not %q`, o.Sandbox)
	}
	runner, err := command.New(o.Process)
	if err != nil {
		return nil, fmt.Errorf("cursor: %w", err)
	}
	x := &Executor{o: o, runner: runner}
	x.local = command.NewLocal(runner, "cursor", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
	return x, nil
}

// The ways. By its arguments other users of the machine can read a prompt, and a long one has no room there.
const (
	Stdin    Via = "stdin"
	Argument Via = "arg"
)

var _ executor.Local = (*Executor)(nil)

// modelsPatience bounds how long the list of models is waited for.
const modelsPatience = 30 * time.Second

// Models asks the program for its models. The list is not kept here.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	path, err := x.o.find()
	if err != nil {
		return nil, err
	}
	answer, err := x.runner.Ask(ctx, command.Call{Path: path, Args: append(slices.Clone(x.o.Args), "models")}, modelsPatience)
	if err != nil {
		return nil, fmt.Errorf("cursor: listing the models: %w", err)
	}
	models := ParseModels(answer.Stdout)
	if len(models) > 0 {
		return models, nil
	}
	words := strings.TrimSpace(answer.Stderr + "\n" + answer.Stdout)
	switch cause := (program{}).Failure(words); {
	case cause != nil:
		return nil, fmt.Errorf("cursor: listing the models: %w: %s", cause, words)
	case answer.Code != 0:
		return nil, fmt.Errorf("cursor: listing the models: %w: it ended with code %d: %s", executor.ErrUnavailable, answer.Code, words)
	case strings.Contains(strings.ToLower(words), "no models"):
		return nil, fmt.Errorf("cursor: %w: it has no models; log in with %q, or set CURSOR_API_KEY", executor.ErrUnauthenticated, "agent login")
	}
	return nil, fmt.Errorf("cursor: listing the models: %w: its answer names none: %s", executor.ErrUnavailable, words)
}

// find looks the program up.
func (o *Options) find() (string, error) {
	names, places := []string{o.Program}, []string(nil)
	if o.Program == "" {
		// The first is nobody else's name.
		names, places = []string{"cursor-agent", "agent"}, command.Places()
		if runtime.GOOS == "windows" {
			places = append(places, filepath.Join(homeDir(), "AppData", "Local", "cursor-agent"))
		}
	}
	path, err := command.Find(names, places...)
	if err != nil {
		return "", fmt.Errorf("cursor: %w", command.Advise(err, "install it (https://cursor.com/cli)"))
	}
	return path, nil
}

// program tells package command what is particular about the Cursor CLI.
type program struct{ o *Options }

// Decoder reads the output of one run.
func (p program) Decoder() command.Decoder {
	d := NewDecoder()
	d.Whole = p.o.Whole
	return d
}

// failures are words by which the program is known to fail.
var failures = command.Failures{
	{Words: "cannot use this model", Cause: executor.ErrUnknownModel},
	{Words: "unknown model", Cause: executor.ErrUnknownModel},
	{Words: "invalid model", Cause: executor.ErrUnknownModel},
	{Words: "model not found", Cause: executor.ErrUnknownModel},
	{Words: "authentication required", Cause: executor.ErrUnauthenticated},
	{Words: "not logged in", Cause: executor.ErrUnauthenticated},
	{Words: "agent login", Cause: executor.ErrUnauthenticated},
	{Words: "invalid api key", Cause: executor.ErrUnauthenticated},
	{Words: "api key is invalid", Cause: executor.ErrUnauthenticated},
	{Words: "unauthorized", Cause: executor.ErrUnauthenticated},
}

// Failure classifies a failure by the program's last output.
func (program) Failure(words string) error { return failures.Cause(words) }

// errLongPrompt is the error for a prompt that has no room in an argument.
var errLongPrompt = errors.New("the prompt is too long for an argument of a program; hand it over by standard input")

// maxArgument is the longest prompt that is handed over as an argument, in bytes:
// Linux takes 128 KB an argument, Windows 32 KB for all.
func maxArgument() int {
	if runtime.GOOS == "windows" {
		return 24 << 10
	}
	return 120 << 10
}

// Command makes the call of a run.
func (p program) Command(_ context.Context, s executor.Spec, scratch func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	call := command.Call{Path: path, Args: p.args(s), Env: s.Env, Dir: s.Dir, Input: s.Prompt}
	if p.o.Via == Argument {
		if len(s.Prompt) > maxArgument() || strings.ContainsRune(s.Prompt, 0) {
			return command.Call{}, errLongPrompt
		}
		call.Input = ""
		call.Args = append(call.Args, argument(s.Prompt))
	}
	if p.o.SharedConfig {
		return call, nil
	}
	dir, err := scratch()
	if err == nil {
		err = p.o.configure(dir, s)
	}
	if errors.Is(err, errLinks) && len(s.Tools) == 0 {
		return call, nil // sessions are worth more than settings of its own
	}
	if err != nil {
		return command.Call{}, err
	}
	call.Env = append(slices.Clone(call.Env), "CURSOR_CONFIG_DIR="+dir)
	return call, nil
}

// args are the arguments of a run.
func (p program) args(s executor.Spec) []string {
	args := append(slices.Clone(p.o.Args), "-p", "--output-format", "stream-json")
	if !p.o.Whole {
		args = append(args, "--stream-partial-output")
	}
	if s.ReadOnly {
		args = append(args, "--mode", "ask")
	} else if s.Trust {
		args = append(args, "--force")
	}
	if s.Trust {
		args = append(args, "--trust")
		if !p.o.KeepMCPClosed {
			args = append(args, "--approve-mcps")
		}
	}
	for _, option := range []struct{ name, value string }{
		{"--workspace", s.Dir}, // whose servers and rules count; else the program guesses
		{"--model", s.Model}, {"--sandbox", p.o.Sandbox}, {"--resume", s.Resume},
	} {
		if option.value != "" {
			args = append(args, option.name, option.value)
		}
	}
	return args
}

// argument is a prompt that cannot be taken for an option.
func argument(prompt string) string {
	if strings.HasPrefix(prompt, "-") {
		return "\n" + prompt
	}
	return prompt
}
