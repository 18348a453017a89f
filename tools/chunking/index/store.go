package index

import (
	"context"
	"errors"
)

// Store keeps files between runs. Everything in it can be had again from the
// sources: a Store may forget, but what it loads must have been saved.
type Store interface {
	// Load answers with the files that are kept, one a path, in any order. What
	// cannot be read is left out. File.UnmarshalBinary checks what it reads.
	Load(ctx context.Context) ([]*File, error)
	// Save keeps files in place of those that bear the same paths, and forgets
	// others. It is not called concurrently. After an error everything is saved
	// again with what comes later. ErrReadOnly says that it will never work.
	Save(ctx context.Context, changed []*File, removed []string) error
	// Close ends the use, after the last call of the others.
	Close() error
}

// ErrReadOnly is the error of a Store that must not write: the index is then held
// in memory alone.
var ErrReadOnly = errors.New("the project is read-only: the index is kept in memory and not saved")
