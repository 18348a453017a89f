package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a Store.
var (
	// ErrNotFound means that no task has this id.
	ErrNotFound = errors.New("there is no such task")
	// ErrConflict means that the task has changed since it was read.
	ErrConflict = errors.New("the task has changed meanwhile")
	// ErrFull means that the store has no space.
	ErrFull = errors.New("there is no room for it")
)

// LimitError is the error of Store.Create when a limit of tasks is reached.
type LimitError struct {
	Most         int  // Most is the limit.
	PerPrincipal bool // PerPrincipal means that Most applies to one principal, otherwise to all together.
}

// Error returns the limit.
func (e *LimitError) Error() string {
	if e.PerPrincipal {
		return fmt.Sprintf("%d tasks of this caller are kept, which is the most", e.Most)
	}
	return fmt.Sprintf("%d tasks are kept, which is the most", e.Most)
}

// Record is a stored task. Times have a precision of milliseconds.
type Record struct {
	ID        string    // ID is a random text that identifies the task.
	Principal string    // Principal owns the task; empty without authentication.
	Owner     string    // Owner is the id of the Runner that does the work.
	Version   int64     // Version is 1 at first, and increases by 1 with every change.
	Ended     bool      // Ended means that the status is final.
	Created   time.Time // Created is the time of creation.
	Expires   time.Time // Expires is the time after which the record may be removed.
	// Data holds the state as JSON, up to some megabytes. Neither the Store nor its callers modify
	// the bytes.
	Data []byte
}

// Limits holds the maximum numbers of stored tasks, of each principal and in total.
type Limits struct{ PerPrincipal, Total int }

// Position is a position in the list of a principal's tasks: after the task with this time of creation
// and id. The zero value is the start.
type Position struct {
	Created time.Time // Created is the time of creation of the task.
	ID      string    // ID is the id of the task.
}

// Store stores tasks. Its methods may be called concurrently, also by several Runners, and by
// several processes if the data is shared. Package taskstest tests implementations.
type Store interface {
	// Create stores a new task. After it returns, every Get finds the task. If a limit is reached,
	// the error is a *LimitError. Concurrent calls from several processes may exceed the limits
	// slightly.
	Create(ctx context.Context, r Record, most Limits) error
	// Get returns a task, or ErrNotFound.
	Get(ctx context.Context, id string) (Record, error)
	// Update replaces the task with the id of r if the stored version is r.Version-1; otherwise the
	// error is ErrConflict. Of two updates of one version, one fails. ID, principal, owner and time
	// of creation do not change. The error is ErrFull if the store has no space.
	Update(ctx context.Context, r Record) error
	// List returns the first n tasks of a principal after a position, ordered by time of creation
	// and id.
	List(ctx context.Context, principal string, after Position, n int) ([]Record, error)
	// Sweep removes the tasks that have expired at now. It returns the next expiry, or the zero
	// time if there is none.
	Sweep(ctx context.Context, now time.Time) (next time.Time, err error)
	// Beat records that an owner is alive until the given time.
	Beat(ctx context.Context, owner string, until time.Time) error
	// Orphans returns the ids of running tasks whose owner is not known to be alive at now.
	Orphans(ctx context.Context, now time.Time) ([]string, error)
	// Watch calls changed with updated tasks of any writer. It reports the latest state of each at
	// least once, soon after the update, possibly from several goroutines. changed must not block.
	// After stop returns, a running call of changed may still finish.
	Watch(changed func(Record)) (stop func(), err error)
}
