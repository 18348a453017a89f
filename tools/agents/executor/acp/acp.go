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

// Name is the default name of this executor in settings and records.
const Name = "acp"

// Options configure an Executor. Program is required.
type Options struct {
	// Name is the name of the executor in settings and records. Default: the constant Name.
	// Give each of several ACP programs its own.
	Name string
	// Program is an absolute path, or a name that is looked up in PATH and in the usual
	// installation directories.
	Program string
	// Args are the arguments that make the program speak the protocol, for example "--acp".
	Args []string
	// Login is the ID of the authentication method that the client selects with the request
	// authenticate. Empty sends no authenticate request, which suits programs with a stored
	// login.
	Login string
	// ReadOnlyModes are IDs of session modes in which the program changes nothing, in order
	// of preference. A read-only agent uses the first one that the program offers. Default:
	// plan, read-only, ask.
	ReadOnlyModes []string
	// Known are models that Models returns in addition to the models that the program
	// lists.
	Known []executor.Model
	// OpenRoot opens the directory of a run for fs/read_text_file and fs/write_text_file.
	// It is called at most once a run, at the first request for a file. Default:
	// security.OpenRoot with its defaults.
	OpenRoot func(dir string, readOnly bool) (*security.Root, error)
	// NoFiles withholds the file methods from the program, which then uses the file system
	// directly. Default: they are offered.
	NoFiles bool
	// Process configures the child process. Process.MaxLine limits the size of one message.
	// The default of Process.Farewell, the time that the program has to exit after its last
	// response, is two seconds here.
	Process command.Options
}

// Executor runs agents with one program that speaks the protocol. It implements
// executor.Local. Its methods may be called concurrently.
type Executor struct {
	*local
	o      Options
	runner *command.Runner
}

// local contains the methods that all executors for local programs share: Name, Find, Run
// and Close.
type local = command.Local

var _ executor.Local = (*Executor)(nil)

// New returns an Executor. It does not look for the program: Find, Models and Run return an
// error that wraps executor.ErrUnavailable if the program is missing.
func New(o Options) (*Executor, error) {
	o.Name = cmp.Or(o.Name, Name)
	o.Process.Farewell = cmp.Or(o.Process.Farewell, 2*time.Second) // some programs do not exit at the end of their input
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

// auto is the ID of the model entry that keeps the default model of the program.
const auto = "auto"

// modelsTimeout limits a request for the list of models.
const modelsTimeout = 30 * time.Second

// Models starts the program in an empty directory and returns the models that a new session
// offers. The first entry is "auto", the program's default, unless the program lists an
// entry with this ID itself. Options.Known follow. A program without a list of models
// yields "auto" and Options.Known. The error wraps executor.ErrUnavailable, or another
// cause if it is recognized; the limit is 30 seconds.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, modelsTimeout, fmt.Errorf("no response within %v", modelsTimeout))
	defer cancel()
	dir, err := os.MkdirTemp("", "acp-models-")
	if err != nil {
		return nil, fmt.Errorf("acp: create an empty directory: %w", err)
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
		return nil, fmt.Errorf("acp: list models: %w", err)
	}
	models := p.models
	if !slices.ContainsFunc(models, func(m executor.Model) bool { return m.ID == auto }) {
		models = append([]executor.Model{{ID: auto, Name: "Auto", Default: true}}, models...)
	}
	return command.WithKnown(models, x.o.Known), nil
}

// program implements command.Program for one run.
type program struct {
	o      *Options
	ctx    context.Context
	spec   executor.Spec
	probe  bool             // the run only asks for the models: it sends no prompt and ends when a session is open
	models []executor.Model // models of the session; set by a probe
}

// Command returns the command line of the run. It needs no directory for files of the run, which
// the third parameter would create.
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

// find returns the path of the program.
func (o *Options) find() (string, error) {
	if o.Program == "" {
		return "", fmt.Errorf("%w: no program is configured; set the program that speaks the protocol", executor.ErrUnavailable)
	}
	path, err := command.Find([]string{o.Program}, command.Places()...)
	if err != nil {
		return "", command.Advise(err, "install it")
	}
	return path, nil
}

// Decoder returns the conversation of one run; see talk.
func (p *program) Decoder() command.Decoder { return newTalk(p) }

// Beginnings of the failure messages that this package itself makes, in talk. The table failures
// finds the cause by them.
const (
	loginWanted  = "the program requires a login"
	modelUnknown = "the program has no model"
)

// failures maps words of a failure message to its cause.
var failures = command.Failures{
	{Words: loginWanted, Cause: executor.ErrUnauthenticated},
	{Words: modelUnknown, Cause: executor.ErrUnknownModel},
}

// Failure returns the cause of a failure message, or nil if it is not recognized.
func (*program) Failure(words string) error { return failures.Cause(words) }
