package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/source"
)

// run is one analysis or update: it finds files, reads changed ones and removes entries
// of missing ones.
type run struct {
	x           *Index
	force       bool
	storeIntact bool // the Store has all saved data
	languages   languages
	began       time.Time
	turn        uint64 // before anything was looked at

	walking      atomic.Bool
	found, done  atomic.Int64
	changedCount atomic.Int64

	mu       sync.Mutex
	report   Report
	troubles troubles
	unknown  unread
	seen     map[string]bool // existing files; false if the file cannot be indexed
	targets  []target
	bytes    int64    // total size of targets
	maxDirs  int      // maximum number of recorded directories
	dirs     []string // walked directories; maxDirs+1 entries if there were more
	batch    []*File
	weight   int // bytes in batch
}

// target is a file to read and the directory whose analysis found it.
type target struct {
	path, start string
}

// batchFiles and batchBytes are the number and size of files that are published
// together.
const (
	batchFiles = 256
	batchBytes = 8 << 20
)

func (x *Index) newRun(o AnalyzeOptions) *run {
	r := &run{x: x, force: o.Force, languages: x.languages.intersect(o.Languages), began: time.Now(), turn: x.lastTurn.Add(1), seen: map[string]bool{}}
	r.report.ByLanguage, r.report.ByParser = map[source.Language]int{}, map[string]int{}
	r.unknown = unread{counts: Unread{ByExtension: map[string]int{}, Excluded: map[string]int{}}, isText: map[string]bool{}}
	r.walking.Store(true)
	r.storeIntact = o.Force && x.storeIntact()
	return r
}

func (r *run) progress() Progress {
	return Progress{Walking: r.walking.Load(), Files: int(r.found.Load()), Changed: int(r.changedCount.Load()), Done: int(r.done.Load())}
}

// readAll reads and parses the targets with Options.Workers goroutines.
func (r *run) readAll(ctx context.Context) {
	r.walking.Store(false)
	room := headroom(r.bytes)
	defer runtime.KeepAlive(room)
	var workers group.Group
	workers.OnPanic = r.x.run.OnPanic
	var next atomic.Int64
	for range min(r.x.o.Workers, len(r.targets)) {
		workers.Go(func() {
			var buf []byte
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(r.targets) {
					return
				}
				buf = r.readOne(ctx, r.targets[i], buf)
				r.done.Add(1)
			}
		})
	}
	workers.Wait()
	r.publish(ctx, 0)
	r.targets = nil
}

// maxHeadroom is the maximum size of headroom in bytes.
const maxHeadroom = 64 << 20

// headroom allocates memory that is never touched and so takes no physical memory. It
// raises the target of the garbage collector, which would otherwise run repeatedly
// while the index grows.
func headroom(expected int64) []byte {
	if expected < 4<<20 {
		return nil
	}
	return make([]byte, min(expected, maxHeadroom))
}

// readOne reads and parses a target. It returns buf, or a larger buffer for the next
// call.
func (r *run) readOne(ctx context.Context, t target, buf []byte) []byte {
	got, err := r.x.read(ctx, t.path, buf)
	if cap(got.content) > cap(buf) && cap(got.content) <= 4<<20 {
		buf = got.content
	}
	if err == nil && got.info.Path != t.path {
		err = errMoved
	}
	if err != nil {
		r.unread(ctx, t, err)
		return buf
	}
	lang, ok := r.x.languageOf(t.path, got.text)
	if !ok || !r.languages[lang] {
		r.countOtherLanguage(t, ok && r.x.languages[lang])
		return buf
	}
	hash := sha256.Sum256(got.content)
	old, indexed := r.x.Lookup(t.path)
	if indexed && !r.force && old.Hash == hash && old.textSize == int64(len(got.text)) && old.Language == lang && old.fingerprint == r.x.fingerprints[lang] {
		r.countTouched(ctx, old, got)
		return buf
	}
	f, err := r.x.parse(ctx, got, hash, lang, t.start)
	if err != nil {
		r.unread(ctx, t, err)
		return buf
	}
	if again := r.unchangedResult(old, f); again != nil {
		r.parsedAgain(again)
		return buf
	}
	r.add(ctx, f, true)
	return buf
}

// countTouched counts a file whose content is unchanged although its time is not.
func (r *run) countTouched(ctx context.Context, old *File, got reading) {
	now := *old
	now.ModTime, now.read, now.turn, now.touched = got.info.ModTime, got.at.UnixNano(), got.turn, true
	if again := old.ModTime.Equal(now.ModTime); again && !now.sameAs(now.Size, now.ModTime) {
		r.unchanged(old) // the new time is no more reliable than the old one
	} else {
		r.add(ctx, &now, false)
	}
}

