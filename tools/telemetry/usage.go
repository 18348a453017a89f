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
	return usage{saturated(u.Count, v.Count), saturated(u.Input, v.Input), saturated(u.Output, v.Output), saturated(u.Micros, v.Micros)}
}

// average is the mean duration in milliseconds, to the microsecond.
func (u usage) average() float64 {
	if u.Count == 0 {
		return 0
	}
	return math.Round(float64(u.Micros)/float64(u.Count)) / 1_000
}

// saturated is the sum of two numbers that are not negative, or the largest number.
func saturated(a, b int64) int64 {
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
	if _, ok := t.models[other]; ok {
		return len(t.models) - 1
	}
	return len(t.models)
}

// merge adds what others hold. Models for which there is no room are counted together.
func (t *totals) merge(from ...totals) {
	for _, o := range from {
		t.sessions = saturated(t.sessions, o.sessions)
		for _, model := range slices.Sorted(maps.Keys(o.models)) {
			u := o.models[model]
			if _, known := t.models[model]; !known && t.names() >= maxModels {
				model = other
			}
			t.add(model, u)
		}
	}
}

// ledger is the usage of all models, and which of it a file holds.
type ledger struct {
	mu     sync.Mutex
	filed  totals        // what the file holds, as it was last seen
	saving totals        // what is on its way into the file
	fresh  totals        // what no file has
	names  int           // different models in the three
	dirty  chan struct{} // tells the keeper of the file; nil when there is none
	seen   string        // the file that filed comes from

	attaching sync.Mutex
	keepers   []*keeper // the last is at work
}

// track counts one use, of a session that is new or not. It returns under which name, and the totals of that.
func (l *ledger) track(model string, u usage, newSession bool) (string, usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if newSession {
		l.fresh.sessions = saturated(l.fresh.sessions, 1)
	}
	if model != other && !l.has(model) {
		if l.names >= maxModels {
			model = other
		} else {
			l.names++
		}
	}
	l.fresh.add(model, u)
	if l.dirty != nil {
		select {
		case l.dirty <- struct{}{}:
		default: // it has been told
		}
	}
	return model, l.filed.models[model].plus(l.saving.models[model]).plus(l.fresh.models[model])
}

func (l *ledger) has(model string) bool {
	for _, t := range []*totals{&l.filed, &l.saving, &l.fresh} {
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
	all.merge(l.filed, l.saving, l.fresh)
	return all
}

// wake says who is to be told that something is not saved yet: nobody if it is nil.
func (l *ledger) wake(dirty chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirty = dirty; dirty != nil && (len(l.fresh.models) > 0 || len(l.saving.models) > 0) {
		dirty <- struct{}{}
	}
}

// file replaces what is known of the file at path, or only takes over its name when nothing is known of it. What was on its way
// is in the file when saved is true.
func (l *ledger) file(path string, content *totals, saved bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case content != nil:
		l.filed = *content
	case path != l.seen:
		l.filed = totals{}
	}
	if l.seen = path; saved {
		l.saving = totals{}
	}
	var all totals
	all.merge(l.filed, l.saving, l.fresh)
	l.names = all.names()
}

// take moves what no file has on its way into one. It returns that, and what the file held last.
func (l *ledger) take() (filed, saving totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saving.merge(l.fresh)
	l.fresh = totals{}
	return totals{l.filed.sessions, maps.Clone(l.filed.models)}, totals{l.saving.sessions, maps.Clone(l.saving.models)}
}

// unsaved reports whether there is something that no file has.
func (l *ledger) unsaved() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.fresh.models) > 0 || len(l.saving.models) > 0
}
