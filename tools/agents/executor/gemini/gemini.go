package gemini

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is the default name of this executor in settings and records.
const Name = "gemini"

// Options configure an Executor. The zero value runs the installed program.
type Options struct {
	// Name is the name of the executor in settings and records. Default: the constant Name.
	Name string
	// Program is the path of the program. If it is empty, each run looks up "gemini" in
	// PATH and in the usual installation directories, never in the current directory.
	Program string
	// Args are inserted before all other arguments. Tests use them to run a replacement of
	// the program.
	Args []string
	// Known are the models that Executor.Models returns, because the program cannot list
	// its models. Default: the function Models.
	Known []executor.Model
	// Home is the directory that contains the program's directory of settings, .gemini. Runs
	// with Spec.Servers copy from it.
	// Default: the variable GEMINI_CLI_HOME, or else the user's home directory.
	Home string
	// Process configures the child process.
	Process command.Options
}

// Models returns the models that version 0.61 of the program offers, and the aliases for the newest
// model of each family.
func Models() []executor.Model {
	return []executor.Model{
		{ID: "auto", Name: "Auto", Default: true},
		{ID: "pro", Name: "Pro"},
		{ID: "flash", Name: "Flash"},
		{ID: "flash-lite", Name: "Flash Lite"},
		{ID: "gemini-3.8-flash", Name: "Gemini 3.8 Flash"},
		{ID: "gemini-3.5-flash-lite", Name: "Gemini 3.5 Flash Lite"},
		{ID: "gemini-3.1-pro-preview", Name: "Gemini 3.1 Pro (preview)"},
		{ID: "gemini-3-flash-preview", Name: "Gemini 3 Flash (preview)"},
		{ID: "gemini-2.5-pro", Name: "Gemini 2.5 Pro"},
		{ID: "gemini-2.5-flash", Name: "Gemini 2.5 Flash"},
	}
}

// Executor runs agents with the Gemini CLI. It implements executor.Local. Its methods may
// be called concurrently.
type Executor struct {
	*local
	o Options
}

// local contains the methods that all executors for local programs share: Name, Find, Run
// and Close. Executor embeds this alias so that the embedded field is not exported.
type local = command.Local

var _ executor.Local = (*Executor)(nil)

// New returns an Executor, or an error for invalid Options. It does not look for the
// program, which may be installed later.
func New(o Options) (*Executor, error) {
	o.Name = cmp.Or(o.Name, Name)
	if o.Known == nil {
		o.Known = Models()
	}
	runner, err := command.New(o.Process)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	x := &Executor{o: o}
	x.local = command.NewLocal(runner, "gemini", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
	return x, nil
}

// Models returns Options.Known. The error wraps executor.ErrUnavailable if the program is
// missing.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	if err := x.Find(); err != nil {
		return nil, err
	}
	return slices.Clone(x.o.Known), ctx.Err()
}

// find returns the path of the program.
func (o *Options) find() (string, error) {
	path, err := command.Installed(o.Program, "gemini")
	if err != nil {
		return "", fmt.Errorf("gemini: %w", command.Advise(err, "install it (https://geminicli.com)"))
	}
	return path, nil
}

// program implements command.Program for the Gemini CLI. Its method Command, in another file,
// builds the command line.
type program struct{ o *Options }

// Decoder returns a Decoder for the output of one run.
func (program) Decoder() command.Decoder { return NewDecoder() }

// failures maps words of a failure message to its cause, in lower case.
var failures = command.Failures{
	{Words: "is not found for api version", Cause: executor.ErrUnknownModel},
	{Words: "model not found", Cause: executor.ErrUnknownModel},
	{Words: "modelnotfounderror", Cause: executor.ErrUnknownModel},
	{Words: "api key not valid", Cause: executor.ErrUnauthenticated},
	{Words: "please set an auth method", Cause: executor.ErrUnauthenticated},
	{Words: "invalid auth method selected", Cause: executor.ErrUnauthenticated},
	{Words: "gemini_api_key environment variable", Cause: executor.ErrUnauthenticated},
	{Words: "manual authorization is required", Cause: executor.ErrUnauthenticated},
	{Words: "unauthenticated", Cause: executor.ErrUnauthenticated},
}

// Failure returns the cause of a failure message, or nil if it is not recognized.
func (program) Failure(words string) error { return failures.Cause(words) }
