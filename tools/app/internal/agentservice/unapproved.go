package agentservice

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
	"github.com/dougu-go/dougu/tools/config"
)

// programKeys has the settings with the programs of executors, by name of the executor.
var programKeys = map[string]string{
	cursor.Name: "agent.cursorProgram", claude.Name: "agent.claudeProgram", codex.Name: "agent.codexProgram",
	gemini.Name: "agent.geminiProgram", acp.Name: "agent.acpProgram",
}

// unapprovedPrograms returns the programs that the file of the project names without approval of
// the user, by key of the setting.
func unapprovedPrograms(requests []config.Request, program string) map[string]*executor.Refused {
	all := make(map[string]*executor.Refused)
	for _, r := range config.Pending(requests) {
		for _, key := range programKeys {
			if r.Key == key {
				all[key] = &executor.Refused{
					Path: r.Shown, Why: fmt.Sprintf("is named by %s in %s, which you have not approved", key, r.File),
					Next: fmt.Sprintf("approve it with %q, or set %s elsewhere", program+" trust", key),
				}
			}
		}
	}
	return all
}

// unapproved is an executor whose program the project names without approval of the user. Its
// errors name the approval as the next step.
type unapproved struct {
	executor.Executor
	asked *executor.Refused
}

// Unwrap returns the wrapped executor.
func (x *unapproved) Unwrap() executor.Executor { return x.Executor }

// Find implements executor.Local.
func (x *unapproved) Find() error { return x.explain(executor.Find(x.Executor)) }

// Models implements executor.Executor.
func (x *unapproved) Models(ctx context.Context) ([]executor.Model, error) {
	models, err := x.Executor.Models(ctx)
	return models, x.explain(err)
}

// Run implements executor.Executor.
func (x *unapproved) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	exit, err := x.Executor.Run(ctx, s, tell)
	return exit, x.explain(err)
}

// explain replaces the error about a missing program with the refusal of the program of the
// project.
func (x *unapproved) explain(err error) error {
	if err == nil || !errors.Is(err, executor.ErrUnavailable) || executor.Find(x.Executor) == nil {
		return err
	}
	return fmt.Errorf("%s: %w", x.Name(), x.asked)
}
