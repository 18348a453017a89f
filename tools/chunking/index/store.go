package index

import (
	"context"
	"errors"
)

// Store keeps index entries between runs. It is a cache of data that can be parsed
// again: it may lose entries, but must return each entry as it was saved.
// File.AppendBinary and File.UnmarshalBinary are the form in which a Store keeps an
// entry. Package storetest tests an implementation.
//
// A Store that keeps its files inside of the Root has the further method Within() string,
// which returns its directory there. The index leaves that directory out.
type Store interface {
	// Load returns the stored files, one per path, in any order. Unreadable entries are
	// skipped; Load then returns the other files and an error that wraps ErrDamaged.
	// File.UnmarshalBinary checks its input.
	Load(ctx context.Context) ([]*File, error)
	// Save replaces the entries of changed files and deletes the entries of removed
	// paths. Index does not call it concurrently. After an error, Index passes the same
	// changes again with the next save. ErrReadOnly means that no save can succeed.
	Save(ctx context.Context, changed []*File, removed []string) error
	// Close releases the resources of the Store. No other method is called afterwards.
	Close() error
}

// ErrDamaged is the error of Load for a store that has lost entries, for example because a file was
// truncated. Entries of another version do not count.
var ErrDamaged = errors.New("the saved index is damaged")

// ErrReadOnly is the error of Save for a store that must not write. The index then
// remains in memory.
var ErrReadOnly = errors.New("the project is read-only: the index is kept in memory and not saved")
