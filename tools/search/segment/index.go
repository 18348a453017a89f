package segment

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/index"
)

// Options configures an Index. The zero value is usable.
type Options struct {
	// Buffer is the memory in bytes that a Writer uses before it writes a segment.
	// Default: 64 MiB; maximum: 1 GiB.
	Buffer int64
	// Memory is the number of bytes of segments that are kept in memory. Other data is
	// read on demand. Default: 256 MiB.
	Memory int64
	// Log receives reports of damaged data and of errors in the background. Default:
	// nil, which discards them.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Buffer <= 0 {
		o.Buffer = 64 << 20
	}
	o.Buffer = min(o.Buffer, 1<<30)
	if o.Memory <= 0 {
		o.Memory = 256 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Index implements index.Index with immutable segments. Options.Memory limits the parts of
// them that are kept in memory. Its methods are safe for concurrent use.
type Index struct {
	o        Options
	store    store
	shared   sharing // relation to other processes with the same files; nil for an index in memory
	workers  int
	tasks    group.Group
	scorers  scorers
	builders sync.Pool       // of *builder; keeps their memory
	ctx      context.Context // canceled by Close
	stop     context.CancelFunc
	commit   sync.Mutex // held while a new state is installed

	mu      sync.Mutex     // guards the fields below and the counters refs
	current *state         // the state that new calls use
	writer  *writer        // the open writer, or nil
	wrote   time.Time      // end of the last writer
	next    uint64         // number of the next segment
	merging bool           // a merge is running or waits
	closed  bool           // Close was called
	running sync.WaitGroup // calls between enter and leave
}

var _ index.Index = (*Index)(nil)

func newIndex(s store, o Options) *Index {
	ix := &Index{o: o, store: s, workers: min(runtime.GOMAXPROCS(0), 8), next: 1}
	ix.scorers.free = make(chan *scorer, ix.workers)
	ix.ctx, ix.stop = context.WithCancel(context.Background())
	ix.tasks.OnPanic = func(v any, stack []byte) {
		o.Log.Error("a panic in the search index", "panic", fmt.Sprint(v), "stack", string(stack))
	}
	ix.current = newState(0, 1, time.Time{}, nil)
	return ix
}

// NewMemory returns an empty index in memory, for small trees and tests.
func NewMemory() *Index {
	return newIndex(&memory{files: make(map[uint64]*memoryBuffer)}, Options{}.withDefaults())
}

// builder returns an empty builder.
func (ix *Index) builder() *builder {
	if b, ok := ix.builders.Get().(*builder); ok {
		return b
	}
	return newBuilder()
}

// enter starts a call and returns the state for its results, which stays unchanged during
// the call. It first loads newer commits of other processes (follow). The caller ends the
// call with leave.
func (ix *Index) enter(ctx context.Context) (*state, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ix.follow()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return nil, index.ErrClosed
	}
	ix.running.Add(1)
	ix.current.refs++
	return ix.current, nil
}

// leave ends a call that enter has started.
func (ix *Index) leave(s *state) {
	ix.release(s)
	ix.running.Done()
}

// release drops a reference to a state, and closes and removes segments that no state
// uses. It does not remove files of a closed index, or files that other processes may
// still use (sharing.keeps).
func (ix *Index) release(s *state) {
	ix.mu.Lock()
	var unused []*segment
	if s.refs--; s.refs == 0 {
		for _, l := range s.live {
			if l.refs--; l.refs == 0 {
				unused = append(unused, l.segment)
			}
		}
	}
	keep := ix.closed || ix.shared != nil && ix.shared.keeps()
	ix.mu.Unlock()
	for _, seg := range unused {
		seg.closed()
		if !keep {
			ix.store.remove(seg.number)
		}
	}
}

// install makes a state the current one. The caller holds ix.commit.
func (ix *Index) install(s *state) {
	ix.mu.Lock()
	old := ix.current
	for _, l := range s.live {
		l.refs++
	}
	ix.current = s
	ix.mu.Unlock()
	ix.release(old)
}

// number returns the number of a new segment.
func (ix *Index) number() uint64 {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.next++
	return ix.next - 1
}

