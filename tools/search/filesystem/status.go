package filesystem

import (
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// progress is the state of the updates.
type progress struct {
	watchEnabled bool // whether files are watched or checked at an interval
	watching     bool // whether the system reports all changes
	known        int  // files in the index
	running      int  // number of running updates
	initialBuild bool // whether the index contained only a small part of the files at the start

	pending     int       // changed files noticed by the watcher
	done, total int       // files of the running update
	checked     time.Time // start of the last complete check
	failed      error     // error of the last update
	problem     string    // other problem to report
}

// Status implements plugin.Documents.
func (f *Filesystem) Status() plugin.Status {
	stats, err := f.index.Stats(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.progress
	s := plugin.Status{
		State: p.state(stats.Files), Stats: stats,
		Pending: p.pending + p.total - p.done, Done: p.done, Total: p.total,
		Checked: p.checked, Watching: p.watching, Covered: slices.Clone(f.covered), Skipped: f.skipped.list(), Error: p.problem,
	}
	switch {
	case p.failed != nil:
		s.Error = p.failed.Error()
	case err != nil:
		s.State, s.Error = plugin.Failed, err.Error()
	}
	return s
}

// state returns the state of an index with this number of files.
func (p *progress) state(files int) plugin.State {
	switch {
	case p.running > 0 && (p.initialBuild || files == 0):
		return plugin.Building
	case p.running > 0:
		return plugin.Updating
	case p.failed != nil:
		return plugin.Failed
	case p.checked.IsZero() && files == 0:
		if p.watchEnabled {
			return plugin.Building // the first update has not started yet
		}
		return plugin.Empty
	case p.checked.IsZero() || p.pending > 0:
		return plugin.Updating
	}
	return plugin.Ready
}

// setPending records the number of changes noticed by the watcher, and whether it receives all changes.
func (f *Filesystem) setPending(pending int, watching bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.pending, f.progress.watching = pending, watching
}
