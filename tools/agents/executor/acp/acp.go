package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is how settings call this executor.
const Name = "acp"

// Options are the options of an Executor. Program is required.
type Options struct {
	// Name is how the executor is called, if there are several. Default Name.
	Name string
	// Program is the program: its path, or a name that is looked up in PATH and where programs are usually installed.
	Program string
	// Args are the arguments that select the protocol, such as "--acp".
	Args []string
	// Login is the way to log in that the program is told to take (authenticate), by its identifier. Empty: none, as
	// most programs want it that are logged in already.
	Login string
	// ReadOnlyModes are modes in which the program changes nothing, by their identifiers; the first that it has is set for
	// agents that are to read only. Default: plan, read-only, ask.
	ReadOnlyModes []string
	// Known are models that are offered in addition to the models that the program lists.
	Known []executor.Model
	// OpenRoot opens the files that an agent may read and change through its client, in the
	// directory of the run. Default: security.OpenRoot with its defaults.
	OpenRoot func(dir string, readOnly bool) (*security.Root, error)
	// NoFiles offers the program no files through the client; the program then uses the
	// file system directly.
	NoFiles bool
	// Process says how the program is run. Its MaxLine bounds a message.
	Process command.Options
}

// Executor runs agents with a program that speaks the protocol. It implements executor.Executor.
type Executor struct {
	*local
	o      Options
	runner *command.Runner
}

// local has the parts that executors with a program share.
type local = command.Local

var _ executor.Local = (*Executor)(nil)

// New makes an Executor. That the program is not there, or none is named, is not its error.
func New(o Options) (*Executor, error) {
	o.Name = cmp.Or(o.Name, Name)
	o.Process.Farewell = cmp.Or(o.Process.Farewell, 2*time.Second) // not every program ends with its input
	if o.ReadOnlyModes == nil {
		o.ReadOnlyModes = []string{"plan", "read-only", "ask"}
	}
	if o.OpenRoot == nil {
		o.OpenRoot = func(dir string, readOnly bool) (*security.Root, error) {
			return security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: readOnly, Logger: o.Process.Log})
		}
	}
	runner, err := command.New(o.Process)
	if err != nil {
		return nil, fmt.Errorf("acp: %w", err)
	}
	x := &Executor{o: o, runner: runner}
	x.local = command.NewLocal(runner, "acp", o.Name, x.o.find, func(ctx context.Context, s executor.Spec) command.Program {
		return &program{o: &x.o, ctx: ctx, spec: s}
	})
	return x, nil
}

// auto is the model with which a session of the program begins.
const auto = "auto"

// modelsPatience bounds how long the list of models is waited for.
const modelsPatience = 30 * time.Second

// Models asks the program for the models of a session, in an empty directory, and puts "auto" before them, which
// stands for the one with which it begins. A program that lists none has that alone, and Options.Known.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, modelsPatience, fmt.Errorf("it has not answered within %v", modelsPatience))
	defer cancel()
	dir, err := os.MkdirTemp("", "acp-models-")
	if err != nil {
		return nil, fmt.Errorf("acp: making an empty directory: %w", err)
	}
	defer os.RemoveAll(dir)
	p := &program{o: &x.o, ctx: ctx, spec: executor.Spec{AgentID: "models", Prompt: "models", Dir: dir, ReadOnly: true}, probe: true}
	exit, err := x.runner.Run(ctx, p, p.spec, func(executor.Event) {})
	if err == nil && exit.Failed {
		err = errors.New(exit.Message)
		if exit.Cause != nil {
			err = fmt.Errorf("%w: %s", exit.Cause, exit.Message)
		} else if ctx.Err() == nil {
			err = fmt.Errorf("%w: %s", executor.ErrUnavailable, exit.Message)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("acp: listing the models: %w", err)
	}
	models := p.models
	if !slices.ContainsFunc(models, func(m executor.Model) bool { return m.ID == auto }) {
		models = append([]executor.Model{{ID: auto, Name: "Auto", Default: true}}, models...)
	}
	return command.WithKnown(models, x.o.Known), nil
}

// program tells package command what is particular about a run.
type program struct {
	o      *Options
	ctx    context.Context
	spec   executor.Spec
	probe  bool             // it is asked for its models only
	models []executor.Model // what it has answered
}

// Command makes the call of a run.
func (p *program) Command(_ context.Context, s executor.Spec, _ func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	return command.Call{Path: path, Args: p.o.Args, Dir: s.Dir, Env: s.Env}, nil
}

// find looks the program up.
func (o *Options) find() (string, error) {
	if o.Program == "" {
		return "", fmt.Errorf("%w: no program is named that speaks the protocol; say which", executor.ErrUnavailable)
	}
	path, err := command.Find([]string{o.Program}, command.Places()...)
	if err != nil {
		return "", command.Advise(err, "install it")
	}
	return path, nil
}

// Decoder talks with the program of one run.
func (p *program) Decoder() command.Decoder { return newTalk(p) }

// What a failure says that is known for what it is.
const (
	loginWanted  = "the program wants a login"
	modelUnknown = "the program has no model"
)

// failures are words by which runs are known to fail.
var failures = command.Failures{
	{Words: loginWanted, Cause: executor.ErrUnauthenticated},
	{Words: modelUnknown, Cause: executor.ErrUnknownModel},
}

// Failure classifies a failure by the program's last output.
func (*program) Failure(words string) error { return failures.Cause(words) }
