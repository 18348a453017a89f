package gemini

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is how settings call this executor.
const Name = "gemini"

// Options are the options of an Executor. The zero value runs the installed program.
type Options struct {
	// Name is how the executor is called, if there are several. Default Name.
	Name string
	// Program is the path of the program. Empty: "gemini" is looked up each time in
	// PATH, and where it is usually installed; never in the current directory.
	Program string
	// Args come before all other arguments: for a program that stands in for the real one.
	Args []string
	// Known are the models that are offered: the program cannot list its own. Default: Models.
	Known []executor.Model
	// Home is the directory in which the settings of the program are, as .gemini. Default: GEMINI_CLI_HOME, or else the
	// user's home directory.
	Home string
	// Process says how the program is run.
	Process command.Options
}

// Models returns the models of version 0.61 of the program, and the aliases for the newest
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

// Executor runs agents with the Gemini CLI. It implements executor.Executor.
type Executor struct {
	*local
	o Options
}

// local has the parts that executors with a program share.
type local = command.Local

var _ executor.Local = (*Executor)(nil)

// New makes an Executor. That the program is not there is not its error: it may be installed later.
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

// Models answers Options.Known, if the program is there.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	if err := x.Find(); err != nil {
		return nil, err
	}
	return slices.Clone(x.o.Known), ctx.Err()
}

// find looks the program up.
func (o *Options) find() (string, error) {
	path, err := command.Installed(o.Program, "gemini")
	if err != nil {
		return "", fmt.Errorf("gemini: %w", command.Advise(err, "install it (https://geminicli.com)"))
	}
	return path, nil
}

// program tells package command what is particular about the Gemini CLI.
type program struct{ o *Options }

// Decoder reads the output of one run.
func (program) Decoder() command.Decoder { return NewDecoder() }

// failures are words by which the program is known to fail.
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

// Failure classifies a failure by the program's last output.
func (program) Failure(words string) error { return failures.Cause(words) }
