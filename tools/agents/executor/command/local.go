package command

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Local runs agents with one program of this machine. It implements executor.Local but for Models.
type Local struct {
	runner     *Runner
	kind, name string
	find       func() (string, error)
	program    func(context.Context, executor.Spec) Program
}

// NewLocal makes a Local. kind is the kind of program, with which errors begin, and name the name of the executor. find looks the
// program up, and program describes its part in a run.
func NewLocal(r *Runner, kind, name string, find func() (string, error), program func(context.Context, executor.Spec) Program) *Local {
	return &Local{r, kind, name, find, program}
}

// Name is how settings and records call the executor.
func (l *Local) Name() string { return l.name }

// Run runs an agent; see executor.Executor.
func (l *Local) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	exit, err := l.runner.Run(ctx, l.program(ctx, s), s, tell)
	if err != nil {
		return exit, fmt.Errorf("%s: %w", l.kind, err)
	}
	return exit, nil
}

// Find implements executor.Local.
func (l *Local) Find() error {
	_, err := l.find()
	return err
}

// Close releases the resources of the executor.
func (l *Local) Close() error { return l.runner.Close() }
