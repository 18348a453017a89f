package headless

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/lsp"

	"golang.org/x/sync/semaphore"
)

// project tracks the files of the project that matter to language servers, and records changes as events. Its methods may be called
// concurrently.
type project struct {
	root       *security.Root
	dirs       []string
	extensions map[string]string // language identifiers that servers add, by file extension

	reportedMu      sync.Mutex
	reported        map[string]bool // files reported by FilesChanged, not yet examined
	reportedTooMany bool            // more than maxReported files were reported

	token        *semaphore.Weighted // weight 1; guards the fields below
	files        map[string]stamp    // nil before the first scan
	lastScan     time.Time           // time of the last scan
	scanDuration time.Duration       // duration of the last scan
	events       []lsp.FileEvent
	dropped      int // number of events that were dropped from the front of events
}

// stamp is a file's modification time, in Unix nanoseconds, and size. A change of either is a change of the file.
type stamp struct {
	time int64
	size int64
}

// Limits of the tracked state.
const (
	maxProjectFiles   = 100_000     // tracked files; others are ignored
	maxProjectEntries = 400_000     // directory entries of a scan
	maxEvents         = 20_000      // recorded events; older ones are dropped
	maxReported       = 10_000      // files reported by FilesChanged; more cause a full scan
	scanInterval      = time.Second // minimum time between two scans
	scanShare         = 20          // a scan starts after at least 20 times its own duration, to limit the load
)

func newProject(root *security.Root, dirs []string, servers []Server) *project {
	p := &project{root: root, dirs: dirs, extensions: make(map[string]string), reported: make(map[string]bool), token: semaphore.NewWeighted(1)}
	for _, s := range servers {
		for ext, language := range s.Extensions {
			if _, taken := p.extensions[ext]; !taken {
				p.extensions[ext] = language
			}
		}
	}
	return p
}

// reportChanged records files that tools have changed. It does not block.
func (p *project) reportChanged(paths []string) {
	p.reportedMu.Lock()
	defer p.reportedMu.Unlock()
	for _, path := range paths {
		if len(p.reported) >= maxReported {
			p.reportedTooMany = true
			return
		}
		p.reported[path] = true
	}
}

// takeReported returns and clears the reported files. all is true if there were more than maxReported.
func (p *project) takeReported() (paths []string, all bool) {
	p.reportedMu.Lock()
	defer p.reportedMu.Unlock()
	for path := range p.reported {
		paths = append(paths, path)
	}
	all = p.reportedTooMany
	clear(p.reported)
	p.reportedTooMany = false
	slices.Sort(paths)
	return paths, all
}

// changes returns the events after the first since ones, and the total number of events. A negative since returns no events.
// complete is false if some events were dropped.
func (p *project) changes(ctx context.Context, since int) (events []lsp.FileEvent, now int, complete bool, err error) {
	if p.token.Acquire(ctx, 1) != nil {
		return nil, 0, false, context.Cause(ctx)
	}
	defer p.token.Release(1)
	told, all := p.takeReported()
	for _, path := range told {
		p.examine(ctx, path)
	}
	if all || time.Since(p.lastScan) >= max(scanInterval, scanShare*p.scanDuration) {
		if err := p.scan(ctx); err != nil {
			p.reportChanged(told)
			return nil, 0, false, err
		}
	}
	if extra := len(p.events) - maxEvents; extra > 0 {
		p.events = slices.Clone(p.events[extra:])
		p.dropped += extra
	}
	now = p.dropped + len(p.events)
	if since < 0 {
		return nil, now, true, nil
	}
	from := since - p.dropped
	return slices.Clone(p.events[max(from, 0):]), now, from >= 0, nil
}

// examine compares one file with its stamp and records an event.
func (p *project) examine(ctx context.Context, path string) {
	if !p.affectsResults(filepath.Base(path)) {
		return
	}
	info, err := p.root.Stat(ctx, path)
	if err != nil || info.Kind != security.RegularFile {
		if _, known := p.files[path]; known {
			delete(p.files, path)
			p.events = append(p.events, lsp.FileEvent{Path: path, Change: lsp.FileDeleted})
		}
		return
	}
	if p.files == nil {
		return // there was no scan yet
	}
	// A tool has reported the change. The stamp may be equal.
	p.note(path, stamp{info.ModTime.UnixNano(), info.Size}, true)
}

// note updates the stamp of a file and records an event if it is new or has changed.
func (p *project) note(path string, now stamp, changed bool) {
	old, known := p.files[path]
	switch {
	case !known:
		if len(p.files) >= maxProjectFiles {
			return
		}
		p.events = append(p.events, lsp.FileEvent{Path: path, Change: lsp.FileCreated})
	case old != now || changed:
		p.events = append(p.events, lsp.FileEvent{Path: path, Change: lsp.FileChanged})
	}
	p.files[path] = now
}

// scan scans the project and records an event for each changed file.
func (p *project) scan(ctx context.Context) error {
	start := time.Now()
	found := make(map[string]stamp, len(p.files))
	complete := true
	for _, dir := range p.dirs {
		stats, err := p.root.Walk(ctx, dir, security.WalkOptions{Hidden: false, MaxEntries: maxProjectEntries, Skip: skipped}, func(e *security.WalkEntry) error {
			if e.Kind != security.RegularFile || !p.affectsResults(e.Name) {
				return nil
			}
			if len(found) >= maxProjectFiles {
				return fs.SkipAll
			}
			if info, err := e.Info(ctx); err == nil {
				found[filepath.Join(dir, filepath.FromSlash(e.Rel()))] = stamp{info.ModTime.UnixNano(), info.Size}
			}
			return nil
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		complete = complete && err == nil && !stats.Incomplete
	}
	first := p.files == nil
	if first {
		p.files = found
	}
	for path, now := range found {
		p.note(path, now, false)
	}
	for path := range p.files {
		if _, there := found[path]; !there && complete {
			delete(p.files, path)
			p.events = append(p.events, lsp.FileEvent{Path: path, Change: lsp.FileDeleted})
		}
	}
	p.lastScan, p.scanDuration = time.Now(), time.Since(start)
	return nil
}

// skipped excludes directories of installed packages, also without a .gitignore.
func skipped(rel string, kind security.Kind) bool {
	return kind == security.Directory && (rel == "node_modules" || strings.HasSuffix(rel, "/node_modules"))
}

// update scans the project if that is due. A first scan does not delay the scan of the first request, which may see newer files.
func (p *project) update(ctx context.Context) error {
	if p.token.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	if first := p.files == nil; first {
		defer p.token.Release(1)
		err := p.scan(ctx)
		p.lastScan = time.Time{}
		return err
	}
	p.token.Release(1)
	_, _, _, err := p.changes(ctx, -1)
	return err
}

// newest returns the files of some languages below a folder, the last changed first.
func (p *project) newest(ctx context.Context, folder string, languages []string) ([]string, error) {
	if _, _, _, err := p.changes(ctx, -1); err != nil {
		return nil, err
	}
	return p.scanned(ctx, folder, languages)
}

// scanned is newest as of the last scan.
func (p *project) scanned(ctx context.Context, folder string, languages []string) ([]string, error) {
	if p.token.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer p.token.Release(1)
	var paths []string
	for path := range p.files {
		if slices.Contains(languages, p.languageOf(path)) && strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator)) {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if ta, tb := p.files[a].time, p.files[b].time; ta != tb {
			return int(max(min(tb-ta, 1), -1))
		}
		return strings.Compare(a, b)
	})
	return paths, nil
}
