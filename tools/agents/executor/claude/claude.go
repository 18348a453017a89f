package claude

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is how settings call this executor.
const Name = "claude"

// Options are the options of an Executor. The zero value runs the installed program.
type Options struct {
	// Name is how the executor is called, if there are several. Default Name.
	Name string
	// Program is the path of the program. Empty: "claude" is looked up each time in
	// PATH, and where it is usually installed; never in the current directory.
	Program string
	// Args come before all other arguments, for a program that stands in for the real one.
	Args []string
	// Known are the models that are offered: the program cannot list its own. Default: Models.
	Known []executor.Model
	// CompleteMessages has text told in whole messages, not as it is written.
	CompleteMessages bool
	// Process says how the program is run.
	Process command.Options
}

// Models are the names that stand for the newest of each family.
func Models() []executor.Model {
	return []executor.Model{{ID: "sonnet", Name: "Claude Sonnet", Default: true}, {ID: "opus", Name: "Claude Opus"}, {ID: "haiku", Name: "Claude Haiku"}}
}

// Executor runs agents with Claude Code. It implements executor.Executor.
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
		return nil, fmt.Errorf("claude: %w", err)
	}
	x := &Executor{o: o}
	x.local = command.NewLocal(runner, "claude", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
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
	path, err := command.Installed(o.Program, "claude")
	if err != nil {
		return "", fmt.Errorf("claude: %w", command.Advise(err, "install it (https://code.claude.com)"))
	}
	return path, nil
}

// program tells package command what is particular about Claude Code.
type program struct{ o *Options }

// Decoder reads the output of one run.
func (p program) Decoder() command.Decoder { return NewDecoder() }

// failures are words by which the program is known to fail.
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

// Failure classifies a failure by the program's last output.
func (program) Failure(words string) error { return failures.Cause(words) }
