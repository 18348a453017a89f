package external

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/internal/listeners"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
)

// Options configure Documents. The zero value keeps the index in memory and updates it every five minutes.
type Options struct {
	// Index stores the pieces, for example on disk (segment.Open). Documents.Close closes it. It must not be shared with another
	// source. nil means segment.NewMemory.
	Index index.Index
	// Parsers parse documents in programming languages (Document.Format). The caller closes them. nil means that such documents
	// are split without a parser.
	Parsers *source.Parsers
	// Interval is the time between updates. Default 5 minutes. A negative value disables them: only Refresh updates the index.
	Interval time.Duration
	// Timeout limits one call of Source.Get and of ChangeSource.Changes. Default 30 seconds.
	Timeout time.Duration
	// Workers is the maximum number of concurrent calls of Source.Get in an update. Default 4.
	Workers int
	// MaxDocuments is the maximum number of indexed documents; further ones are skipped. Documents that are indexed already come
	// before new ones. Default 100,000.
	MaxDocuments int
	// MaxText is the maximum length of a text in bytes; longer documents are skipped. Default document.MaxText, 2 MiB.
	MaxText int
	// MaxMemory limits the texts that are kept in memory for results, in bytes. Other texts are read with Source.Get when a
	// result shows them. Default 32 MiB; a negative value keeps none.
	MaxMemory int
	// Log receives failures. nil discards them.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Index == nil {
		o.Index = segment.NewMemory()
	}
	if o.Interval == 0 {
		o.Interval = 5 * time.Minute
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Workers <= 0 {
		o.Workers = 4
	}
	if o.MaxDocuments <= 0 {
		o.MaxDocuments = 100_000
	}
	if o.MaxText <= 0 {
		o.MaxText = document.MaxText
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 32 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// maxCachedTexts is the maximum number of texts in memory.
const maxCachedTexts = 100_000

// Documents is the index of a source. It implements plugin.External and is safe for concurrent use.
type Documents struct {
	source       plugin.Source
	changes      plugin.ChangeSource // nil if the source does not report changes
	name, prefix string              // prefix begins all paths: "wiki:/"
	index        index.Index
	parsers      *source.Parsers
	timeout      time.Duration
	workers      int
	maxDocuments int
	maxText      int
	log          *slog.Logger

	ctx       context.Context // ends with Close
	stop      context.CancelFunc
	run       group.Group
	writeLock *semaphore.Weighted // of weight 1; held by the update that writes to the index
	cursor    string              // of the changes; guarded by writeLock

	closing    group.Group   // the end of Close
	closeEnded chan struct{} // closed when closeErr is valid
	closeErr   error

	listeners listeners.Listeners // functions that Changed has registered

	mu           sync.Mutex // guards the fields below
	closed       bool
	jobs         map[plugin.RefreshOptions]*job // running updates, by options
	state        state
	descriptions map[string]plugin.Description // by path
	texts        lru.Cache[textKey, []byte]
	commits      int // number of committed updates
}

// textKey identifies the text of a version of a document, as it is indexed. Texts of versions that are not committed are never
// looked up.
type textKey struct {
	path string
	hash [sha256.Size]byte
}

var _ plugin.External = (*Documents)(nil)

// New returns the Documents of a source and starts the first update, unless Options.Interval is negative. The caller closes the
// source after the Documents. An error reports an invalid name of the source or an index that cannot be read.
func New(from plugin.Source, o Options) (*Documents, error) {
	if from == nil {
		return nil, errors.New("indexing a source: the source is nil")
	}
	name := from.Name()
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("indexing a source: the name %q does not have 2 to 32 lower-case letters, digits and hyphens, beginning with a letter", name)
	}
	o = o.withDefaults()
	d := &Documents{
		source: from, name: name, prefix: name + ":/", index: o.Index, parsers: o.Parsers, timeout: o.Timeout, workers: o.Workers,
		maxDocuments: o.MaxDocuments, maxText: o.MaxText, log: o.Log, writeLock: semaphore.NewWeighted(1),
		closeEnded: make(chan struct{}), jobs: make(map[plugin.RefreshOptions]*job), descriptions: make(map[string]plugin.Description),
		texts: lru.Cache[textKey, []byte]{MaxEntries: maxCachedTexts, MaxSize: o.MaxMemory},
	}
	d.changes, _ = from.(plugin.ChangeSource)
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.run.OnPanic = func(value any, stack []byte) {
		d.log.Error("indexing a source panicked", "source", d.name, "panic", value, "stack", string(stack))
	}
	d.closing.OnPanic = d.run.OnPanic
	if _, err := d.index.Stats(d.ctx); err != nil {
		d.stop()
		return nil, fmt.Errorf("indexing the source %s: %w", name, err)
	}
	if o.Interval > 0 {
		d.state.automatic = true
		d.run.Go(func() { d.updateRegularly(o.Interval) })
	}
	return d, nil
}

// updateRegularly updates the index at once and then at an interval, until Close.
func (d *Documents) updateRegularly(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if _, err := d.Refresh(d.ctx, plugin.RefreshOptions{}); err != nil && d.ctx.Err() == nil {
			d.log.Warn("updating the index of a source failed", "source", d.name, "error", err)
		}
		select {
		case <-ticker.C:
		case <-d.ctx.Done():
			return
		}
	}
}

// Name implements plugin.Plugin. It is the name of the source.
func (d *Documents) Name() string { return d.name }

// Index implements plugin.Documents.
func (d *Documents) Index() index.Index { return d.index }

// Health implements plugin.Plugin. It returns the error of the last update; nil if that succeeded, or ended because another
// process was updating the index.
func (d *Documents) Health(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return &unavailableError{d.name, index.ErrClosed}
	case d.state.failed != nil:
		return &unavailableError{d.name, d.state.failed}
	}
	return nil
}

// Close implements plugin.Plugin: it stops updates and closes the index, not the source. Documents that a running update has read
// are kept in the index. If ctx ends first, closing continues in the background. Further calls wait for the end, too, and return
// the same error.
func (d *Documents) Close(ctx context.Context) error {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		d.stop()
		d.closeErr = errors.New("closing the index panicked")
		d.closing.Go(func() {
			defer close(d.closeEnded)
			d.run.Wait()
			d.closeErr = d.index.Close(context.WithoutCancel(ctx))
		})
	}
	d.mu.Unlock()
	select {
	case <-d.closeEnded:
		return d.closeErr
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Describe implements plugin.External.
func (d *Documents) Describe(path string) (plugin.Description, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.descriptions[path]
	return known, ok
}

// Changed implements plugin.Documents.
func (d *Documents) Changed(f func(paths []string)) (stop func()) { return d.listeners.Add(f) }

// unavailableError is the error of an index whose last update failed, or that is closed.
type unavailableError struct {
	name string
	err  error
}

func (e *unavailableError) Error() string {
	return "the index of " + e.name + " is not up to date: " + e.err.Error()
}

func (e *unavailableError) Unwrap() error { return e.err }

// ErrorCode returns INDEX_UNAVAILABLE.
func (*unavailableError) ErrorCode() string { return "INDEX_UNAVAILABLE" }

// NextStep returns the advice for the model.
func (*unavailableError) NextStep() string {
	return "Call get_index_status for details. Documents indexed before are still found. Call refresh_index after the cause is fixed."
}
