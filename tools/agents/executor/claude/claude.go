package claude

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is the default name of this executor in settings and records.
const Name = "claude"

// Options configure an Executor. The zero value runs the installed program.
type Options struct {
	// Name is the name of the executor in settings and records. Default: the constant Name.
	Name string
	// Program is the path of the program. If it is empty, each run looks up "claude" in
	// PATH and in the usual installation directories, never in the current directory.
	Program string
	// Args are inserted before all other arguments. Tests use them to run a replacement of
	// the program.
	Args []string
	// Known are the models that Executor.Models returns, because the program cannot list
	// its models. Default: the function Models.
	Known []executor.Model
	// CompleteMessages reports text as complete messages (Said) without Delta events.
	CompleteMessages bool
	// Process configures the child process.
	Process command.Options
}

// Models returns the aliases for the newest model of each family.
func Models() []executor.Model {
	return []executor.Model{{ID: "sonnet", Name: "Claude Sonnet", Default: true}, {ID: "opus", Name: "Claude Opus"}, {ID: "haiku", Name: "Claude Haiku"}}
}

// Executor runs agents with Claude Code. It implements executor.Local. Its methods may be
// called concurrently.
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
		return nil, fmt.Errorf("claude: %w", err)
	}
	x := &Executor{o: o}
	x.local = command.NewLocal(runner, "claude", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
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
	path, err := command.Installed(o.Program, "claude")
	if err != nil {
		return "", fmt.Errorf("claude: %w", command.Advise(err, "install it (https://code.claude.com)"))
	}
	return path, nil
}

// program implements command.Program for Claude Code. Its method Command, in another file,
// builds the command line.
type program struct{ o *Options }

// Decoder returns a Decoder for the output of one run.
func (p program) Decoder() command.Decoder { return NewDecoder() }

// failures maps words of a failure message to its cause, in lower case.
var failures = command.Failures{
	{Words: "issue with the selected model", Cause: executor.ErrUnknownModel},
	{Words: "not_found_error: model", Cause: executor.ErrUnknownModel},
	{Words: "invalid model", Cause: executor.ErrUnknownModel},
	{Words: "invalid api key", Cause: executor.ErrUnauthenticated},
	{Words: "please run /login", Cause: executor.ErrUnauthenticated},
	{Words: "not logged in", Cause: executor.ErrUnauthenticated},
	{Words: "authentication_error", Cause: executor.ErrUnauthenticated},
	{Words: "oauth token has expired", Cause: executor.ErrUnauthenticated},
}

// Failure returns the cause of a failure message, or nil if it is not recognized.
func (program) Failure(words string) error { return failures.Cause(words) }
