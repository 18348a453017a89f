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

// keptTasks are the tasks of a program, in memory until its Build names a store.
type keptTasks struct {
	tasks.Store
	end func() error // closes the store
}

// tasks returns what runs tasks, if the flags want that, what Start.KeepTasks is, and
// what ends both.
func (a *App) tasks(log *slog.Logger) (runner mcp.TaskRunner, keep func(tasks.Store, func() error), end func() error) {
	if !a.options.tasks {
		return nil, nil, func() error { return nil }
	}
	kept := &keptTasks{Store: new(tasks.Memory), end: func() error { return nil }}
	r := tasks.New(&tasks.Options{TTL: taskTime, Keep: taskKeep, Log: log, Store: kept})
	keep = func(store tasks.Store, end func() error) { kept.Store, kept.end = store, end }
	return r, keep, func() error { return errors.Join(r.Close(), kept.end()) }
}

// release ends the tasks of a program, and then what they use.
func (p *Program) release(ctx context.Context, endTasks func() error) error {
	err := endTasks()
	if p.Close != nil {
		err = errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return err
}
