package app

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

const (
	// taskTimeout is the longest time that a task may run. Agents work for hours.
	taskTimeout = 24 * time.Hour
	// taskRetention is the time for which the result of a task is available.
	taskRetention = time.Hour
)

// serveCommandFlags declares the flags of the command serve.
func (a *App) serveCommandFlags(flags *flag.FlagSet) {
	a.serveFlags(flags)
	if !a.Tasks {
		return
	}
	flags.BoolVar(&a.options.tasks, "tasks", false, "run long operations as tasks, for clients that support tasks and fetch the result later")
}

// taskStore is the store of tasks. It is in memory until Build returns the project's Root,
// and then in a database.
type taskStore struct {
	tasks.Store
	// end closes the store.
	end func() error
}

// tasks returns the task runner and its store, or nil without the flag -tasks. end closes
// both.
func (a *App) tasks(log *slog.Logger) (runner protocol.TaskRunner, kept *taskStore, end func() error) {
	if !a.options.tasks {
		return nil, nil, func() error { return nil }
	}
	kept = &taskStore{Store: new(tasks.Memory), end: func() error { return nil }}
	r := tasks.New(&tasks.Options{TTL: taskTimeout, Keep: taskRetention, Log: log, Store: kept})
	end = func() error { return errors.Join(r.Close(), kept.end()) }
	if a.holdTask != nil {
		return heldTasks{r, a.holdTask}, kept, end
	}
	return r, kept, end
}

// heldTasks is a runner of tasks whose work keeps the program open.
type heldTasks struct {
	*tasks.Runner
	hold func() (leave func())
}

// Go implements protocol.TaskRunner.
func (h heldTasks) Go(f func()) bool {
	leave := h.hold()
	started := h.Runner.Go(func() {
		defer leave()
		f()
	})
	if !started {
		leave()
	}
	return started
}

// release ends the tasks of a program first, and then the resources that tasks use.
func (p *Program) release(ctx context.Context, endTasks func() error) error {
	err := endTasks()
	if p.Close != nil {
		err = errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return err
}
