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
	"github.com/dougu-go/dougu/tools/search/internal/listeners"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/source"

	"golang.org/x/sync/semaphore"
)

// Options configure a Filesystem. Index and Parsers are required.
type Options struct {
	// Index stores the pieces. Filesystem.Close closes it.
	Index index.Index
	// Parsers parse source code. The caller closes them.
	Parsers *source.Parsers
	// Watch are the directories to index. A missing one is indexed when it appears. Empty means all directories of the Root.
	Watch []string
	// Ignore are patterns of files to exclude, in the syntax of a .gitignore file in the first directory of the Root. nil means
	// DefaultIgnore.
	Ignore []string
	// MaxFile is the maximum size of an indexed file, in bytes. 0 means Env.Limits.MaxFile.
	MaxFile int64
	// Workers is the number of files that are read concurrently. 0 means runtime.GOMAXPROCS(0).
	Workers int
	// Quiet is the time without further changes after which a changed file is read, to avoid incomplete content. 0 means 20 ms.
	Quiet time.Duration
	// Interval is the time between complete checks of all files, in addition to notifications of the system. 0 means 1 minute.
	// A negative value disables both the checks and the notifications: only Refresh updates the index.
	Interval time.Duration
	// Log receives failures. nil means the logger of the Env.
	Log *slog.Logger
}

// DefaultIgnore returns the default of Options.Ignore: dependencies, lock files, logs and minified files.
func DefaultIgnore() []string {
	return []string{"node_modules", ".git", "*.log", "*.min.js", "*.min.css", "*.map", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"}
}

// Filesystem indexes the files of a Root. It implements plugin.Documents and is safe for concurrent use.
type Filesystem struct {
	root     *security.Root
	index    index.Index
	cutter   *cutter  // splits files into pieces
	covered  []string // indexed directories as paths of the Root; they may be missing
	ignored  *ignore.Rules
	indexDir string // directory of the index, which is excluded
	maxFile  int64
	workers  int
	log      *slog.Logger

	ctx       context.Context // ends with Close
	stop      context.CancelFunc
	run       group.Group
	writeLock *semaphore.Weighted // of weight 1; held by the refresh that writes to the index
	listeners listeners.Listeners // functions that Changed has registered

	mu       sync.Mutex // guards the fields below
	closed   bool
	jobs     map[plugin.RefreshOptions]*job // running refreshes, by options
	progress progress                       // state of the updates, for Status and Health
	skipped  skipped                        // files that are not indexed, for Status
}

var _ plugin.Documents = (*Filesystem)(nil)

// New returns a Filesystem and starts the first update, unless Options.Interval is negative. The error names invalid options,
// or is that of the Root for a forbidden directory.
func New(env tools.Env, o Options) (*Filesystem, error) {
	if env.Root == nil || o.Index == nil || o.Parsers == nil {
		return nil, errors.New("indexing files: a Root, an Index and Parsers are needed")
	}
	f := &Filesystem{
		root: env.Root, index: o.Index, maxFile: o.MaxFile, workers: o.Workers, log: o.Log,
		writeLock: semaphore.NewWeighted(1), jobs: map[plugin.RefreshOptions]*job{},
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
	f.ignored = parseRules(o.Ignore)
	f.cutter = &cutter{options: document.Options{Parsers: o.Parsers}, log: f.log}
	f.ctx, f.stop = context.WithCancel(context.Background())
	f.run.OnPanic = func(value any, stack []byte) {
		f.log.Error("indexing files panicked", "panic", value, "stack", string(stack))
	}
	if err := f.prepare(o); err != nil {
		f.stop()
		return nil, err
	}
	if o.Interval >= 0 {
		f.progress.watchEnabled = true
		f.run.Go(func() { f.watch(o) })
	}
	return f, nil
}

// prepare resolves the directories and reads the size of the index.
func (f *Filesystem) prepare(o Options) error {
	if place, ok := o.Index.(interface{ Within() string }); ok {
		f.indexDir = place.Within()
	}
	var err error
	if f.covered, err = f.resolveDirs(f.ctx, o.Watch); err != nil {
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

// Changed implements plugin.Documents.
func (f *Filesystem) Changed(tell func(paths []string)) (stop func()) { return f.listeners.Add(tell) }

// Health implements plugin.Plugin. It returns the error of the last update; nil if that succeeded.
func (f *Filesystem) Health(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return &unavailableError{index.ErrClosed}
	case f.progress.failed != nil:
		return &unavailableError{f.progress.failed}
	}
	return nil
}

// Close implements plugin.Plugin: it stops background work and closes the Index. If ctx ends first, closing continues in the
// background.
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

// unavailableError is the error of Health and Refresh for an index whose last update failed, or that is closed. The message and
// the next step are the same in both cases; err is the cause.
type unavailableError struct{ err error }

func (e *unavailableError) Error() string {
	return "the index of files is not up to date: " + e.err.Error()
}

func (e *unavailableError) Unwrap() error { return e.err }

// ErrorCode returns INDEX_UNAVAILABLE.
func (*unavailableError) ErrorCode() string { return "INDEX_UNAVAILABLE" }

// NextStep returns the advice for the model.
func (*unavailableError) NextStep() string {
	return "Call get_index_status for details. Files indexed before are still found. Call refresh_index after the cause is fixed."
}
