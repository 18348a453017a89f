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

// Name is the default name of this executor in settings and records.
const Name = "cursor"

// PromptInput selects how the program receives the prompt: Stdin or Argument.
type PromptInput string

// Options configure an Executor. The zero value runs the installed program.
type Options struct {
	// Name is the name of the executor in settings and records. Default: the constant Name.
	Name string
	// Program is the path of the program. If it is empty, each run looks up "cursor-agent"
	// and "agent" in PATH and in the usual installation directories, never in the current
	// directory.
	Program string
	// Args are inserted before all other arguments. Tests use them to run a replacement of
	// the program.
	Args []string
	// PromptInput selects how the program receives the prompt. Default: Stdin.
	PromptInput PromptInput
	// ConfigDir is the directory with the program's settings and sessions. Each agent gets
	// a copy of the settings; all agents share the sessions. Default: the variable
	// CURSOR_CONFIG_DIR, or else the program's default directory; with Args: none.
	ConfigDir string
	// SharedConfig makes all agents use the user's directory of settings directly.
	// Spec.Tools and Spec.Servers then have no effect, and builds before July 2026 may fail
	// if agents start at the same time. Systems without symbolic links always share the
	// directory, unless a Spec has Tools: then Run returns an error.
	SharedConfig bool
	// KeepMCPClosed starts no MCP server that the user has not approved. By default trusted
	// agents approve all of them.
	KeepMCPClosed bool
	// Sandbox is "enabled" or "disabled"; empty keeps the program's setting.
	Sandbox string
	// CompleteMessages reports text as complete messages (Said) without Delta events.
	CompleteMessages bool
	// Process configures the child process.
	Process command.Options
}

// Executor runs agents with the Cursor CLI. It implements executor.Local. Its methods may
// be called concurrently.
type Executor struct {
	*local
	o      Options
	runner *command.Runner
}

// local contains the methods that all executors for local programs share: Name, Find, Run
// and Close.
type local = command.Local

// New returns an Executor, or an error for invalid Options. It does not look for the
// program, which may be installed later.
func New(o Options) (*Executor, error) {
	o.Name = cmp.Or(o.Name, Name)
	o.PromptInput = cmp.Or(o.PromptInput, Stdin)
	if o.PromptInput != Stdin && o.PromptInput != Argument {
		return nil, fmt.Errorf("cursor: PromptInput must be %q or %q, not %q", Stdin, Argument, o.PromptInput)
	}
	if !slices.Contains([]string{"", "enabled", "disabled"}, o.Sandbox) {
		return nil, fmt.Errorf(`cursor: Sandbox must be "enabled" or "disabled", not %q`, o.Sandbox)
	}
	runner, err := command.New(o.Process)
	if err != nil {
		return nil, fmt.Errorf("cursor: %w", err)
	}
	x := &Executor{o: o, runner: runner}
	x.local = command.NewLocal(runner, "cursor", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
	return x, nil
}

// Values of PromptInput. An argument is visible to other users of the machine and limited in
// length: 120 KiB, on Windows 24 KiB.
const (
	Stdin    PromptInput = "stdin"
	Argument PromptInput = "arg"
)

var _ executor.Local = (*Executor)(nil)

// modelsTimeout limits the request for the list of models.
const modelsTimeout = 30 * time.Second

// Models runs the program to list its models. It does not cache the list. The error wraps
// executor.ErrUnavailable or executor.ErrUnauthenticated; the limit is 30 seconds.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	path, err := x.o.find()
	if err != nil {
		return nil, err
	}
	answer, err := x.runner.Ask(ctx, command.Call{Path: path, Args: append(slices.Clone(x.o.Args), "models")}, modelsTimeout)
	if err != nil {
		return nil, fmt.Errorf("cursor: list models: %w", err)
	}
	models := ParseModels(answer.Stdout)
	if len(models) > 0 {
		return models, nil
	}
	words := strings.TrimSpace(answer.Stderr + "\n" + answer.Stdout)
	switch cause := (program{}).Failure(words); {
	case cause != nil:
		return nil, fmt.Errorf("cursor: list models: %w: %s", cause, words)
	case answer.Code != 0:
		return nil, fmt.Errorf("cursor: list models: %w: the program exited with code %d: %s", executor.ErrUnavailable, answer.Code, words)
	case strings.Contains(strings.ToLower(words), "no models"):
		return nil, fmt.Errorf("cursor: %w: no models are available; log in with %q, or set CURSOR_API_KEY", executor.ErrUnauthenticated, "agent login")
	}
	return nil, fmt.Errorf("cursor: list models: %w: the output contains no models: %s", executor.ErrUnavailable, words)
}

// find returns the path of the program.
func (o *Options) find() (string, error) {
	names, places := []string{o.Program}, []string(nil)
	if o.Program == "" {
		// "cursor-agent" comes first: other products install a program named "agent", too.
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

// program implements command.Program for the Cursor CLI.
type program struct{ o *Options }

// Decoder returns a Decoder for the output of one run.
func (p program) Decoder() command.Decoder {
	d := NewDecoder()
	d.CompleteMessages = p.o.CompleteMessages
	return d
}

// failures maps words of a failure message to its cause. The words are in lower case; they match
// in any letter case.
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

// Failure returns the cause of a failure message, or nil if it is not recognized.
func (program) Failure(words string) error { return failures.Cause(words) }

// errLongPrompt reports a prompt that is too long for an argument or contains NUL.
var errLongPrompt = errors.New("the prompt is too long for an argument; pass it by standard input")

// maxArgument returns the longest prompt that is passed as an argument, in bytes. Linux
// limits one argument to 128 KiB, Windows the complete command line to 32 KiB.
func maxArgument() int {
	if runtime.GOOS == "windows" {
		return 24 << 10
	}
	return 120 << 10
}

// Command returns the command line and the environment of a run. scratch creates a directory for
// the run, and configure writes the agent's settings and links into it. configure returns
// errLinks if the system has no symbolic links.
func (p program) Command(_ context.Context, s executor.Spec, scratch func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	call := command.Call{Path: path, Args: p.args(s), Env: s.Env, Dir: s.Dir, Input: s.Prompt}
	if p.o.PromptInput == Argument {
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
		return call, nil // no links: a separate directory would lose the sessions, so the run uses the user's directory
	}
	if err != nil {
		return command.Call{}, err
	}
	call.Env = append(slices.Clone(call.Env), "CURSOR_CONFIG_DIR="+dir)
	return call, nil
}

// args returns the arguments of a run.
func (p program) args(s executor.Spec) []string {
	args := append(slices.Clone(p.o.Args), "-p", "--output-format", "stream-json")
	if !p.o.CompleteMessages {
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
		{"--workspace", s.Dir}, // selects the MCP servers and rules; without it the program guesses
		{"--model", s.Model}, {"--sandbox", p.o.Sandbox}, {"--resume", s.Resume},
	} {
		if option.value != "" {
			args = append(args, option.name, option.value)
		}
	}
	return args
}

// argument returns the prompt in a form that the program does not read as an option.
func argument(prompt string) string {
	if strings.HasPrefix(prompt, "-") {
		return "\n" + prompt
	}
	return prompt
}
