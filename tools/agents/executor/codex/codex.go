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

// Name is the default name of this executor in settings and records.
const Name = "codex"

// Values of Options.Sandbox.
const (
	// WorkspaceWrite lets the agent write in its working directory and in the directory for
	// temporary files, without network access.
	WorkspaceWrite = "workspace-write"
	// FullAccess disables the sandbox of the program.
	FullAccess = "danger-full-access"
)

// Options configure an Executor. The zero value runs the installed program.
type Options struct {
	// Name is the name of the executor in settings and records. Default: the constant Name.
	Name string
	// Program is the path of the program. If it is empty, each run looks up "codex" in PATH
	// and in the usual installation directories, never in the current directory.
	Program string
	// Args are inserted before all other arguments. Tests use them to run a replacement of
	// the program.
	Args []string
	// Settings are Codex settings for each agent, as KEY=VALUE with the value in TOML, such
	// as `model_reasoning_effort="high"`. They must not contain secrets: other users of the
	// machine can read them.
	Settings []string
	// Sandbox is the sandbox of trusted agents: WorkspaceWrite or FullAccess. Default:
	// WorkspaceWrite. Read-only agents always have the sandbox read-only, which is no value
	// of this option.
	Sandbox string
	// Known are models that Models returns after the models that the program lists. Models
	// with an ID that the program lists are left out.
	Known []executor.Model
	// Process configures the child process.
	Process command.Options
}

// Executor runs agents with the Codex CLI. It implements executor.Local. Its methods may be
// called concurrently.
type Executor struct {
	*local
	o      Options
	runner *command.Runner
}

// local contains the methods that all executors for local programs share: Name, Find, Run
// and Close.
type local = command.Local

var _ executor.Local = (*Executor)(nil)

// New returns an Executor, or an error for invalid Options. It does not look for the
// program, which may be installed later.
func New(o Options) (*Executor, error) {
	o.Name, o.Sandbox = cmp.Or(o.Name, Name), cmp.Or(o.Sandbox, WorkspaceWrite)
	if o.Sandbox != WorkspaceWrite && o.Sandbox != FullAccess {
		return nil, fmt.Errorf("codex: Sandbox must be %q or %q, not %q", WorkspaceWrite, FullAccess, o.Sandbox)
	}
	runner, err := command.New(o.Process)
	if err != nil {
		return nil, fmt.Errorf("codex: %w", err)
	}
	x := &Executor{o: o, runner: runner}
	x.local = command.NewLocal(runner, "codex", o.Name, x.o.find, func(context.Context, executor.Spec) command.Program { return program{&x.o} })
	return x, nil
}

// auto is the ID of the model entry that keeps the model of the user's own settings.
const auto = "auto"

// modelsTimeout limits the request for the list of models.
const modelsTimeout = 30 * time.Second

// Models runs the program to list its models, with a limit of 30 seconds. The first entry
// is "auto", the model of the user's own settings; Options.Known follow the list. If the
// program is too old to list models, only "auto" and Options.Known are returned: output
// without a catalogue is no error, whatever the exit code. The error wraps
// executor.ErrUnavailable if the program is missing.
func (x *Executor) Models(ctx context.Context) ([]executor.Model, error) {
	path, err := x.o.find()
	if err != nil {
		return nil, err
	}
	answer, err := x.runner.Ask(ctx, command.Call{Path: path, Args: append(slices.Clone(x.o.Args), "debug", "models")}, modelsTimeout)
	if err != nil {
		return nil, fmt.Errorf("codex: list models: %w", err)
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

// find returns the path of the program.
func (o *Options) find() (string, error) {
	path, err := command.Installed(o.Program, "codex")
	if err != nil {
		return "", fmt.Errorf("codex: %w", command.Advise(err, "install it (https://developers.openai.com/codex/cli)"))
	}
	return path, nil
}

// program implements command.Program for the Codex CLI.
type program struct{ o *Options }

// Decoder returns a Decoder for the output of one run.
func (program) Decoder() command.Decoder { return NewDecoder() }

// failures maps words of a failure message to its cause. The words are in lower case; they match
// in any letter case.
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

// Failure returns the cause of a failure message, or nil if it is not recognized.
func (program) Failure(words string) error { return failures.Cause(words) }
