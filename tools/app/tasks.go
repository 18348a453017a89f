package app

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
)

const (
	// taskTimeout is the most that a task may take: agents work for hours.
	taskTimeout = 24 * time.Hour
	// taskRetention is how long what it has come to can be asked for.
	taskRetention = time.Hour
)

// serveCommandFlags are the flags of the command that serves.
func (a *App) serveCommandFlags(flags *flag.FlagSet) {
	a.serveFlags(flags)
	if !a.Tasks {
		return
	}
	flags.BoolVar(&a.options.tasks, "tasks", false, "run what takes long as tasks, for clients that take them: they ask for the result later")
}

// taskStore is the store of the tasks of a program: in memory until Build has returned, which names the project.
type taskStore struct {
	tasks.Store
	end func() error // closes the store
}

// tasks returns the runner of tasks and its store, or nil without the flag -tasks. end ends both.
func (a *App) tasks(log *slog.Logger) (runner mcp.TaskRunner, kept *taskStore, end func() error) {
	if !a.options.tasks {
		return nil, nil, func() error { return nil }
	}
	kept = &taskStore{Store: new(tasks.Memory), end: func() error { return nil }}
	r := tasks.New(&tasks.Options{TTL: taskTimeout, Keep: taskRetention, Log: log, Store: kept})
	return r, kept, func() error { return errors.Join(r.Close(), kept.end()) }
}

// release ends the tasks of a program, and then what they use.
func (p *Program) release(ctx context.Context, endTasks func() error) error {
	err := endTasks()
	if p.Close != nil {
		err = errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return err
}
