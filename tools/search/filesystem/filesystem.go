package filesystem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/source"

	"golang.org/x/sync/semaphore"
)

// Options say what is indexed and how. Index and Parsers are required.
type Options struct {
	// Index is where it is kept. The Filesystem closes it.
	Index index.Index
	// Parsers find the declarations in source code. They are not closed.
	Parsers *source.Parsers
	// Watch are the directories that are indexed; one that does not exist is when it
	// does. Empty for all that the Root has.
	Watch []string
	// Ignore leaves files out: patterns as in a .gitignore file in the first directory
	// of the Root. nil: DefaultIgnore.
	Ignore []string
	// MaxFile is the size in bytes of the largest file that is read. 0: Env.Limits.MaxFile.
	MaxFile int64
	// Workers is how many files are read at once. Default runtime.GOMAXPROCS(0).
	Workers int
	// Quiet is how long a changed file must be left alone before it is read, so that
	// half a change is not. Default 20 ms.
	Quiet time.Duration
	// Interval is how often all files are looked at besides what the system tells of
	// changes. Default 1 minute. Negative for never: then nothing is watched, and
	// Refresh alone looks.
	Interval time.Duration
	// Log is told of what does not work. nil: that of the Env.
	Log *slog.Logger
}

// DefaultIgnore are the patterns of files that no project wants to find, besides what
// its .gitignore files say.
func DefaultIgnore() []string {
	return []string{"node_modules", ".git", "*.log", "*.min.js", "*.min.css", "*.map", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"}
}

// Filesystem keeps an index of files. It implements plugin.Documents, and its
// methods may be called from several goroutines at once.
type Filesystem struct {
	root    *security.Root
	index   index.Index
	cutter  *cutter
	covered []string // as the Root names them, though they may not exist yet
	ignored *ignore.Rules
	within  string // where the index is, which is not indexed
	maxFile int64
	workers int
	log     *slog.Logger

	ctx  context.Context // of all work
	stop context.CancelFunc
	run  group.Group
	turn *semaphore.Weighted // of 1, for the work that writes

	mu        sync.Mutex
	closed    bool
	jobs      map[plugin.RefreshOptions]*job
	progress  progress
	skipped   skipped
	listeners listeners
}

var _ plugin.Documents = (*Filesystem)(nil)

// New makes a Filesystem and, unless Options.Interval is negative, begins to bring
// the index up to date. The error says what is wrong with the options, or is that of
// the Root for a directory that must not be read.
func New(env tools.Env, o Options) (*Filesystem, error) {
	if env.Root == nil || o.Index == nil || o.Parsers == nil {
		return nil, errors.New("indexing files: a Root, an Index and Parsers are needed")
	}
	f := &Filesystem{
		root: env.Root, index: o.Index, maxFile: o.MaxFile, workers: o.Workers, log: o.Log,
		turn: semaphore.NewWeighted(1), jobs: map[plugin.RefreshOptions]*job{},
	}
	if f.maxFile <= 0 {
		f.maxFile = env.Limits.WithDefaults().MaxFile
	}
	if f.workers <= 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	if f.log == nil {
		f.log = env.Logger()
	}
	if o.Ignore == nil {
		o.Ignore = DefaultIgnore()
	}
	f.ignored = rules(o.Ignore)
	f.cutter = &cutter{options: document.Options{Parsers: o.Parsers}, log: f.log}
	f.ctx, f.stop = context.WithCancel(context.Background())
	f.run.OnPanic = func(value any, stack []byte) {
		f.log.Error("panic while indexing files", "panic", value, "stack", string(stack))
	}
	if err := f.prepare(o); err != nil {
		f.stop()
		return nil, err
	}
	if o.Interval >= 0 {
		f.progress.watched = true
		f.run.Go(func() { f.watch(o) })
	}
	return f, nil
}

// prepare finds out what there is before anything runs.
func (f *Filesystem) prepare(o Options) error {
	if place, ok := o.Index.(interface{ Within() string }); ok {
		f.within = place.Within()
	}
	var err error
	if f.covered, err = f.cover(f.ctx, o.Watch); err != nil {
		return err
	}
	stats, err := f.index.Stats(f.ctx)
	if err != nil {
		return fmt.Errorf("indexing files: %w", err)
	}
	f.progress.known = stats.Files
	return nil
}

// Name implements plugin.Plugin: "filesystem".
func (f *Filesystem) Name() string { return "filesystem" }

// Index implements plugin.Documents.
func (f *Filesystem) Index() index.Index { return f.index }

// Health implements plugin.Plugin. It fails while the last attempt to bring the index
// up to date did.
func (f *Filesystem) Health(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return &unavailable{index.ErrClosed}
	case f.progress.failed != nil:
		return &unavailable{f.progress.failed}
	}
	return nil
}

// Close implements plugin.Plugin: it ends what runs and closes the Index. When ctx
// ends first, the rest goes on by itself.
func (f *Filesystem) Close(ctx context.Context) error {
	f.mu.Lock()
	again := f.closed
	f.closed = true
	f.mu.Unlock()
	if again {
		return nil
	}
	f.stop()
	ended := make(chan error, 1)
	var closing group.Group
	closing.Go(func() {
		f.run.Wait()
		ended <- f.index.Close(context.WithoutCancel(ctx))
	})
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unavailable says that files cannot be indexed, or not now.
type unavailable struct{ err error }

func (e *unavailable) Error() string { return "the index of files is not up to date: " + e.err.Error() }

func (e *unavailable) Unwrap() error { return e.err }

// ErrorCode is stable: INDEX_UNAVAILABLE.
func (*unavailable) ErrorCode() string { return "INDEX_UNAVAILABLE" }

// NextStep says what can be done.
func (*unavailable) NextStep() string {
	return "Look at get_index_status; what was indexed before is still found. Try refresh_index when the cause is gone."
}
