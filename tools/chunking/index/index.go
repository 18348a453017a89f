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
	"github.com/dougu-go/dougu/tools/source"
)

// Options configures Open. Only Parsers is required.
type Options struct {
	// Parsers read the files. They are not closed with the Index.
	Parsers *source.Parsers
	// Store keeps the index between runs; nil keeps it in memory alone. The Index
	// closes it.
	Store Store
	// Calls asks for calls by name in all files.
	Calls bool
	// Languages are those that are indexed; empty for all that Parsers know.
	Languages []source.Language
	// Workers is how many files are parsed at once. Default runtime.GOMAXPROCS(0).
	Workers int
	// Log is told of what does not work. nil: nobody is.
	Log *slog.Logger
}

// Index holds the chunks of the source files of a Root. Its methods may be called
// from several goroutines at once.
type Index struct {
	root         *security.Root
	o            Options
	log          *slog.Logger
	languages    languages
	fingerprints map[source.Language]uint64
	within       string // where the Store is, which is not indexed

	current atomic.Pointer[Snapshot]
	turns   atomic.Uint64

	mu      sync.Mutex       // one writer of current
	unsaved map[string]*File // what the Store does not have; nil for what is gone
	why     string           // why it could not be saved
	starts  map[string]bool  // directories that were analysed by this Index

	saving sync.Mutex // one caller of the Store

	jobs   sync.Mutex
	joined map[string]*job // by what they do
	ctx    context.Context // of the jobs
	stop   context.CancelFunc
	run    group.Group
	busy   sync.WaitGroup // work in the goroutines of callers
	closed bool
}

// ErrClosed is the error of what is called after Close.
var ErrClosed = errors.New("the index is closed")

// Open makes an Index and loads what the Store has. What other parsers have read,
// or what cannot be, is left out and read again by the next Analyze. A Store that
// cannot be read counts as empty, which the log is told. The error is that of ctx or of
// Options.
func Open(ctx context.Context, root *security.Root, o Options) (*Index, error) {
	if root == nil || o.Parsers == nil {
		return nil, errors.New("opening an index: a Root and Parsers are needed")
	}
	x := &Index{root: root, o: o, log: o.Log, unsaved: map[string]*File{}, starts: map[string]bool{}, joined: map[string]*job{}, fingerprints: map[source.Language]uint64{}}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	if x.o.Workers <= 0 {
		x.o.Workers = runtime.GOMAXPROCS(0)
	}
	known := o.Parsers.Languages()
	x.languages = languageSet(known).both(o.Languages)
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

func fingerprint(parsers string, calls bool) uint64 {
	h := fnv.New64a()
	h.Write([]byte(parsers + " " + strconv.FormatBool(calls)))
	return h.Sum64()
}

// load takes over what the Store has.
func (x *Index) load(ctx context.Context) error {
	files, err := x.o.Store.Load(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("opening an index: %w", ctx.Err())
	}
	if err != nil {
		x.log.WarnContext(ctx, "the saved index cannot be read; the files are read again", "error", err)
	}
	s := &Snapshot{files: make([]*File, 0, len(files))}
	other := 0
	var last source.Language // most files have that of the one before
	var wanted bool
	var print uint64
	for _, f := range files {
		if f == nil || f.Path == "" {
			continue
		}
		if f.Language != last {
			last, wanted, print = f.Language, x.languages[f.Language], x.fingerprints[f.Language]
		}
		if f.parsed == nil && f.stored == nil || f.fingerprint != print || !wanted {
			x.unsaved[f.Path] = nil
			other++
			continue
		}
		if f.stored != nil {
			f.stored.index = x
		}
		s.files = append(s.files, f)
	}
	if other > 0 {
		x.log.InfoContext(ctx, "other parsers have read saved files; they are read again", "files", other)
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

// Snapshot is all that is known now.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Compared reports whether the files of a directory have been compared with the index since Open. Until then the Snapshot is what
// an earlier process has saved.
func (x *Index) Compared() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.starts) > 0
}

// Lookup answers what is known of a file, by its path as File.Path spells it. It
// looks at no file; see Fresh.
func (x *Index) Lookup(path string) (*File, bool) { return x.Snapshot().Lookup(path) }

// Close ends what runs, saves what is not saved, and closes the Store. The error
// is that of saving, or of ctx if it ends first; the work then ends later. Of files
// that the Store had loaded, File.Parsed cannot be had afterwards.
func (x *Index) Close(ctx context.Context) error {
	x.jobs.Lock()
	again := x.closed
	x.closed = true
	x.jobs.Unlock()
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
