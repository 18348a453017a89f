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

// before finds out which errors the files of a change have before it. A file whose errors are not known, or not soon, is left out. What
// a change has brought is known for the next one.
func (e *Editor) before(ctx context.Context, t *transaction) map[string]knownErrors {
	all := make(map[string]knownErrors)
	if e.options.Feedback < 0 || len(t.files) > mostFeedback {
		return all
	}
	var files []place
	var texts []string
	for _, p := range t.files {
		if p.was == nil {
			all[p.abs] = knownErrors{}
			continue
		}
		if k, ok := e.known.get(p.was.abs); ok && k.sha256 == p.was.sha256 {
			all[p.abs] = k
			continue
		}
		files, texts = append(files, p.was.place), append(texts, p.was.text.Content)
	}
	if len(files) == 0 {
		return all
	}
	found := e.quickly(ctx, files, texts, t.unsaved(), e.options.Feedback/4)
	if !found.usable() {
		return all
	}
	for _, p := range t.files {
		if p.was != nil && slices.Contains(files, p.was.place) {
			k := errorsOf(p.was.place, p.was.sha256, found.items)
			all[p.abs] = k
			if found.check.State == adapter.Checked {
				e.known.put(p.was.abs, k)
			}
		}
	}
	return all
}

// unsaved is the editor that has one of the files with changes that are not saved, so that only it can know the errors.
func (t *transaction) unsaved() string {
	for _, p := range t.files {
		if b := p.buffer(); b != nil && b.dirty {
			return b.Name()
		}
	}
	return ""
}

// quickFindings are diagnostics of the files of a change.
type quickFindings struct {
	items []adapter.Diagnostic
	by    string
	check adapter.FileCheck // of all files: the worst
}

// usable reports whether the items belong to the present text of the files, or at least to their syntax.
func (q quickFindings) usable() bool {
	return q.check.State == adapter.Checked || q.check.State == adapter.Unchecked && q.check.By != ""
}

// quickly asks for the diagnostics of a few files: the adapter of a name, or any, and where none has looked at them the syntax checker,
// which is given their texts.
func (e *Editor) quickly(ctx context.Context, files []place, texts []string, only string, patience time.Duration) quickFindings {
	paths := make([]string, len(files))
	for i, p := range files {
		paths[i] = p.abs
	}
	none := adapter.FileCheck{State: adapter.Unchecked, Reason: reasonNoChecker}
	if only != "" {
		none = adapter.FileCheck{State: adapter.Unchecked, Reason: only + " has text that is not saved, which only " + only + " can check", Next: "Ask the user to save it, and call get_diagnostics."}
	}
	if only == "" {
		none = e.whyUnchecked(files[0])
		if none.Reason == "" && has[adapter.Diagnoser](e) {
			none.Reason = reasonNoChecker
		} else if none.Reason == "" {
			none.Reason = "no editor or language server that could check it is running"
		}
	}
	for a, diagnoser := range able[adapter.Diagnoser](e, &files[0]) {
		if only != "" && a.Name() != only {
			continue
		}
		d, err := ask(ctx, a, patience, func(ctx context.Context) (adapter.Diagnostics, error) { return diagnoser.Diagnose(ctx, paths) })
		switch {
		case passes(err):
			continue
		case err != nil:
			// It has been asked too soon after a change, or has failed: the present errors are not known yet.
			return quickFindings{by: a.Name(), check: adapter.FileCheck{State: adapter.Stale, By: a.Name(), Reason: a.Name() + " has not answered yet"}}
		}
		check := adapter.FileCheck{State: adapter.Checked}
		if !d.Fresh {
			check = adapter.FileCheck{State: adapter.Stale, Reason: a.Name() + " has not looked at the change yet"}
		}
		for i := range d.Checks {
			check = worse(check, d.Checks[i])
		}
		if check.By == "" && check.State != adapter.Unchecked {
			check.By = a.Name()
		}
		if d.Covered == nil || len(d.Covered) >= len(paths) {
			return quickFindings{items: d.Items, by: a.Name(), check: check}
		}
		if check.State == adapter.Unchecked && check.Reason != "" && only == "" {
			none = check
		}
	}
	return e.quickSyntax(ctx, files, texts, none, patience)
}

// quickSyntax looks at the syntax of files that no adapter has looked at, for the reason of a check.
func (e *Editor) quickSyntax(ctx context.Context, files []place, texts []string, why adapter.FileCheck, patience time.Duration) quickFindings {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out := quickFindings{by: syntaxName, check: adapter.FileCheck{State: adapter.Checked}}
	for i, p := range files {
		found, err := e.syntax(ctx, p, texts[i])
		if err != nil {
			return quickFindings{check: why}
		}
		out.items = append(out.items, found.Items...)
		if check := better(why, found.check()); i == 0 {
			out.check = check
		} else {
			out.check = worse(out.check, check)
		}
	}
	return out
}

// after tells which errors a change has brought.
func (e *Editor) after(ctx context.Context, before map[string]knownErrors, t *transaction) Feedback {
	f := Feedback{Notes: t.notes()}
	var files []place
	var texts []string
	for _, p := range t.files {
		if !p.removed {
			files, texts = append(files, p.place), append(texts, p.content)
		}
	}
	switch {
	case len(files) == 0:
		return f
	case e.options.Feedback < 0:
		f.checkedAs(adapter.FileCheck{State: adapter.Unchecked, Reason: "changes are not checked here"})
		return f
	case len(t.files) > mostFeedback:
		f.checkedAs(adapter.FileCheck{State: adapter.Unchecked, Reason: "more than " + number(mostFeedback) + " files have changed"})
		return f
	}
	found := e.quickly(ctx, files, texts, t.unsaved(), e.options.Feedback)
	f.checkedAs(found.check)
	if !found.usable() {
		return f
	}
	for _, p := range t.files {
		if p.removed {
			continue
		}
		if found.check.State == adapter.Checked {
			e.known.put(p.abs, errorsOf(p.place, p.sha256, found.items))
		}
		items := found.items
		old, known := before[p.abs]
		if !known {
			// Errors of the changed lines come from the change; errors of other lines may be older.
			if found.check.State == adapter.Checked {
				f.checkedAs(adapter.FileCheck{State: adapter.Stale, Reason: "the errors before the change are not known, so only those of the changed lines are shown"})
			}
			items = p.within(items)
		}
		f.NewErrors = append(f.NewErrors, e.fresh(p, found.by, old, items, mostNew-len(f.NewErrors))...)
	}
	return f
}

// checkedAs says in the answer to a change whether its files were checked.
func (f *Feedback) checkedAs(c adapter.FileCheck) {
	f.Diagnostics, f.CheckedBy, f.Reason, f.Next = string(c.State), c.By, shortened(c.Reason), shortened(c.Next)
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
