package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
)

// runner is "crew run".
type runner struct {
	*common
	name, labels, state string
	slots               int
	cursor, claude      string
}

func (r *runner) flags(flags *flag.FlagSet) {
	flags.StringVar(&r.name, "name", "", "`name` of the runner (default the name of the machine)")
	flags.IntVar(&r.slots, "slots", 4, "`number` of agents that run at once")
	flags.StringVar(&r.labels, "labels", "", "comma-separated `labels` that orders can require")
	flags.StringVar(&r.state, "state", "", "`directory` for records of the processes, so that the next start ends remaining ones")
	flags.StringVar(&r.cursor, "cursor", "", "`program` of the Cursor CLI; empty: search for it; none: do not run it")
	flags.StringVar(&r.claude, "claude", "none", "`program` of Claude Code, with the values of -cursor")
}

// none is a program that a runner does not have.
const none = "none"

func (r *runner) run(ctx context.Context, store *agents.Store) error {
	executors, err := r.executors()
	if err != nil {
		return err
	}
	o := agents.RunnerOptions{Name: r.name, Slots: r.slots, Executors: executors, Dirs: []string{r.root}}
	if r.labels != "" {
		o.Labels = strings.Split(r.labels, ",")
	}
	running, err := agents.NewRunner(store, o)
	if err == nil {
		slog.Info("ready", "runner", running.State().Name, "slots", r.slots)
		err = running.Run(ctx)
	}
	for _, e := range executors {
		err = errors.Join(err, e.Close())
	}
	return err
}

// executors are the programs that there are.
func (r *runner) executors() (all []executor.Executor, err error) {
	process := command.Options{StateDir: r.state, Log: slog.Default()}
	if process.StateDir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		process.StateDir = filepath.Join(cache, "dougu-crew")
	}
	if r.cursor != none {
		x, err := cursor.New(cursor.Options{Program: r.cursor, Process: process})
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	if r.claude != none {
		x, err := claude.New(claude.Options{Program: r.claude, Process: process})
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
