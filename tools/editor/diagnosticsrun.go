package editor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// diagnosticsRun asks one adapter after another for the diagnostics of files, each about the files that the adapters before it have not
// looked at, and the syntax checker about the rest.
type diagnosticsRun struct {
	e      *Editor
	report *report
	wait   time.Duration
	whole  bool             // the files are those of the project
	files  []place          // that the run is about
	known  map[string]place // the files by the paths that adapters may name them by

	checks   map[string]adapter.FileCheck // by place.abs; files without one were not looked at
	byPath   map[string]*place            // by paths of diagnostics; nil for a file that tools may not see
	found    map[string]string            // the adapter that has found a diagnostic, by the diagnostic
	outside  int
	answered bool
	failure  error
	before   map[place]string  // the digests of a few files
	texts    map[place]string  // the same files, as an editor or the disk has them
	dirty    map[string]string // the editor that has unsaved text of a file, by place.abs
}

func (r *diagnosticsRun) run(ctx context.Context) error {
	r.checks, r.byPath = make(map[string]adapter.FileCheck), make(map[string]*place)
	r.known = make(map[string]place, 2*len(r.files))
	for _, p := range r.files {
		r.known[p.nominal], r.known[p.abs] = p, p
	}
	r.identify(ctx)
	r.findUnsaved(ctx)
	for a, d := range able[adapter.Diagnoser](r.e, nil) {
		rest := r.unchecked(a.State())
		if len(rest) == 0 {
			continue
		}
		found, err := r.ask(ctx, a, d, rest)
		if passes(err) {
			continue
		}
		if err != nil {
			r.failure = err
			r.settle(rest, adapter.FileCheck{State: adapter.Unchecked, Reason: err.Error(), Next: "Call again."})
			continue
		}
		r.answered = true
		r.add(ctx, a.Name(), found, rest)
	}
	for _, p := range r.unchecked(adapter.State{}) {
		if rank(r.checks[p.abs]) == 0 {
			r.settle([]place{p}, r.e.whyUnchecked(p))
		}
	}
	switch {
	case ctx.Err() != nil:
		return failed(codeLanguageServer, "finding out what is wrong", ctx.Err())
	case r.e.options.Syntax != nil:
		r.checkSyntax(ctx)
	case !r.answered && r.failure != nil:
		return failed(codeLanguageServer, "finding out what is wrong", r.failure)
	case !r.answered:
		var p *place
		if !r.whole {
			p = &r.files[0]
		}
		return missing[adapter.Diagnoser](r.e, codeNoLanguageServer, "find out what is wrong", p, nil)
	}
	r.markUnsaved()
	r.suggestBuild()
	if r.outside > 0 {
		r.note(count(r.outside, "diagnostic") + " of files that are not in the project or hidden")
	}
	return nil
}

// identify notes the content of a few files before they are looked at, so that a change of them can tell which errors it has brought.
func (r *diagnosticsRun) identify(ctx context.Context) {
	r.dirty = make(map[string]string)
	if r.whole || len(r.files) > mostFeedback {
		return
	}
	r.before, r.texts = make(map[place]string), make(map[place]string)
	for _, p := range r.files {
		d, err := r.e.read(ctx, p.path)
		if err != nil {
			continue
		}
		r.texts[p] = d.text.Content
		if d.buffer != nil && d.buffer.dirty {
			r.dirty[p.abs] = d.editor()
		} else {
			r.before[p] = d.sha256
		}
	}
}

// findUnsaved asks the editors which of the files have text that is not saved. They are not asked about each file of a project.
func (r *diagnosticsRun) findUnsaved(ctx context.Context) {
	if !r.whole && len(r.files) <= mostFeedback {
		return // identify has asked
	}
	for a, buffers := range able[adapter.Buffers](r.e, nil) {
		if r.whole {
			r.report.unsaved = append(r.report.unsaved, a.Name())
			continue
		}
		for _, p := range r.unchecked(a.State()) {
			doc, open, err := lookUp(ctx, r.e, a, buffers, p.abs)
			if err != nil && !passes(err) {
				r.report.unsaved = append(r.report.unsaved, a.Name())
				break
			}
			if open && doc.Dirty && r.dirty[p.abs] == "" {
				r.dirty[p.abs] = a.Name()
			}
		}
	}
}

