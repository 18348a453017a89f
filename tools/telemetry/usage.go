package telemetry

import (
	"maps"
	"math"
	"slices"
	"sync"
)

// maxModels is the number of models with counts of their own. Further models are counted together
// under otherName.
const maxModels = 1_000

// usage is the tracked usage of one model. Sums saturate instead of overflowing.
type usage struct {
	Count  int64 `json:"count"`
	Input  int64 `json:"inputTokens"`
	Output int64 `json:"outputTokens"`
	Micros int64 `json:"durationMicros"`
}

func (u usage) plus(v usage) usage {
	return usage{addSaturated(u.Count, v.Count), addSaturated(u.Input, v.Input), addSaturated(u.Output, v.Output), addSaturated(u.Micros, v.Micros)}
}

// average returns the mean duration in milliseconds, rounded to the microsecond.
func (u usage) average() float64 {
	if u.Count == 0 {
		return 0
	}
	return math.Round(float64(u.Micros)/float64(u.Count)) / 1_000
}

// addSaturated returns a+b, or the largest int64 on overflow. Both must not be negative.
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

// names returns the number of models, without otherName.
func (t *totals) names() int {
	if _, ok := t.models[otherName]; ok {
		return len(t.models) - 1
	}
	return len(t.models)
}

// merge adds the usage of from. Models over maxModels are added to otherName.
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

// ledger is the usage of all models, divided by its state in the statistics file.
type ledger struct {
	mu            sync.Mutex
	stored        totals        // content of the file when it was last read or written
	saving        totals        // part of a write that has not succeeded yet
	unsavedTotals totals        // not yet part of a write
	names         int           // different models in stored, saving and unsavedTotals
	dirty         chan struct{} // signals the keeper of the file; nil without one
	storedPath    string        // the file that stored comes from

	attachMu sync.Mutex
	keepers  []*keeper // one per attached file; only the last is running
}

// track counts one use. newSession adds a session. It returns the name under which the use is
// counted, and the sum of that name.
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
		default: // a signal is already pending
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

// sum returns the usage in all three states.
func (l *ledger) sum() totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all totals
	all.merge(l.stored, l.saving, l.unsavedTotals)
	return all
}

// setNotify sets the channel that signals unsaved usage; nil stops the signals. It signals at once
// if usage is unsaved.
func (l *ledger) setNotify(dirty chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirty = dirty; dirty != nil && (len(l.unsavedTotals.models) > 0 || len(l.saving.models) > 0) {
		dirty <- struct{}{}
	}
}

// setStored sets path and content of the file. A nil content keeps the last content if the path is
// the same. If saved is true, the usage in saving is part of the content.
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

// beginSave moves the unsaved usage to saving. It returns copies of the last content of the file
// and of saving.
func (l *ledger) beginSave() (filed, saving totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saving.merge(l.unsavedTotals)
	l.unsavedTotals = totals{}
	return totals{l.stored.sessions, maps.Clone(l.stored.models)}, totals{l.saving.sessions, maps.Clone(l.saving.models)}
}

// unsaved reports whether usage is not yet in the file.
func (l *ledger) unsaved() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.unsavedTotals.models) > 0 || len(l.saving.models) > 0
}
