package editor

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

const (
	maxKnown     = 512 // files whose errors are remembered
	mostNew      = 5   // errors of an answer
	mostFeedback = 8   // files of a change that are looked at afterwards
	pendingText  = "pending"
)

// knownErrors are the errors of a file with a certain content.
type knownErrors struct {
	sha256 string
	errors map[string]int // how often each is there, wherever
}

// errorsOf counts the errors of a file.
func errorsOf(p place, sha256 string, items []adapter.Diagnostic) knownErrors {
	k := knownErrors{sha256, make(map[string]int)}
	for _, d := range items {
		if d.Severity == adapter.Error && (d.Path == p.abs || d.Path == p.nominal) {
			k.errors[errorKey(d)]++
		}
	}
	return k
}

func errorKey(d adapter.Diagnostic) string { return d.Source + "\x00" + d.Code + "\x00" + d.Message }

// before finds out which errors the files of a change have before it; nil if nobody can tell, or not soon. What a change has
// brought is known for the next one.
func (e *Editor) before(ctx context.Context, t *transaction) map[string]knownErrors {
	if e.options.Feedback < 0 || len(t.files) > mostFeedback || !e.diagnosed(t) {
		return nil
	}
	all := make(map[string]knownErrors)
	var ask []*pending
	for _, p := range t.files {
		switch {
		case p.was == nil:
			all[p.abs] = knownErrors{}
		default:
			if k, ok := e.known.get(p.was.abs); ok && k.sha256 == p.was.sha256 {
				all[p.abs] = k
			} else {
				ask = append(ask, p)
			}
		}
	}
	if len(ask) == 0 {
		return all
	}
	places := make([]place, len(ask))
	for i, p := range ask {
		places[i] = p.was.place
	}
	items, by, fresh := e.quickly(ctx, places, t.unsaved(), e.options.Feedback/4)
	switch {
	case by == "":
		return nil
	case !fresh:
		return map[string]knownErrors{}
	}
	for _, p := range ask {
		k := errorsOf(p.was.place, p.was.sha256, items)
		e.known.put(p.was.abs, k)
		all[p.abs] = k
	}
	return all
}

// diagnosed tells whether anybody knows what is wrong with one of the files.
func (e *Editor) diagnosed(t *transaction) bool {
	for _, p := range t.files {
		for range able[adapter.Diagnoser](e, &p.place) {
			return true
		}
	}
	return false
}

// unsaved is the editor that has one of the files with changes that are not saved, so that nobody else knows what is wrong.
func (t *transaction) unsaved() string {
	for _, p := range t.files {
		if b := p.buffer(); b != nil && b.dirty {
			return b.Name()
		}
	}
	return ""
}

// quickly asks for diagnostics, which are fresh or nothing: the adapter of a name, or any. by is the one that knows them; empty if none has
// means for it.
func (e *Editor) quickly(ctx context.Context, places []place, only string, patience time.Duration) (items []adapter.Diagnostic, by string, fresh bool) {
	paths := make([]string, len(places))
	for i, p := range places {
		paths[i] = p.abs
	}
	for a, diagnoser := range able[adapter.Diagnoser](e, &places[0]) {
		if only != "" && a.Name() != only {
			continue
		}
		d, err := ask(ctx, a, patience, func(ctx context.Context) (adapter.Diagnostics, error) { return diagnoser.Diagnose(ctx, paths) })
		switch {
		case err == nil && d.Covered != nil && len(d.Covered) < len(paths):
			continue
		case err == nil:
			return d.Items, a.Name(), d.Fresh
		case !passes(err):
			return nil, a.Name(), false
		}
	}
	return nil, "", false
}

// after tells which errors a change has brought.
func (e *Editor) after(ctx context.Context, before map[string]knownErrors, t *transaction) Feedback {
	f := Feedback{Notes: t.notes()}
	if before == nil {
		return f
	}
	var places []place
	for _, p := range t.files {
		if !p.removed {
			places = append(places, p.place)
		}
	}
	if len(places) == 0 {
		return f
	}
	items, by, fresh := e.quickly(ctx, places, t.unsaved(), e.options.Feedback)
	if !fresh {
		if by != "" {
			f.Diagnostics = pendingText
		}
		return f
	}
	for _, p := range t.files {
		if p.removed {
			continue
		}
		now := errorsOf(p.place, p.sha256, items)
		e.known.put(p.abs, now)
		found := items
		old, known := before[p.abs]
		if !known {
			// What is wrong in the lines themselves is their doing; of the others nobody knows.
			f.Diagnostics = pendingText
			found = p.within(items)
		}
		f.NewErrors = append(f.NewErrors, e.fresh(p, by, old, found, mostNew-len(f.NewErrors))...)
	}
	return f
}

// within are the diagnostics of the lines of a file that were changed.
func (p *pending) within(items []adapter.Diagnostic) []adapter.Diagnostic {
	text := adapter.NewText(p.content)
	var lines []LineRange
	shift := 0
	for _, e := range p.edits {
		start := e.Start + shift
		end := max(start+len(strings.TrimRight(e.New, "\r\n")), start)
		lines = append(lines, LineRange{text.Position(start).Line, text.Position(end).Line})
		shift += len(e.New) - (e.End - e.Start)
	}
	return slices.DeleteFunc(slices.Clone(items), func(d adapter.Diagnostic) bool {
		return !slices.ContainsFunc(lines, func(l LineRange) bool {
			return l.Start <= d.Range.End.Line && d.Range.Start.Line <= l.End
		})
	})
}

// fresh are the errors of a file that it did not have before.
func (e *Editor) fresh(p *pending, by string, old knownErrors, items []adapter.Diagnostic, most int) []Diagnostic {
	left := make(map[string]int, len(old.errors))
	for key, n := range old.errors {
		left[key] = n
	}
	var all []Diagnostic
	for _, d := range items {
		if d.Severity != adapter.Error || d.Path != p.abs && d.Path != p.nominal {
			continue
		}
		if key := errorKey(d); left[key] > 0 {
			left[key]--
		} else if len(all) < most {
			all = append(all, e.finding(p.place, by, d))
		}
	}
	return all
}