// open opens a written segment.
func (ix *Index) open(number uint64, size int64, sum uint32) (*segment, error) {
	b, closed, err := ix.store.open(number, size, sum)
	if err != nil {
		return nil, fmt.Errorf("opening a part of the search index: %w", err)
	}
	s, err := openSegment(b)
	if err != nil {
		closed()
		return nil, fmt.Errorf("opening a part of the search index: %w", err)
	}
	s.number, s.size, s.sum, s.closed = number, size, sum, closed
	return s, nil
}

// Stats returns the numbers of files and pieces and the sizes of the index.
func (ix *Index) Stats(ctx context.Context) (index.Stats, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return index.Stats{}, err
	}
	defer ix.leave(s)
	st := s.stats()
	languages := make(map[string]int, len(st.Languages))
	for name, n := range st.Languages {
		languages[name] = n
	}
	st.Languages = languages
	return st, nil
}

// Close stops background work, aborts an open Writer and waits for running calls,
// including loops over Files. Then it releases all resources. If ctx ends first, Close
// returns its error and releases nothing, and a later Close returns nil.
func (ix *Index) Close(ctx context.Context) error {
	ix.mu.Lock()
	if ix.closed {
		ix.mu.Unlock()
		return nil
	}
	ix.closed = true
	w := ix.writer
	ix.mu.Unlock()
	ix.stop()
	if w != nil {
		w.Abort()
	}
	done := make(chan struct{})
	var waiting group.Group
	waiting.Go(func() {
		defer close(done)
		ix.running.Wait()
		ix.tasks.Wait()
	})
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("closing the search index: %w", ctx.Err())
	}
	ix.release(ix.current) // ix.closed prevents further changes
	if err := ix.store.close(); err != nil {
		return fmt.Errorf("closing the search index: %w", err)
	}
	return nil
}

// Lookup returns the metadata of one file.
func (ix *Index) Lookup(ctx context.Context, path string) (index.Known, bool, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return index.Known{}, false, err
	}
	defer ix.leave(s)
	l, file, ok := s.lookup(path)
	if !ok {
		return index.Known{}, false, nil
	}
	r := l.row(file)
	return l.known(&r), true, nil
}

// Files iterates over the files that exist when the loop starts.
func (ix *Index) Files(ctx context.Context) iter.Seq2[index.Known, error] {
	return func(yield func(index.Known, error) bool) {
		s, err := ix.enter(ctx)
		if err != nil {
			yield(index.Known{}, err)
			return
		}
		defer ix.leave(s)
		for l, file := range s.files() {
			if err := ctx.Err(); err != nil {
				yield(index.Known{}, err)
				return
			}
			r := l.row(file)
			if !yield(l.known(&r), nil) {
				return
			}
		}
	}
}

// files iterates over all files, sorted by path.
func (s *state) files() iter.Seq2[*live, uint32] {
	return func(yield func(*live, uint32) bool) {
		rest := make([][]uint32, len(s.live))
		for i, l := range s.live {
			rest[i] = l.skipDead(l.byPath)
		}
		for {
			first, path := -1, ""
			for i, l := range s.live {
				if len(rest[i]) == 0 {
					continue
				}
				if p := l.rows[rest[i][0]].path; first < 0 || p < path {
					first, path = i, p
				}
			}
			if first < 0 || !yield(s.live[first], rest[first][0]) {
				return
			}
			rest[first] = s.live[first].skipDead(rest[first][1:])
		}
	}
}

// skipDead returns the list from the first file that is not deleted.
func (l *live) skipDead(files []uint32) []uint32 {
	for len(files) > 0 && l.dead.has(files[0]) {
		files = files[1:]
	}
	return files
}

// Pieces returns the pieces of a file, or none for an unknown file.
func (ix *Index) Pieces(ctx context.Context, path string) ([]index.Piece, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer ix.leave(s)
	l, file, ok := s.lookup(path)
	if !ok {
		return nil, nil
	}
	row := l.row(file)
	numbers := make([]uint32, row.count)
	for i := range numbers {
		numbers[i] = row.first + uint32(i)
	}
	list, err := l.piecesOf(&row, numbers)
	return list, ix.heal(s, err) // heal drops a damaged segment
}
