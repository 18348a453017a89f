package editor

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

const (
	maxKnown         = 512 // files with remembered errors
	maxNewErrors     = 5   // errors of an answer
	maxFeedbackFiles = 8   // files of a change that are checked afterwards
)

// knownErrors are the errors of one content of a file.
type knownErrors struct {
	sha256 string
	errors map[string]int // number of occurrences, by error without its position
}

// errorsOf counts the errors of a file.
func errorsOf(p projectFile, sha256 string, items []adapter.Diagnostic) knownErrors {
	k := knownErrors{sha256, make(map[string]int)}
	for _, d := range items {
		if d.Severity == adapter.Error && (d.Path == p.abs || d.Path == p.unresolved) {
			k.errors[errorKey(d)]++
		}
	}
	return k
}

// lineReference is a position in the message of an error, which an edit can move.
var lineReference = regexp.MustCompile(`(\blines? |:)\d+`)

// errorKey identifies an error without its position.
func errorKey(d adapter.Diagnostic) string {
	return d.Source + "\x00" + d.Code + "\x00" + lineReference.ReplaceAllString(d.Message, "$1")
}

// errorsBefore returns the errors of each file before a change. Files with unknown errors are left out. Remembered errors of
// the same content are reused.
func (e *Editor) errorsBefore(ctx context.Context, t *transaction) map[string]knownErrors {
	all := make(map[string]knownErrors)
	if e.options.Feedback < 0 || len(t.files) > maxFeedbackFiles {
		return all
	}
	var files []projectFile
	var texts []string
	for _, p := range t.files {
		if p.original == nil {
			all[p.abs] = knownErrors{}
			continue
		}
		if k, ok := e.known.get(p.original.abs); ok && k.sha256 == p.original.sha256 {
			all[p.abs] = k
			continue
		}
		files, texts = append(files, p.original.projectFile), append(texts, p.original.text.Content)
	}
	if len(files) == 0 {
		return all
	}
	found := e.quickDiagnostics(ctx, files, texts, t.unsaved(), e.options.Feedback/4)
	if !found.usable() {
		return all
	}
	for _, p := range t.files {
		if p.original != nil && slices.Contains(files, p.original.projectFile) {
			k := errorsOf(p.original.projectFile, p.original.sha256, found.items)
			all[p.abs] = k
			if found.check.State == adapter.Checked {
				e.known.put(p.original.abs, k)
			}
		}
	}
	return all
}

// unsaved returns the editor with unsaved text of one of the files, or "". Only that editor and an adapter.UnsavedReader can report its
// errors.
func (t *transaction) unsaved() string {
	for _, p := range t.files {
		if b := p.buffer(); b != nil && b.dirty {
			return b.Name()
		}
	}
	return ""
}

// quickFindings are the diagnostics of the files of a change.
type quickFindings struct {
	items []adapter.Diagnostic
	by    string
	check adapter.FileCheck // of all files: the lowest ranked
}

// usable reports whether the items belong to the present text of the files, or at least to their syntax.
func (q quickFindings) usable() bool {
	return q.check.State == adapter.Checked || q.check.State == adapter.Unchecked && q.check.By != ""
}

