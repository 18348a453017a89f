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

// project is what the files of the project that matter to servers look like on the disk.
type project struct {
	root *security.Root
	dirs []string

	toldMu sync.Mutex
	told   map[string]bool // files that were changed by tools
	all    bool            // too many were

	token   *semaphore.Weighted // of 1, for a look
	files   map[string]stamp
	looked  time.Time     // when all files were last looked at
	took    time.Duration // what it took
	events  []lsp.FileEvent
	dropped int // events that are not kept any more
}

// stamp tells two states of a file apart.
type stamp struct {
	time int64
	size int64
}

// The bounds of what is kept.
const (
	maxProjectFiles   = 100_000
	maxProjectEntries = 400_000
	maxEvents         = 20_000
	maxTold           = 10_000
	scanEvery         = time.Second
	scanShare         = 20 // the part of the time, one in that many, that is spent on looking
)

func newProject(root *security.Root, dirs []string) *project {
	return &project{root: root, dirs: dirs, told: make(map[string]bool), token: semaphore.NewWeighted(1)}
}

// tell notes files that were changed. It does not wait.
func (p *project) tell(paths []string) {
	p.toldMu.Lock()
	defer p.toldMu.Unlock()
	for _, path := range paths {
		if len(p.told) >= maxTold {
			p.all = true
			return
		}
		p.told[path] = true
	}
}

func (p *project) takeTold() (paths []string, all bool) {
	p.toldMu.Lock()
	defer p.toldMu.Unlock()
	for path := range p.told {
		paths = append(paths, path)
	}
	all = p.all
	clear(p.told)
	p.all = false
	slices.Sort(paths)
	return paths, all
}

// changes answers what has changed since a count of events, and the count now. A negative count asks for the count alone.
// complete is false when some events are not kept any more.
func (p *project) changes(ctx context.Context, since int) (events []lsp.FileEvent, now int, complete bool, err error) {
	if p.token.Acquire(ctx, 1) != nil {
		return nil, 0, false, context.Cause(ctx)
	}
	defer p.token.Release(1)
	told, all := p.takeTold()
	for _, path := range told {
		p.look(ctx, path)
	}
	if all || time.Since(p.looked) >= max(scanEvery, scanShare*p.took) {
		if err := p.lookAtAll(ctx); err != nil {
			p.tell(told)
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

// look compares one file with what is known of it.
func (p *project) look(ctx context.Context, path string) {
	if !matters(filepath.Base(path)) {
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
		return // nobody knows any
	}
	// That it was changed is known; its time need not tell.
	p.note(path, stamp{info.ModTime.UnixNano(), info.Size}, true)
}

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

// lookAtAll compares all files with what is known of them.
func (p *project) lookAtAll(ctx context.Context) error {
	start := time.Now()
	found := make(map[string]stamp, len(p.files))
	complete := true
	for _, dir := range p.dirs {
		stats, err := p.root.Walk(ctx, dir, security.WalkOptions{Hidden: false, MaxEntries: maxProjectEntries, Skip: skipped}, func(e *security.WalkEntry) error {
			if e.Kind != security.RegularFile || !matters(e.Name) {
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
	p.looked, p.took = time.Now(), time.Since(start)
	return nil
}

// skipped leaves out what packages were installed into, where no .gitignore does.
func skipped(rel string, kind security.Kind) bool {
	return kind == security.Directory && (rel == "node_modules" || strings.HasSuffix(rel, "/node_modules"))
}

// newest answers the files of some languages below a folder, those first that were changed last.
func (p *project) newest(ctx context.Context, folder string, languages []string) ([]string, error) {
	if _, _, _, err := p.changes(ctx, -1); err != nil {
		return nil, err
	}
	if p.token.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer p.token.Release(1)
	var paths []string
	for path := range p.files {
		if slices.Contains(languages, LanguageOf(path)) && strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator)) {
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
