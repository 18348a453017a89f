package external

import (
	"maps"
	"time"

	"github.com/dougu-go/dougu/tools/search/internal/skips"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// state is the state of the updates.
type state struct {
	automatic   bool // whether updates start by themselves
	running     int
	done, total int       // documents of the running update
	checked     time.Time // start of the last successful update of all documents
	listed      time.Time // start of the last complete list
	failed      error     // error of the last update
	problem     string    // another problem to report
	skipped     skipped
}

// Status implements plugin.Documents.
func (d *Documents) Status() plugin.Status {
	stats, err := d.index.Stats(d.ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &d.state
	status := plugin.Status{
		State: s.indexState(stats.Files), Stats: stats, Pending: max(s.total-s.done, 0), Done: s.done, Total: s.total,
		Checked: s.checked, Covered: []string{d.prefix}, Skipped: s.skipped.summary(), Error: s.problem,
	}
	switch {
	case s.failed != nil:
		status.Error = s.failed.Error()
	case err != nil:
		status.State, status.Error = plugin.Failed, err.Error()
	}
	return status
}

// indexState returns the state of an index with this number of documents.
func (s *state) indexState(documents int) plugin.State {
	switch {
	case s.running > 0 && s.checked.IsZero() && documents == 0:
		return plugin.Building
	case s.running > 0:
		return plugin.Updating
	case s.failed != nil:
		return plugin.Failed
	case s.checked.IsZero() && documents > 0:
		return plugin.Updating // the documents of an earlier program, which were not compared yet
	case s.checked.IsZero() && s.automatic:
		return plugin.Building
	case s.checked.IsZero():
		return plugin.Empty
	}
	return plugin.Ready
}

// Values of Skipped.Reason, besides those of package document.
const (
	reasonLarge      = "too large"
	reasonUnreadable = "not readable"
	reasonID         = "with an invalid ID"
	reasonRepeated   = "with the ID of another document"
	reasonMany       = "more documents than are indexed"
)

// maxSkipped is the number of skipped documents whose names are recorded.
const maxSkipped = 10_000

// skip is the reason why a document is not indexed, and the version of the document.
type skip struct{ reason, stamp string }

// skipped records the documents that are not indexed. The zero value is empty.
type skipped struct {
	names     map[string]skip // by path, or by quoted ID if the ID is invalid
	uncounted map[string]int  // number of further documents, by reason
}

// add records a document.
func (s *skipped) add(name string, why skip) {
	if s.names == nil {
		s.names, s.uncounted = make(map[string]skip), make(map[string]int)
	}
	if _, known := s.names[name]; !known && len(s.names) >= maxSkipped {
		s.uncounted[why.reason]++
		return
	}
	s.names[name] = why
}

// with returns a copy in which the entries of later replace those of the same documents. The documents at the changed paths are
// indexed or removed, so their entries are dropped.
func (s skipped) with(changed []string, later *skipped) skipped {
	all := skipped{names: maps.Clone(s.names), uncounted: maps.Clone(s.uncounted)}
	for _, path := range changed {
		delete(all.names, path)
	}
	for name, why := range later.names {
		all.add(name, why)
	}
	return all
}

// summary counts the documents by reason, most frequent first.
func (s *skipped) summary() []plugin.Skipped {
	return skips.Summary(func(yield func(name, reason string) bool) {
		for name, why := range s.names {
			if !yield(name, why.reason) {
				return
			}
		}
	}, s.uncounted)
}
