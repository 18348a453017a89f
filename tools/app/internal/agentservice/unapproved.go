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

// programKeys are the settings that name the programs of executors, by the executor's name.
var programKeys = map[string]string{
	cursor.Name: "agent.cursorProgram", claude.Name: "agent.claudeProgram", codex.Name: "agent.codexProgram",
	gemini.Name: "agent.geminiProgram", acp.Name: "agent.acpProgram",
}

// unapprovedPrograms are the programs that the project's file names without the approval of the user, by their settings.
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

// unapproved is an executor without a program, while the project's file names one that the user has not approved.
type unapproved struct {
	executor.Executor
	asked *executor.Refused
}

// Unwrap returns the executor.
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

// explain returns the refusal of the project's program instead of the error that there is none.
func (x *unapproved) explain(err error) error {
	if err == nil || !errors.Is(err, executor.ErrUnavailable) || executor.Find(x.Executor) == nil {
		return err
	}
	return fmt.Errorf("%s: %w", x.Name(), x.asked)
}