// markUnsaved takes back the checks of files on the disk whose text an editor has changed.
func (r *diagnosticsRun) markUnsaved() {
	for abs, editor := range r.dirty {
		c := r.checks[abs]
		if c.State != adapter.Checked || r.report.by[abs] == editor || r.report.by[abs] == syntaxName {
			continue
		}
		c.State, c.Reason = adapter.Stale, editor+" has text of it that is not saved, and "+r.report.by[abs]+" has looked at the file on the disk"
		c.Next = "Ask the user to save it, and call again."
		r.checks[abs] = c
		r.e.known.take(abs)
	}
	for _, name := range r.report.unsaved {
		r.note("text that is not saved in " + name + " may differ from what was looked at; ask with path about a file that the user edits")
	}
}

// suggestBuild names the tool whose answer has the errors of the compiler, for code that no language server has looked at.
func (r *diagnosticsRun) suggestBuild() {
	if r.e.options.BuildTool == "" {
		return
	}
	for _, c := range r.checks {
		if c.State == adapter.Unchecked && c.Reason != "" {
			r.note("where the project has a build, " + r.e.options.BuildTool + " answers what its compiler finds in unchecked files")
			return
		}
	}
}

func (r *diagnosticsRun) note(text string) {
	if !slices.Contains(r.report.notes, text) {
		r.report.notes = append(r.report.notes, text)
	}
}

// unchecked are the files of an editor's folders that no adapter has looked at.
func (r *diagnosticsRun) unchecked(state adapter.State) []place {
	var rest []place
	for _, p := range r.files {
		if c := r.checks[p.abs]; c.State != adapter.Checked && c.State != adapter.Stale && covers(state, p) {
			rest = append(rest, p)
		}
	}
	return rest
}

// settle gives files a check, unless they have a better one.
func (r *diagnosticsRun) settle(files []place, c adapter.FileCheck) {
	for _, p := range files {
		r.checks[p.abs] = better(r.checks[p.abs], c)
	}
}

// ask asks an adapter. One that does not answer in time has looked at nothing.
func (r *diagnosticsRun) ask(ctx context.Context, a adapter.Adapter, d adapter.Diagnoser, rest []place) (adapter.Diagnostics, error) {
	var paths []string
	if !r.whole {
		for _, p := range rest {
			paths = append(paths, p.abs)
		}
	}
	return askAgain(ctx, r.e, a, r.wait, func(ctx context.Context) (adapter.Diagnostics, error) {
		found, err := d.Diagnose(ctx, paths)
		if err != nil && ctx.Err() != nil {
			late := adapter.Diagnostics{Covered: []string{}}
			for _, p := range rest {
				late.Checks = append(late.Checks, adapter.FileCheck{Path: p.abs, State: adapter.Unchecked, Reason: a.Name() + " has not answered in time", Next: "Call again with a longer waitMs."})
			}
			return late, nil
		}
		return found, err
	})
}

// add takes the diagnostics of an adapter, and the files that it has looked at.
func (r *diagnosticsRun) add(ctx context.Context, from string, found adapter.Diagnostics, asked []place) {
	const mostNotes = 10
	for _, note := range found.Notes[:min(len(found.Notes), mostNotes)] {
		r.note(shown(note))
	}
	mine := make(map[string]bool, len(asked))
	for _, p := range asked {
		mine[p.abs] = true
	}
	withItems := make(map[string]bool)
	for i, d := range found.Items {
		if len(r.report.all) == mostItems {
			r.note(fmt.Sprintf("%d more diagnostics were left out", len(found.Items)-i))
			break
		}
		p := r.place(ctx, d.Path)
		switch {
		case p == nil:
			r.outside++
		case mine[p.abs] || r.whole && r.report.by[p.abs] == "":
			withItems[p.abs] = true
			r.addItem(*p, from, d)
		}
	}
	covered := r.covered(found)
	given := make(map[string]adapter.FileCheck, len(found.Checks))
	for _, c := range found.Checks {
		if p, ok := r.known[c.Path]; ok {
			given[p.abs] = c
		}
	}
	for _, p := range asked {
		c, told := given[p.abs]
		switch {
		case told:
		case found.Fresh && covered(p):
			c = adapter.FileCheck{State: adapter.Checked}
		case covered(p) && (!r.whole || found.Covered != nil || found.Covers != nil) || withItems[p.abs]:
			c = adapter.FileCheck{State: adapter.Stale, Reason: from + " has not said that it has seen the latest changes", Next: "Call again with a longer waitMs."}
		default:
			continue
		}
		if c.By == "" && c.State != adapter.Unchecked {
			c.By = from
		}
		r.settle([]place{p}, c)
		if c.State != adapter.Unchecked {
			r.report.by[p.abs] = from
		}
		if sha256, ok := r.before[p]; ok && c.State == adapter.Checked {
			r.e.known.put(p.abs, errorsOf(p, sha256, found.Items))
		}
	}
}

