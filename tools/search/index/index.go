package index

import (
	"context"
	"errors"
	"iter"
)

// ErrClosed is the error of what is called after Close.
var ErrClosed = errors.New("the search index is closed")

// ErrWriting is the error of Begin while another Writer is open.
var ErrWriting = errors.New("the search index is being written to")

// Index holds files and finds their pieces. Its methods may be called from several
// goroutines at once; what is asked while it is written to is answered from what
// was committed before. Errors are those of the context, ErrClosed, and those of
// what keeps the index.
type Index interface {
	// Begin opens the one Writer that there can be at a time.
	Begin(ctx context.Context, o WriteOptions) (Writer, error)
	// Lookup tells of one file, Files of all, in order of their paths.
	Lookup(ctx context.Context, path string) (Known, bool, error)
	Files(ctx context.Context) iter.Seq2[Known, error]
	// Pieces are those of one file, in order, without Prints.
	Pieces(ctx context.Context, path string) ([]Piece, error)
	// Search finds pieces by words, best first.
	Search(ctx context.Context, q Query) (Found, error)
	// Similar finds pieces by fingerprints, best first.
	Similar(ctx context.Context, l Likeness) (Found, error)
	// Candidates are the paths of files whose Text may fulfil a condition, in order:
	// it leaves out none that does. Files whose Text is not Verbatim are left out.
	Candidates(ctx context.Context, l Literals, f Filter) ([]string, error)
	Stats(ctx context.Context) (Stats, error)
	// Close waits for what runs, gives up an open Writer, and releases everything.
	Close(ctx context.Context) error
}

// WriteOptions say what a Writer is for.
type WriteOptions struct {
	// Replace has Commit forget every file that was not put: the index made anew,
	// while the old one answers until then.
	Replace bool
}

// Writer changes an Index, all at once with Commit: neither who searches nor who
// opens the index after a crash ever sees a part of it. Its methods are for one
// goroutine at a time, but Put, which several may call.
type Writer interface {
	// Put adds a file, in place of one with the same path.
	Put(ctx context.Context, f File) error
	// Touch notes the size and time of a file whose content is the same, in place of
	// Put; with Replace it keeps what is known of it.
	Touch(ctx context.Context, k Known) error
	// Remove forgets files; a path that is not known is none.
	Remove(ctx context.Context, paths ...string) error
	// Commit makes it so, durably, and ends the Writer. After an error nothing has
	// changed.
	Commit(ctx context.Context) error
	// Abort ends a Writer without a change. After Commit it does nothing.
	Abort()
}