// quickDiagnostics returns the diagnostics of a few files: from adapters that know the unsaved text of the editor only, or from any
// if it is "". The syntax checker checks texts if no adapter does.
func (e *Editor) quickDiagnostics(ctx context.Context, files []projectFile, texts []string, only string, patience time.Duration) quickFindings {
	paths := make([]string, len(files))
	for i, p := range files {
		paths[i] = p.abs
	}
	none := adapter.FileCheck{State: adapter.Unchecked, Reason: reasonNoChecker}
	if only != "" {
		none = adapter.FileCheck{State: adapter.Unchecked, Reason: only + " has text that is not saved, which no running program checks", Next: "Ask the user to save it, and call get_diagnostics."}
	}
	if only == "" {
		none = e.uncheckedState(files[0])
		if none.Reason == "" && hasAdapter[adapter.Diagnoser](e) {
			none.Reason = reasonNoChecker
		} else if none.Reason == "" {
			none.Reason = "no editor or language server that could check it is running"
		}
	}
	for a, diagnoser := range adaptersWith[adapter.Diagnoser](e, &files[0]) {
		if only != "" && !e.readsUnsaved(a.Name(), only) {
			continue
		}
		d, err := callAdapter(ctx, a, patience, func(ctx context.Context) (adapter.Diagnostics, error) { return diagnoser.Diagnose(ctx, paths) })
		switch {
		case isUnsupported(err):
			continue
		case err != nil:
			// The adapter failed or has not processed the change yet, so current errors are unknown.
			return quickFindings{by: a.Name(), check: adapter.FileCheck{State: adapter.Stale, By: a.Name(), Reason: a.Name() + " has not responded yet"}}
		}
		check := adapter.FileCheck{State: adapter.Checked}
		if !d.Fresh {
			check = adapter.FileCheck{State: adapter.Stale, Reason: a.Name() + " has not looked at the change yet"}
		}
		for i := range d.Checks {
			check = worstCheck(check, d.Checks[i])
		}
		if check.By == "" && check.State != adapter.Unchecked {
			check.By = a.Name()
		}
		if check.State == adapter.Checked {
			project := e.typeChecks(ctx)
			for i, p := range files {
				one := check
				if n := slices.IndexFunc(d.Checks, func(c adapter.FileCheck) bool { return c.Path == p.abs }); n >= 0 {
					one.By = cmp.Or(d.Checks[n].By, one.By)
				}
				check = worstCheck(check, limitCheck(project, a.Name(), p, texts[i], one))
			}
			if check.State == adapter.Unchecked && check.By == "" { // the adapter reports nothing for a file
				none = check
				continue
			}
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

// quickSyntax checks the syntax of files that no adapter checks. why is the reason for that.
func (e *Editor) quickSyntax(ctx context.Context, files []projectFile, texts []string, why adapter.FileCheck, patience time.Duration) quickFindings {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out := quickFindings{by: syntaxName, check: adapter.FileCheck{State: adapter.Checked}}
	for i, p := range files {
		found, err := e.syntax(ctx, p, texts[i])
		if err != nil {
			return quickFindings{check: why}
		}
		out.items = append(out.items, found.Items...)
		if check := mergeCheck(why, found.check()); i == 0 {
			out.check = check
		} else {
			out.check = worstCheck(out.check, check)
		}
	}
	return out
}

// checkAfter returns the errors that a change caused.
func (e *Editor) checkAfter(ctx context.Context, before map[string]knownErrors, t *transaction) Feedback {
	f := Feedback{Notes: t.notes()}
	var files []projectFile
	var texts []string
	for _, p := range t.files {
		if !p.removed {
			files, texts = append(files, p.projectFile), append(texts, p.content)
		}
	}
	switch {
	case len(files) == 0:
		return f
	case e.options.Feedback < 0:
		f.setCheck(adapter.FileCheck{State: adapter.Unchecked, Reason: "changes are not checked here"})
		return f
	case len(t.files) > maxFeedbackFiles:
		f.setCheck(adapter.FileCheck{State: adapter.Unchecked, Reason: "more than " + number(maxFeedbackFiles) + " files have changed"})
		return f
	}
	found := e.quickDiagnostics(ctx, files, texts, t.unsaved(), e.options.Feedback)
	f.setCheck(found.check)
	if !found.usable() {
		return f
	}
	for _, p := range t.files {
		if p.removed {
			continue
		}
		if found.check.State == adapter.Checked {
			e.known.put(p.abs, errorsOf(p.projectFile, p.sha256, found.items))
		}
		items := found.items
		old, known := before[p.abs]
		if !known && found.by == syntaxName && p.original != nil {
			// The checker had no time before the change, for example because it compiled a grammar.
			if was := e.quickSyntax(ctx, []projectFile{p.original.projectFile}, []string{p.original.text.Content}, found.check, e.options.Feedback); was.usable() {
				old, known = errorsOf(p.original.projectFile, p.original.sha256, was.items), true
			}
		}
		if !known {
			f.changedLines = true
			// Errors of the changed lines come from the change; errors of other lines may be older.
			if found.check.State == adapter.Checked {
				f.setCheck(adapter.FileCheck{State: adapter.Stale, Reason: "the errors before the change are not known, so only errors in the changed lines are shown"})
			}
			items = p.inChangedLines(items)
		}
		f.NewErrors = append(f.NewErrors, e.newErrors(p, found.by, old, items, maxNewErrors-len(f.NewErrors))...)
	}
	return f
}

// setCheck copies a check into the feedback.
func (f *Feedback) setCheck(c adapter.FileCheck) {
	f.Diagnostics, f.CheckedBy, f.Reason, f.Next = string(c.State), c.By, truncateReason(c.Reason), truncateReason(c.Next)
}

// inChangedLines returns the diagnostics in changed lines.
func (p *pendingFile) inChangedLines(items []adapter.Diagnostic) []adapter.Diagnostic {
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

// newErrors returns up to most errors of a file that are not in old.
func (e *Editor) newErrors(p *pendingFile, by string, old knownErrors, items []adapter.Diagnostic, most int) []Diagnostic {
	left := make(map[string]int, len(old.errors))
	for key, n := range old.errors {
		left[key] = n
	}
	var all []Diagnostic
	for _, d := range items {
		if d.Severity != adapter.Error || d.Path != p.abs && d.Path != p.unresolved {
			continue
		}
		if key := errorKey(d); left[key] > 0 {
			left[key]--
		} else if len(all) < most {
			all = append(all, e.newDiagnostic(p.projectFile, by, d))
		}
	}
	return all
}
