// Package taskstore keeps the tasks of a program in a file of its user, so that they
// outlive the program.
package taskstore

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/tasks/sqlite"
)

// Keep has the tasks of a program kept in a database in the user's directory for
// state, one of each program and project; other processes of the same program use it,
// too. Without a place for it they are kept in memory, which the log says. Without
// the flag -tasks nothing is opened.
func Keep(ctx context.Context, start app.Start, log *slog.Logger, program string, root *security.Root) {
	if start.KeepTasks == nil {
		return
	}
	store, err := open(ctx, log, program, root)
	if err != nil {
		log.Warn("tasks are kept in memory alone, and end with the server", "reason", err)
		return
	}
	start.KeepTasks(store, store.Close)
}

// open opens the database, which only the user can read.
func open(ctx context.Context, log *slog.Logger, program string, root *security.Root) (*sqlite.DB, error) {
	dir, ok := root.ProjectStateDir(filepath.Join("tasks", program))
	if !ok {
		return nil, fmt.Errorf("there is no directory for state outside of the project; set XDG_STATE_HOME")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory for tasks: %w", err)
	}
	return sqlite.Open(ctx, filepath.Join(dir, "tasks.db"), sqlite.Options{Log: log})
}
