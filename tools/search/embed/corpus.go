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

// CorpusOptions say what a Corpus is made of.
type CorpusOptions struct {
	// Index has the pieces, Read their texts as the index has them.
	Index index.Index
	Read  func(ctx context.Context, path string) ([]byte, error)
	// Embedder makes the vectors, Dir is where they are kept.
	Embedder Embedder
	Dir      string
	// PerMinute is how many requests are made in a minute to fill the store, at most.
	// 0: as many as the server answers.
	PerMinute int
	// Batch is how many pieces one request is about. 0: DefaultBatch.
	Batch int
	// Retry is how long it takes until what failed is tried again. 0: a minute.
	Retry time.Duration
	// Log is told what fails. Nil tells nobody.
	Log *slog.Logger
}

// Corpus keeps the vectors of all pieces of an index and finds pieces by what they
// mean. It learns the vectors in the background: what it finds until then is a part.
type Corpus struct {
	o       CorpusOptions
	changed chan struct{}
	stop    context.CancelCauseFunc
	work    group.Group

	updating sync.Mutex // held during Update

	mu     sync.Mutex
	store  *Store
	files  map[string]*embedded // by path
	at     map[Key][]ref
	status Status
	closed bool
}

// embedded is a file whose pieces have vectors.
type embedded struct {
	known index.Known
	keys  []Key
}

// ref is a piece with a text.
type ref struct {
	path string
	span index.Span
	kind string
}

// Status tells how far a Corpus is.
type Status struct {
	Files, Pieces int
	// Pending is how many files are not done.
	Pending int
	// Updated is when all files were last done; Failed is what was wrong since.
	Updated time.Time
	Failed  error
}

// NewCorpus begins to fill the store.
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
	c := &Corpus{o: o, changed: make(chan struct{}, 1), stop: stop, files: map[string]*embedded{}, at: map[Key][]ref{}}
	c.work.OnPanic = func(value any, stack []byte) {
		o.Log.Error("embedding panicked", "value", value, "stack", string(stack))
	}
	c.work.Go(func() { c.run(ctx) })
	c.Changed()
	return c
}

// Changed has the Corpus look for what is new in the index. It does not block.
func (c *Corpus) Changed() {
	select {
	case c.changed <- struct{}{}:
	default: // it will be looked anyway
	}
}

// run brings the store up to date whenever something has changed, and again if that
// failed.
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

// Status tells how far the Corpus is.
func (c *Corpus) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Close ends the work, and waits for that as long as ctx lasts.
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
		return fmt.Errorf("closing the store of vectors: %w", context.Cause(ctx))
	}
	c.updating.Lock()
	defer c.updating.Unlock()
	c.mu.Lock()
	c.closed = true
	store := c.store
	c.mu.Unlock() // who searches the store asks what it is about
	if store == nil {
		return nil
	}
	return store.Close()
}

// opened is the store, which is opened when the number of dimensions is known: for
// that a word is sent to the server, if need be.
func (c *Corpus) opened(ctx context.Context) (*Store, error) {
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
	if c.closed || c.store != nil { // another one was faster
		err = store.Close()
		if c.closed {
			err = errors.Join(ErrClosed, err)
		}
		return c.store, err
	}
	c.store = store
	return store, nil
}