// covered tells which files an adapter has looked at.
func (r *diagnosticsRun) covered(found adapter.Diagnostics) func(place) bool {
	switch {
	case r.whole && found.Covers != nil:
		return func(p place) bool { return found.Covers(p.abs) }
	case found.Covered == nil:
		return func(place) bool { return true }
	}
	named := make(map[string]bool, len(found.Covered))
	for _, path := range found.Covered {
		if p, ok := r.known[path]; ok {
			named[p.abs] = true
		}
	}
	return func(p place) bool { return named[p.abs] }
}

// addItem adds a diagnostic, unless an adapter before has found the same.
func (r *diagnosticsRun) addItem(p place, from string, d adapter.Diagnostic) {
	key := fmt.Sprintf("%s\x00%v\x00%s\x00%s", p.abs, d.Range, d.Severity, d.Message)
	if by, ok := r.found[key]; ok && by != from {
		return
	}
	if r.found == nil {
		r.found = make(map[string]string)
	}
	r.found[key] = from
	r.report.all = append(r.report.all, r.e.finding(p, from, d))
}

// place finds a file that an adapter has named; nil if tools may not see it.
func (r *diagnosticsRun) place(ctx context.Context, path string) *place {
	if p, ok := r.byPath[path]; ok {
		return p
	}
	var found *place
	if p, err := r.e.foreign(ctx, path); err == nil {
		found = &p
	} else if hasCode(err, security.InternalError) {
		r.e.log.Debug("a diagnostic of no file", "error", err)
	}
	r.byPath[path] = found
	return found
}

const (
	syntaxName      = "syntax"
	mostSyntaxFiles = 200 // of a project
)

// checkSyntax looks at the syntax of the files that no adapter has looked at.
func (r *diagnosticsRun) checkSyntax(ctx context.Context) {
	patience, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	late := adapter.FileCheck{State: adapter.Unchecked, Reason: reasonLater, Next: "Call again with a longer waitMs."}
	looked := 0
	for _, p := range r.unchecked(adapter.State{}) {
		if !r.e.options.Syntax.KnowsSyntax(p.abs) {
			continue
		}
		if looked == mostSyntaxFiles {
			r.settle([]place{p}, adapter.FileCheck{State: adapter.Unchecked, Reason: "the syntax of " + number(mostSyntaxFiles) + " other files was looked at", Next: "Ask about it with path."})
			continue
		}
		text, err := r.text(patience, p)
		switch {
		case err != nil && patience.Err() != nil:
			r.settle([]place{p}, late)
			continue
		case err != nil:
			r.settle([]place{p}, adapter.FileCheck{State: adapter.Unchecked, Reason: "it cannot be read: " + err.Error()})
			continue
		}
		found, err := r.e.syntax(patience, p, text)
		switch {
		case errors.Is(err, adapter.ErrUnsupported):
			continue
		case patience.Err() != nil:
			r.settle([]place{p}, late)
			continue
		case err != nil:
			r.settle([]place{p}, adapter.FileCheck{State: adapter.Unchecked, Reason: err.Error()})
			continue
		}
		looked++
		for _, d := range found.Items {
			if len(r.report.all) < mostItems {
				r.addItem(p, syntaxName, d)
			}
		}
		r.report.by[p.abs] = syntaxName
		r.settle([]place{p}, found.check())
	}
}

// text is the text of a file in an editor, if it was asked, or on the disk.
func (r *diagnosticsRun) text(ctx context.Context, p place) (string, error) {
	if text, ok := r.texts[p]; ok {
		return text, nil
	}
	if editor := r.dirty[p.abs]; editor != "" {
		d, err := r.e.read(ctx, p.path)
		if err != nil {
			return "", err
		}
		return d.text.Content, nil
	}
	return r.e.diskText(ctx, p)
}
