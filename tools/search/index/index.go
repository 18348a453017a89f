package index

import (
	"context"
	"errors"
	"iter"
)

// ErrClosed is the error of operations after Close.
var ErrClosed = errors.New("the search index is closed")

// ErrWriting is the error of Begin while another Writer is open, also one of another process.
var ErrWriting = errors.New("the search index is being written to")

// Index stores files and finds their pieces. It is safe for concurrent use. Reads during a write return the last committed
// state. Errors are that of the context, ErrClosed, and errors of the storage.
type Index interface {
	// Begin opens a Writer. Only one can be open at a time; otherwise the error is ErrWriting.
	Begin(ctx context.Context, o WriteOptions) (Writer, error)
	// Lookup returns the stored data of a file; the second result is false if the file is not stored.
	Lookup(ctx context.Context, path string) (Known, bool, error)
	// Files iterates over all files in order of their paths.
	Files(ctx context.Context) iter.Seq2[Known, error]
	// Pieces returns the pieces of a file in order, without Prints.
	Pieces(ctx context.Context, path string) ([]Piece, error)
	// Search finds pieces by words, best first.
	Search(ctx context.Context, q Query) (Found, error)
	// Similar finds pieces by fingerprints, best first.
	Similar(ctx context.Context, l Likeness) (Found, error)
	// Candidates returns the sorted paths of files whose Text may fulfil a condition: all files that fulfil it, and possibly
	// others. Files that are not Verbatim are omitted.
	Candidates(ctx context.Context, l Literals, f Filter) ([]string, error)
	// Stats returns the size and state of the index.
	Stats(ctx context.Context) (Stats, error)
	// Close waits for running operations, aborts an open Writer, and releases all resources.
	Close(ctx context.Context) error
}

// WriteOptions configure a Writer.
type WriteOptions struct {
	// Replace makes Commit remove every file that was not put. The old files are found until then.
	Replace bool
}

// Writer is a transaction on an Index. Its changes become visible together with Commit, also after a crash. Put is safe for
// concurrent use; the other methods are not.
type Writer interface {
	// Put stores a file, and replaces one with the same path.
	Put(ctx context.Context, f File) error
	// Touch updates size and time of a file with unchanged content. With Replace it also retains the file.
	Touch(ctx context.Context, k Known) error
	// Remove removes files. Unknown paths are ignored.
	Remove(ctx context.Context, paths ...string) error
	// Commit makes the changes visible and durable, and ends the Writer. After an error the index is unchanged.
	Commit(ctx context.Context) error
	// Abort ends the Writer and discards its changes. After Commit it does nothing.
	Abort()
}
