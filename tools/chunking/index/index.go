package index

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/dirwatch"
	"github.com/dougu-go/dougu/tools/source"
)

// Options configures Open. Only Parsers is required.
type Options struct {
	// Parsers parse the source files. Index.Close does not close them.
	Parsers *source.Parsers
	// Store keeps the index between runs. Index.Close closes it. Default: nil, which
	// keeps the index in memory only.
	Store Store
	// Calls also records the calls in all files, by name of the called function.
	Calls bool
	// Languages limits the index to these languages. Default: all languages of Parsers.
	Languages []source.Language
	// Workers is the number of files that are parsed concurrently. Default:
	// runtime.GOMAXPROCS(0).
	Workers int
	// Log receives warnings about unreadable directories, damaged data and failed
	// saves. Default: nil, which discards them.
	Log *slog.Logger
}

// Index holds the chunks of the source files of a Root. Its methods are safe for
// concurrent use.
type Index struct {
	root         *security.Root
	o            Options
	log          *slog.Logger
	languages    languages
	fingerprints map[source.Language]uint64
	within       string // directory of the Store, which is not indexed; "" if it is outside the Root

	current  atomic.Pointer[Snapshot]
	barrier  dirwatch.Barrier
	lastTurn atomic.Uint64 // last sequence number; each reading of a file takes the next one

	mu      sync.Mutex       // serializes changes of current; also guards the fields below
	unsaved map[string]*File // changes that the Store lacks, by path; nil for a removed file
	why     string           // error of the last save, "" after a successful one
	damage  string           // describes lost entries of the Store, until an analysis has replaced them
	starts  map[string]bool  // directories that were analysed by this Index

	saving sync.Mutex // serializes calls of Store.Save

	jobsMu  sync.Mutex      // guards running, closed and job.users
	running map[string]*job // running analyses, which equal calls of Analyze share, by job.key
	closed  bool

	ctx  context.Context // parent context of the jobs; cancelled by Close
	stop context.CancelFunc
	run  group.Group    // goroutines of the jobs
	busy sync.WaitGroup // operations in goroutines of callers
}

// ErrClosed is the error of methods that are called after Close.
var ErrClosed = errors.New("the index is closed")

// Open creates an Index and loads the files of the Store. Files from other parser
// versions and invalid files are dropped; the next Analyze parses them again. An
// unreadable Store is logged and treated as empty. Open returns an error if root or
// Options.Parsers is nil, or if ctx ends.
func Open(ctx context.Context, root *security.Root, o Options) (*Index, error) {
	if root == nil || o.Parsers == nil {
		return nil, errors.New("open an index: a Root and Parsers are required")
	}
	x := &Index{root: root, o: o, log: o.Log, unsaved: map[string]*File{}, starts: map[string]bool{}, running: map[string]*job{}, fingerprints: map[source.Language]uint64{}}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	if x.o.Workers <= 0 {
		x.o.Workers = runtime.GOMAXPROCS(0)
	}
	known := o.Parsers.Languages()
	x.languages = languageSet(slices.DeleteFunc(slices.Clone(known), o.Parsers.IsData)).intersect(o.Languages)
	for _, lang := range known {
		x.fingerprints[lang] = fingerprint(o.Parsers.Fingerprint(lang), o.Calls)
	}
	if place, ok := o.Store.(interface{ Within() string }); ok {
		x.within = place.Within()
	}
	x.ctx, x.stop = context.WithCancel(context.WithoutCancel(ctx))
	x.run.OnPanic = func(value any, stack []byte) {
		x.log.Error("panic in the index", "panic", value, "stack", string(stack))
	}
	x.current.Store(&Snapshot{})
	if o.Store != nil {
		if err := x.load(ctx); err != nil {
			x.stop()
			return nil, err
		}
	}
	return x, nil
}

// fingerprint identifies a parser version together with the option Calls.
func fingerprint(parsers string, calls bool) uint64 {
	h := fnv.New64a()
	h.Write([]byte(parsers + " " + strconv.FormatBool(calls)))
	return h.Sum64()
}

// load fills the first Snapshot from the Store.
func (x *Index) load(ctx context.Context) error {
	files, err := x.o.Store.Load(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("open an index: %w", ctx.Err())
	}
	if err != nil {
		x.log.WarnContext(ctx, "the saved index cannot be read; the files are read again", "error", err)
		x.damage = err.Error()
	}
	s := &Snapshot{files: make([]*File, 0, len(files))}
	other, invalid := 0, 0
	var last source.Language // cache: most files have the language of the previous one
	var wanted bool
	var print uint64
	for _, f := range files {
		if f == nil {
			continue
		}
		if !x.isPath(f.Path) || f.start != "" && !x.isPath(f.start) {
			x.unsaved[f.Path] = nil
			invalid++
			continue
		}
		if f.Language != last {
			last, wanted, print = f.Language, x.languages[f.Language], x.fingerprints[f.Language]
		}
		hasNoData := f.parsed == nil && f.stored == nil
		if hasNoData || !wanted || f.fingerprint != print {
			x.unsaved[f.Path] = nil // the next save removes the file from the Store
			other++
			continue
		}
		if f.stored != nil {
			f.stored.index = x
		}
		s.files = append(s.files, f)
	}
	if other > 0 {
		x.log.InfoContext(ctx, "saved files of other parser versions are parsed again", "files", other)
	}
	if invalid > 0 {
		x.damage = fmt.Sprintf("%v: %d entries have paths outside of the project", ErrDamaged, invalid)
		x.log.WarnContext(ctx, "saved files with paths outside of the project are ignored", "files", invalid)
	}
	byPath := func(a, b *File) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(s.files, byPath) {
		slices.SortStableFunc(s.files, byPath)
	}
	s.files = slices.CompactFunc(s.files, func(a, b *File) bool { return a.Path == b.Path })
	for _, f := range s.files {
		s.chunks += f.Len()
		s.functions += f.functions
	}
	x.current.Store(s)
	return nil
}

// Snapshot returns the current state of the index, which later changes do not affect.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Compared reports whether a comparison of the index with the files has begun: whether
// an Analyze of any directory was started since Open. Before that, the Snapshot is the
// state that an earlier process saved.
func (x *Index) Compared() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.starts) > 0
}

// Damage describes entries that the Store has lost, for example because its file was truncated. It
// returns "" if there are none, and after an Analyze of all analyzed directories.
func (x *Index) Damage() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.damage
}

// Lookup returns the index entry of the file with this final path. It does not access
// the file; see Index.ReadFile.
func (x *Index) Lookup(path string) (*File, bool) { return x.Snapshot().Lookup(path) }

// Close cancels running jobs, saves unsaved changes and closes the Store. It returns
// errors of saving and closing, or ctx.Err if ctx ends first; the shutdown then
// continues in the background. Later calls return nil. File.Parsed fails afterwards for
// files loaded from the Store.
func (x *Index) Close(ctx context.Context) error {
	x.jobsMu.Lock()
	again := x.closed
	x.closed = true
	x.jobsMu.Unlock()
	if again {
		return nil
	}
	x.stop()
	ended := make(chan error, 1)
	var closing group.Group
	closing.Go(func() {
		x.run.Wait()
		x.busy.Wait()
		err := x.save(context.WithoutCancel(ctx))
		if x.o.Store != nil {
			err = errors.Join(err, x.o.Store.Close())
		}
		ended <- err
	})
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
