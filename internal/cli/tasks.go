package cli

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
	// taskTime is the most that a task may take: agents work for hours.
	taskTime = 24 * time.Hour
	// taskKeep is how long what it has come to can be asked for.
	taskKeep = time.Hour
)

// serveCommandFlags are the flags of the command that serves.
func (a *App) serveCommandFlags(flags *flag.FlagSet) {
	a.serveFlags(flags)
	if !a.Tasks {
		return
	}
	flags.BoolVar(&a.options.tasks, "tasks", false, "run what takes long as tasks, for clients that take them: they ask for the result later")
}

// tasks is what runs tasks, if the flags want that, and what ends it.
func (a *App) tasks(log *slog.Logger) (runner mcp.TaskRunner, end func() error) {
	if !a.options.tasks {
		return nil, func() error { return nil }
	}
	r := tasks.New(&tasks.Options{TTL: taskTime, Keep: taskKeep, Log: log})
	return r, r.Close
}

// release ends the tasks of a program, and then what they use.
func (p *Program) release(ctx context.Context, endTasks func() error) error {
	err := endTasks()
	if p.Close != nil {
		err = errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return err
}
