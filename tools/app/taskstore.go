package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/tasks/sqlite"
)

// open has the tasks kept in a database in the user's directory for state, so that they outlive the process. Each pair of program and
// project has one, which all processes of the program use. Without a place for it, which the log says, or without a root the
// tasks stay in memory.
func (k *taskStore) open(ctx context.Context, log *slog.Logger, program string, root *security.Root) {
	if root == nil {
		return
	}
	store, err := openTaskStore(ctx, log, program, root)
	if err != nil {
		log.Warn("tasks are kept in memory alone, and end with the server", "reason", err)
		return
	}
	k.Store, k.end = store, store.Close
}

// openTaskStore opens the database, which only the user can read.
func openTaskStore(ctx context.Context, log *slog.Logger, program string, root *security.Root) (*sqlite.DB, error) {
	dir, ok := root.ProjectStateDir(filepath.Join("tasks", program))
	if !ok {
		return nil, fmt.Errorf("there is no directory for state outside of the project; set XDG_STATE_HOME")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory for tasks: %w", err)
	}
	return sqlite.Open(ctx, filepath.Join(dir, "tasks.db"), sqlite.Options{Log: log})
}
