package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Name is how settings call this executor.
const Name = "codex"

// The sandboxes of a trusted agent.
const (
	// WorkspaceWrite lets it write in its directory and in that for temporary files, without a network.
	WorkspaceWrite = "workspace-write"
	// FullAccess confines nothing.
	FullAccess = "danger-full-access"
)

// Options are the options of an Executor. The zero value runs the installed program.
type Options struct {
	// Name is how the executor is called, if there are several. Default Name.
	Name string
	// Program is the path of the program. Empty: "codex" is looked up each time in
	// PATH, and where it is usually installed; never in the current directory.
	Program string
	// Args come before all other arguments: for a program that stands in for the real one.
	Args []string
	// Settings are Codex settings for each agent, as KEY=VALUE with the value in TOML, such
	// as `model_reasoning_effort="high"`. They must not contain secrets: other users of the
	// machine can read them.
	Settings []string
	// Sandbox confines agents that are trusted. Default WorkspaceWrite.
	Sandbox string
	// Known are models that are offered in addition to the models that the program lists.
	Known []executor.Model
	// Process says how the program is run.
	Process command.Options
}

// Executor runs agents with the Codex CLI. It implements executor.Executor.
type Executor struct {
	*local
	o      Options
	runner *command.Runner
}

// local has the parts that executors with a program share.
type local = command.Local

var _ executor.Local = (*Executor)(nil)

// New makes an Executor. That the program is not there is not its error: it may be installed later.
func New(o Options) (*Executor, error) {
	o.Name, o.Sandbox = cmp.Or(o.Name, Name), cmp.Or(o.Sandbox, WorkspaceWrite)
	if o.Sandbox != WorkspaceWrite && o.Sandbox != FullAccess {
		return nil, fmt.Errorf("codex: the sandbox of a trusted agent is %q or %q, not %q", WorkspaceWrite, FullAccess, o.Sandbox)
	}
	runner, err := command.New(o.Process)
	if err != nil {
		return nil, fmt.Errorf("codex: %w", err)
	}
	x := &Executor{o: o, runner: runner}
	x.local = command.NewLocal(runner, "codex", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
	return x, nil
}

// auto is the model that the user's own settings of the program name.
const auto = "auto"

// modelsPatience bounds how long the list of models is waited for.
const modelsPatience = 30 * time.Second

// Models asks the program for its models, and puts "auto" before them, which stands for the one of the user's own
// settings. A program that is too old to list any has that alone, and Options.Known.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	path, err := x.o.find()
	if err != nil {
		return nil, err
	}
	answer, err := x.runner.Ask(ctx, command.Call{Path: path, Args: append(slices.Clone(x.o.Args), "debug", "models")}, modelsPatience)
	if err != nil {
		return nil, fmt.Errorf("codex: listing the models: %w", err)
	}
	models := append([]executor.Model{{ID: auto, Name: "Auto", Default: true}}, ParseModels([]byte(answer.Stdout))...)
	return command.WithKnown(models, x.o.Known), nil
}

// listed is a model of the program's catalogue.
type listed struct {
	Slug       string `json:"slug"`
	Name       string `json:"display_name"`
	Visibility string `json:"visibility"`
	Priority   int    `json:"priority"`
}

// maxModels limits the number of models of a list.
const maxModels = 500

// ParseModels parses the JSON catalogue of "codex debug models". It returns the models that
// the catalogue shows to people, the most important first, and nil for other input.
func ParseModels(text []byte) []executor.Model {
	var catalogue struct {
		Models []listed `json:"models"`
	}
	if json.Unmarshal(text, &catalogue) != nil {
		return nil
	}
	all := catalogue.Models
	slices.SortStableFunc(all, func(a, b listed) int { return cmp.Compare(a.Priority, b.Priority) })
	var models []executor.Model
	for _, m := range all {
		if m.Slug != "" && m.Visibility != "hide" && len(models) < maxModels {
			models = append(models, executor.Model{ID: m.Slug, Name: cmp.Or(m.Name, m.Slug)})
		}
	}
	return models
}

// find looks the program up.
func (o *Options) find() (string, error) {
	path, err := command.Installed(o.Program, "codex")
	if err != nil {
		return "", fmt.Errorf("codex: %w", command.Advise(err, "install it (https://developers.openai.com/codex/cli)"))
	}
	return path, nil
}

// program tells package command what is particular about the Codex CLI.
type program struct{ o *Options }

// Decoder reads the output of one run.
func (program) Decoder() command.Decoder { return NewDecoder() }

// failures are words by which the program is known to fail.
var failures = command.Failures{
	{Words: "does not exist or you do not have access to it", Cause: executor.ErrUnknownModel},
	{Words: "model is not supported", Cause: executor.ErrUnknownModel},
	{Words: "model_not_found", Cause: executor.ErrUnknownModel},
	{Words: "401 unauthorized", Cause: executor.ErrUnauthenticated},
	{Words: "not logged in", Cause: executor.ErrUnauthenticated},
	{Words: "codex login", Cause: executor.ErrUnauthenticated},
	{Words: "incorrect api key", Cause: executor.ErrUnauthenticated},
	{Words: "invalid_api_key", Cause: executor.ErrUnauthenticated},
	{Words: "missing environment variable", Cause: executor.ErrUnauthenticated},
	{Words: "access token could not be refreshed", Cause: executor.ErrUnauthenticated},
}

// Failure classifies a failure by the program's last output.
func (program) Failure(words string) error { return failures.Cause(words) }
