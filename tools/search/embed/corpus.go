package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/search/index"
)

// CorpusOptions configure a Corpus.
type CorpusOptions struct {
	// Index provides the pieces. Required.
	Index index.Index
	// Read returns the text of a file in the version that is indexed. Required.
	Read func(ctx context.Context, path string) ([]byte, error)
	// Embedder computes the vectors. Required.
	Embedder Embedder
	// Dir is the directory of the store. Required.
	Dir string
	// PerMinute limits the requests per minute that fill the store. 0 means no limit.
	PerMinute int
	// Batch is the number of pieces per request. 0 means DefaultBatch.
	Batch int
	// Retry is the delay before a failed update is repeated. 0 means 1 minute.
	Retry time.Duration
	// Log receives failures. nil discards them.
	Log *slog.Logger
}

// Corpus keeps the vectors of all pieces of an index up to date in the background, and searches them. Pieces without a vector
// are not found yet. If the embedding server cannot be reached, Status.Failed has the error, searches return
// it, and the update is repeated until it succeeds. A Corpus is safe for concurrent use.
type Corpus struct {
	o       CorpusOptions
	changed chan struct{} // capacity 1; requests an update
	stop    context.CancelCauseFunc
	work    group.Group

	updating sync.Mutex // held by Update, which fills the store and sets status

	mu     sync.Mutex               // guards the fields below
	store  *Store                   // nil until an update or a search has opened it
	files  map[string]*embeddedFile // files whose pieces have vectors, by path
	refs   map[Key][]ref            // pieces by the key of their text
	status Status
	closed bool
}

// embeddedFile is a file whose pieces have vectors.
type embeddedFile struct {
	known index.Known
	keys  []Key
}

// ref identifies a piece.
type ref struct {
	path string
	span index.Span
	kind string // index.Piece.Kind: the kind of a declaration ("method"), "section" or "file"
}

// Status is the progress of a Corpus.
type Status struct {
	// Files and Pieces are the numbers of files and pieces with vectors.
	Files, Pieces int
	// Pending is the number of changed files without current vectors.
	Pending int
	// Updated is the time of the last complete update. Failed is the error of the last update; nil if it succeeded.
	Updated time.Time
	Failed  error
}

// NewCorpus returns a Corpus and starts its first update in the background. The caller closes it.
func NewCorpus(o CorpusOptions) *Corpus {
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	if o.Retry <= 0 {
		o.Retry = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	c := &Corpus{o: o, changed: make(chan struct{}, 1), stop: stop, files: map[string]*embeddedFile{}, refs: map[Key][]ref{}}
	c.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("embedding panicked", "value", value, "stack", string(stack))
	}
	c.work.Go(func() { c.run(ctx) })
	c.Changed()
	return c
}

// Changed requests an update after a change of the index. It does not block.
func (c *Corpus) Changed() {
	select {
	case c.changed <- struct{}{}:
	default: // an update is already requested
	}
}

// run performs the requested updates, and repeats failed ones after Retry.
func (c *Corpus) run(ctx context.Context) {
	for {
		select {
		case <-c.changed:
		case <-ctx.Done():
			return
		}
		for err := c.Update(ctx); err != nil; err = c.Update(ctx) {
			if ctx.Err() != nil {
				return
			}
			c.o.Log.Warn("embeddings are not up to date", "error", err)
			if wait.Sleep(ctx, c.o.Retry) != nil {
				return
			}
		}
	}
}

// Status returns the progress.
func (c *Corpus) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Close stops the background update, waits for it until ctx ends, and closes the store.
func (c *Corpus) Close(ctx context.Context) error {
	c.stop(ErrClosed)
	done := make(chan struct{})
	var waiter group.Group
	waiter.Go(func() {
		c.work.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("closing the vector store: %w", context.Cause(ctx))
	}
	c.updating.Lock()
	defer c.updating.Unlock()
	c.mu.Lock()
	c.closed = true
	store := c.store
	c.mu.Unlock() // not held during store.Close: that waits for searches, whose filters take mu
	if store == nil {
		return nil
	}
	return store.Close()
}

// openStore returns the store, for Update and Nearest. The first call opens it. This needs the number of dimensions. If the
// Embedder does not know it, openStore embeds a test text and takes the length of the vector.
func (c *Corpus) openStore(ctx context.Context) (*Store, error) {
	c.mu.Lock()
	store, closed := c.store, c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case store != nil:
		return store, nil
	}
	dimensions := c.o.Embedder.Dimensions()
	if dimensions == 0 {
		vectors, err := c.o.Embedder.Embed(ctx, []string{"hello"})
		if err != nil {
			return nil, err
		}
		if len(vectors) != 1 {
			return nil, ErrAnswer
		}
		dimensions = len(vectors[0])
	}
	store, err := OpenStore(c.o.Dir, c.o.Embedder.Model(), dimensions)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.store != nil { // closed, or opened by a concurrent update or search
		err = store.Close()
		if c.closed {
			err = errors.Join(ErrClosed, err)
		}
		return c.store, err
	}
	c.store = store
	return store, nil
}
