package filesystem

import (
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// progress is what Status tells besides what the index does.
type progress struct {
	watched bool // at all
	told    bool // by the system, of all changes
	known   int  // files in the index when it was opened
	working int  // how much work runs
	first   bool // what is indexed was a small part when it began

	pending     int // that were noticed
	done, total int // of the work that runs
	checked     time.Time
	failed      error // of the last work
	trouble     string
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
		Checked: p.checked, Watching: p.told, Covered: slices.Clone(f.covered), Skipped: f.skipped.list(), Error: p.trouble,
	}
	switch {
	case p.failed != nil:
		s.Error = p.failed.Error()
	case err != nil:
		s.State, s.Error = plugin.Failed, err.Error()
	}
	return s
}

// state says what is done to an index of so many files.
func (p *progress) state(files int) plugin.State {
	switch {
	case p.working > 0 && (p.first || files == 0):
		return plugin.Building
	case p.working > 0:
		return plugin.Updating
	case p.failed != nil:
		return plugin.Failed
	case p.checked.IsZero() && files == 0:
		if p.watched {
			return plugin.Building // as soon as it is its turn
		}
		return plugin.Empty
	case p.checked.IsZero() || p.pending > 0:
		return plugin.Updating
	}
	return plugin.Ready
}

// noticed is told by what watches.
func (f *Filesystem) noticed(pending int, told bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress.pending, f.progress.told = pending, told
}