// unchangedResult returns the old entry if a forced reading had an equal result that
// the Store has; otherwise nil.
func (r *run) unchangedResult(old, f *File) *File {
	if !r.storeIntact || old == nil || !old.equalContent(f) {
		return nil
	}
	if doubtful := !old.sameAs(f.Size, f.ModTime) && f.sameAs(f.Size, f.ModTime); doubtful {
		return nil
	}
	return old
}

// parsedAgain counts a parsed file whose entry does not change.
func (r *run) parsedAgain(f *File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Parsed++
	r.indexed(f)
}

// errMoved is the error for a file that was replaced by a link.
var errMoved = errors.New("it is a link now")

// unread counts a file that could not be read or parsed, and records the problem.
func (r *run) unread(ctx context.Context, t target, err error) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[t.path] = false
	switch {
	case errors.Is(err, errMoved), security.CodeOf(err) == security.FileNotFound:
		r.found.Add(-1)
		r.report.Files--
		return
	case errors.Is(err, source.ErrBinary):
		r.report.Skipped++
		return
	case errors.Is(err, source.ErrTooLong):
		r.report.Skipped++
	default:
		r.report.Failed++
	}
	r.troubles.add(t.path, err.Error())
}

// countOtherLanguage removes a file of an unwanted language from the counts. indexed
// reports that the Index covers the language.
func (r *run) countOtherLanguage(t target, indexed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Files--
	r.found.Add(-1)
	r.seen[t.path] = indexed
}

// add counts a file that was read, and publishes full batches.
func (r *run) add(ctx context.Context, f *File, parsed bool) {
	r.mu.Lock()
	if parsed {
		r.report.Parsed++
	} else {
		r.report.Unchanged++
	}
	r.indexed(f)
	r.batch = append(r.batch, f)
	r.weight += int(f.Size)
	full := len(r.batch) >= batchFiles || r.weight >= batchBytes
	r.mu.Unlock()
	if full {
		r.publish(ctx, batchFiles/2)
	}
}

// unchanged counts a file whose entry does not change.
func (r *run) unchanged(f *File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Unchanged++
	r.indexed(f)
}

// indexed adds a file to the totals of indexed files. The caller holds r.mu.
func (r *run) indexed(f *File) {
	r.report.count(f)
	if len(f.Problems) > 0 {
		r.troubles.parsed(f)
	}
}

// publish commits the batch if it has at least least files or batchBytes bytes.
func (r *run) publish(ctx context.Context, least int) {
	r.mu.Lock()
	batch := r.batch
	if len(batch) < least && r.weight < batchBytes {
		r.mu.Unlock()
		return
	}
	r.batch, r.weight = nil, 0
	r.mu.Unlock()
	r.x.commit(batch, nil, false)
	r.x.saveSoon(ctx)
}

// drop removes the entries below some directories, or with these paths, whose files
// were not found. Files that the walk cannot have reached are checked first.
func (r *run) drop(ctx context.Context, below []string, own bool) {
	if ctx.Err() != nil {
		return
	}
	var removed []removal
	for _, dir := range below {
		for _, f := range r.x.Snapshot().below(dir) {
			usable, seen := r.seen[f.Path]
			if usable || f.turn > r.turn || !r.languages[f.Language] {
				continue
			}
			elsewhere := own && f.start != dir && pathset.Within(f.start, dir)
			if !seen && (elsewhere || r.report.Incomplete) && r.exists(ctx, f.Path) {
				continue
			}
			removed = append(removed, removal{f.Path, r.turn})
		}
	}
	r.report.Removed = len(removed)
	r.x.commit(nil, removed, false)
}

func (r *run) exists(ctx context.Context, path string) bool {
	info, err := r.x.root.Lstat(ctx, path)
	return err == nil && info.Kind == security.RegularFile
}

// finish saves remaining changes and returns the Report.
func (r *run) finish(ctx context.Context) Report {
	if err := r.x.save(ctx); err != nil && ctx.Err() == nil {
		r.x.log.DebugContext(ctx, "saving the index", "error", err)
	}
	r.report.Problems = r.troubles.list()
	r.report.Unread = r.unknown.counts
	r.report.Incomplete = r.report.Incomplete || ctx.Err() != nil
	r.report.NotSaved = r.x.notSaved()
	r.report.Damage = r.x.Damage()
	r.report.Duration = time.Since(r.began)
	return r.report
}
