package telemetry

import (
	"maps"
	"math"
	"slices"
	"sync"
)

// maxModels bounds how many models usage is kept of; that of more is counted together, under other.
const maxModels = 1_000

// usage is what was tracked of one model. It saturates instead of overflowing.
type usage struct {
	Count  int64 `json:"count"`
	Input  int64 `json:"inputTokens"`
	Output int64 `json:"outputTokens"`
	Micros int64 `json:"durationMicros"`
}

func (u usage) plus(v usage) usage {
	return usage{addSaturated(u.Count, v.Count), addSaturated(u.Input, v.Input), addSaturated(u.Output, v.Output), addSaturated(u.Micros, v.Micros)}
}

// average is the mean duration in milliseconds, to the microsecond.
func (u usage) average() float64 {
	if u.Count == 0 {
		return 0
	}
	return math.Round(float64(u.Micros)/float64(u.Count)) / 1_000
}

// addSaturated is the sum of two numbers that are not negative, or the largest number.
func addSaturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// totals is the usage of all models. The zero value is empty.
type totals struct {
	sessions int64
	models   map[string]usage
}

func (t *totals) add(model string, u usage) {
	if t.models == nil {
		t.models = make(map[string]usage)
	}
	t.models[model] = t.models[model].plus(u)
}

// names is how many models there are, without those that are counted together.
func (t *totals) names() int {
	if _, ok := t.models[otherName]; ok {
		return len(t.models) - 1
	}
	return len(t.models)
}

// merge adds what others hold. Models for which there is no room are counted together.
func (t *totals) merge(from ...totals) {
	for _, o := range from {
		t.sessions = addSaturated(t.sessions, o.sessions)
		for _, model := range slices.Sorted(maps.Keys(o.models)) {
			u := o.models[model]
			if _, known := t.models[model]; !known && t.names() >= maxModels {
				model = otherName
			}
			t.add(model, u)
		}
	}
}

// ledger is the usage of all models, and which of it a file holds.
type ledger struct {
	mu            sync.Mutex
	stored        totals        // what the file holds, as it was last seen
	saving        totals        // what is on its way into the file
	unsavedTotals totals        // what no file has
	names         int           // different models in the three
	dirty         chan struct{} // tells the keeper of the file; nil when there is none
	storedPath    string        // the file that filed comes from

	attachMu sync.Mutex
	keepers  []*keeper // the last is at work
}

// track counts one use, of a session that is new or not. It returns under which name, and the totals of that.
func (l *ledger) track(model string, u usage, newSession bool) (string, usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if newSession {
		l.unsavedTotals.sessions = addSaturated(l.unsavedTotals.sessions, 1)
	}
	if model != otherName && !l.has(model) {
		if l.names >= maxModels {
			model = otherName
		} else {
			l.names++
		}
	}
	l.unsavedTotals.add(model, u)
	if l.dirty != nil {
		select {
		case l.dirty <- struct{}{}:
		default: // it has been told
		}
	}
	return model, l.stored.models[model].plus(l.saving.models[model]).plus(l.unsavedTotals.models[model])
}

func (l *ledger) has(model string) bool {
	for _, t := range []*totals{&l.stored, &l.saving, &l.unsavedTotals} {
		if _, ok := t.models[model]; ok {
			return true
		}
	}
	return false
}

// sum is all that is known.
func (l *ledger) sum() totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all totals
	all.merge(l.stored, l.saving, l.unsavedTotals)
	return all
}

// setNotify says who is to be told that something is not saved yet: nobody if it is nil.
func (l *ledger) setNotify(dirty chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirty = dirty; dirty != nil && (len(l.unsavedTotals.models) > 0 || len(l.saving.models) > 0) {
		dirty <- struct{}{}
	}
}

// setStored replaces what is known of the file at path, or only takes over its name when nothing is known of it. What was on its way
// is in the file when saved is true.
func (l *ledger) setStored(path string, content *totals, saved bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case content != nil:
		l.stored = *content
	case path != l.storedPath:
		l.stored = totals{}
	}
	if l.storedPath = path; saved {
		l.saving = totals{}
	}
	var all totals
	all.merge(l.stored, l.saving, l.unsavedTotals)
	l.names = all.names()
}

// beginSave moves what no file has on its way into one. It returns that, and what the file held last.
func (l *ledger) beginSave() (filed, saving totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saving.merge(l.unsavedTotals)
	l.unsavedTotals = totals{}
	return totals{l.stored.sessions, maps.Clone(l.stored.models)}, totals{l.saving.sessions, maps.Clone(l.saving.models)}
}

// unsaved reports whether there is something that no file has.
func (l *ledger) unsaved() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.unsavedTotals.models) > 0 || len(l.saving.models) > 0
}
