package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What a Store answers.
var (
	// ErrNotFound says that there is no task of that id.
	ErrNotFound = errors.New("there is no such task")
	// ErrConflict says that the task has changed since it was read.
	ErrConflict = errors.New("the task has changed meanwhile")
	// ErrFull says that there is no room for what is to be kept.
	ErrFull = errors.New("there is no room for it")
)

// LimitError is the answer of a Store to a task that is one too many.
type LimitError struct {
	Most         int
	PerPrincipal bool // Most is for one principal, else for all together
}

func (e *LimitError) Error() string {
	if e.PerPrincipal {
		return fmt.Sprintf("%d tasks of this caller are kept, which is the most", e.Most)
	}
	return fmt.Sprintf("%d tasks are kept, which is the most", e.Most)
}

// Record is what a Store keeps of a task. Times are whole milliseconds.
type Record struct {
	ID        string
	Principal string // whom it belongs to; empty where nobody is authenticated
	Owner     string // the Runner whose work it is
	Version   int64  // 1 at first, and one more with every change
	Ended     bool
	Created   time.Time
	Expires   time.Time // the record may be removed
	// Data is everything else, JSON of at most some megabytes. Neither the Store nor
	// who gets a Record from it changes its bytes.
	Data []byte
}

// Limits are how many tasks may be kept, of each principal and in all.
type Limits struct{ PerPrincipal, Total int }

// Place is a place in the list of a principal's tasks: behind the task that was
// created then and has that id. The zero value is the beginning.
type Place struct {
	Created time.Time
	ID      string
}

// Store keeps tasks. Its methods may be called concurrently, also by several
// Runners and from several processes if they share what is kept. Package taskstest
// tests implementations.
type Store interface {
	// Create keeps a new task. When it returns, every Get finds it. The error of a
	// task that is one too many is a *LimitError; who creates many at once from
	// several processes may get a few more than the limits in.
	Create(ctx context.Context, r Record, most Limits) error
	// Get returns a task, or ErrNotFound.
	Get(ctx context.Context, id string) (Record, error)
	// Update replaces the task of that id, if its version is the one before r's:
	// else the error is ErrConflict. Of two updates from the same version one is
	// refused. Id, principal, owner and time of creation do not change. The error is
	// ErrFull if the data is too large to be kept.
	Update(ctx context.Context, r Record) error
	// List returns the first n tasks of a principal behind a place, in the order of
	// their creation and ids.
	List(ctx context.Context, principal string, after Place, n int) ([]Record, error)
	// Sweep removes the tasks that have expired at a time, and returns when the next
	// one will, the zero time if there is none.
	Sweep(ctx context.Context, now time.Time) (next time.Time, err error)
	// Beat notes that an owner lives, at least until then.
	Beat(ctx context.Context, owner string, until time.Time) error
	// Orphans returns the ids of the tasks that have not ended and whose owner is not
	// known to live at a time.
	Orphans(ctx context.Context, now time.Time) ([]string, error)
	// Watch calls changed with tasks that have been updated, by whomever: soon, at
	// least once for the latest state of each, and possibly from several goroutines.
	// changed does not block. stop ends that; changed may be running then, and is not
	// called any more soon after.
	Watch(changed func(Record)) (stop func(), err error)
}
