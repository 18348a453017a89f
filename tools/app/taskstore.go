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

// open moves the store to a database in the user's state directory, so that tasks survive
// the process. All processes of one program in one project share the database. Without a
// root or a state directory tasks stay in memory; the log reports a missing directory.
func (k *taskStore) open(ctx context.Context, log *slog.Logger, program string, root *security.Root) {
	if root == nil {
		return
	}
	store, err := openTaskStore(ctx, log, program, root)
	if err != nil {
		log.Warn("tasks are kept in memory only, and end with the server", "reason", err)
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
		return nil, fmt.Errorf("creating the directory for tasks: %w", err)
	}
	return sqlite.Open(ctx, filepath.Join(dir, "tasks.db"), sqlite.Options{Log: log})
}
