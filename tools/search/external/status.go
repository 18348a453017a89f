package external

import (
	"cmp"
	"maps"
	"slices"
	"time"

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

const (
	maxSkipped  = 10_000 // skipped documents whose names are recorded
	maxExamples = 3
)

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
	byReason := make(map[string]*plugin.Skipped)
	at := func(reason string) *plugin.Skipped {
		if byReason[reason] == nil {
			byReason[reason] = &plugin.Skipped{Reason: reason}
		}
		return byReason[reason]
	}
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		one := at(s.names[name].reason)
		if one.Files++; len(one.Examples) < maxExamples {
			one.Examples = append(one.Examples, name)
		}
	}
	for reason, n := range s.uncounted {
		at(reason).Files += n
	}
	var all []plugin.Skipped
	for _, one := range byReason {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b plugin.Skipped) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}
