package editor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/typecheck"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// diagnosticsRun collects the diagnostics of files from all adapters in order. Each adapter checks the files that earlier
// adapters left unchecked, and the syntax checker the rest.
type diagnosticsRun struct {
	e       *Editor
	report  *report
	wait    time.Duration
	patient bool                   // wait startWait for a program that starts
	project bool                   // the files are those of the project
	files   []projectFile          // files to check
	known   map[string]projectFile // files, by each path that an adapter may use

	checks    map[string]adapter.FileCheck // by projectFile.abs; without an entry the file is unchecked
	byPath    map[string]*projectFile      // by paths of diagnostics; nil if tools may not read the file
	found     map[string]string            // name of the adapter that found a diagnostic, by diagnostic
	outside   int                          // diagnostics of hidden files and of files outside of the project
	anyAnswer bool                         // an adapter has returned diagnostics
	lastError error                        // last error of an adapter
	before    map[projectFile]string       // digests of a few files
	texts     map[projectFile]string       // texts of the same files, in the editor or on the disk
	dirty     map[string]string            // name of the editor with unsaved text of a file, by projectFile.abs
	others    []string                     // names of the editors with unsaved text of files that are not checked
}

func (r *diagnosticsRun) run(ctx context.Context) error {
	r.checks, r.byPath = make(map[string]adapter.FileCheck), make(map[string]*projectFile)
	r.known = make(map[string]projectFile, 2*len(r.files))
	for _, p := range r.files {
		r.known[p.unresolved], r.known[p.abs] = p, p
	}
	r.identify(ctx)
	r.findUnsaved(ctx)
	for a, d := range adaptersWith[adapter.Diagnoser](r.e, nil) {
		rest := r.unchecked(a.State())
		if len(rest) == 0 {
			continue
		}
		found, err := r.diagnose(ctx, a, d, rest)
		if isUnsupported(err) {
			continue
		}
		if err != nil {
			r.lastError = err
			r.setChecks(rest, adapter.FileCheck{State: adapter.Unchecked, Reason: err.Error(), Next: "Call again."})
			continue
		}
		r.anyAnswer = true
		r.add(ctx, a.Name(), found, rest)
	}
	for _, p := range r.unchecked(adapter.State{}) {
		if rank(r.checks[p.abs]) == 0 {
			r.setChecks([]projectFile{p}, r.e.uncheckedState(p))
		}
	}
	switch {
	case ctx.Err() != nil:
		return failed(codeLanguageServer, "getting diagnostics", ctx.Err())
	case r.e.options.Syntax != nil:
		r.checkSyntax(ctx)
	case !r.anyAnswer && r.lastError != nil:
		return failed(codeLanguageServer, "getting diagnostics", r.lastError)
	case !r.anyAnswer:
		var p *projectFile
		if !r.project {
			p = &r.files[0]
		}
		return missingCapability[adapter.Diagnoser](r.e, codeNoLanguageServer, "get diagnostics", p, nil)
	}
	r.markUnsaved()
	r.suggestBuild()
	if r.outside > 0 {
		r.note(plural.Count(r.outside, "diagnostic") + " of files that are not in the project or hidden")
	}
	return nil
}

// identify records the content of up to maxFeedbackFiles files before the check. A later change of them can then report its new
// errors.
func (r *diagnosticsRun) identify(ctx context.Context) {
	r.dirty = make(map[string]string)
	if r.project || len(r.files) > maxFeedbackFiles {
		return
	}
	r.before, r.texts = make(map[projectFile]string), make(map[projectFile]string)
	for _, p := range r.files {
		d, err := r.e.openDocument(ctx, p.path)
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

// findUnsaved finds files with unsaved text in editors.
func (r *diagnosticsRun) findUnsaved(ctx context.Context) {
	found, err := r.e.buffers.Unsaved(ctx)
	if err != nil {
		r.report.unsaved = truncateText(err.Error())
	}
	for _, d := range found {
		p, ok := r.known[d.Path]
		if !ok {
			if at := r.place(ctx, d.Path); at != nil {
				p, ok = r.known[at.abs]
			}
		}
		if ok && r.dirty[p.abs] == "" {
			r.dirty[p.abs] = d.Program
		} else if !ok {
			r.others = append(r.others, d.Program)
		}
	}
}

// readsUnsaved reports whether the results of an adapter are about the unsaved text of an editor.
func (e *Editor) readsUnsaved(name, editor string) bool {
	if name == editor {
		return true
	}
	for _, a := range e.options.Adapters {
		if can, ok := a.(adapter.UnsavedReader); ok && a.Name() == name {
			return can.ReadsUnsaved()
		}
	}
	return false
}

// markUnsaved marks files as stale if the disk was checked and an editor has unsaved text. A note tells if the check of other files
// did not consider unsaved text.
func (r *diagnosticsRun) markUnsaved() {
	for abs, editor := range r.dirty {
		c := r.checks[abs]
		if c.State != adapter.Checked || r.report.by[abs] == syntaxName || r.e.readsUnsaved(r.report.by[abs], editor) {
			continue
		}
		c.State, c.Reason = adapter.Stale, editor+" has text of it that is not saved, and "+r.report.by[abs]+" has looked at the file on the disk"
		c.Next = "Ask the user to save it, and call again."
		r.checks[abs] = c
		r.e.known.pop(abs)
	}
	if r.report.unsaved != "" {
		r.note(r.report.unsaved + "; text that is not saved may differ from the checked text")
	}
	editors := r.others
	for _, editor := range r.dirty {
		editors = append(editors, editor)
	}
	slices.Sort(editors)
	for _, editor := range slices.Compact(editors) {
		for _, by := range slices.Compact(slices.Sorted(maps.Values(r.report.by))) {
			if by != syntaxName && !r.e.readsUnsaved(by, editor) {
				r.note(by + " has looked at the disk for files with text that is not saved in " + editor)
			}
		}
	}
}

// suggestBuild adds a note with the build tool, which reports compiler errors, if a file is unchecked.
func (r *diagnosticsRun) suggestBuild() {
	if r.e.options.BuildTool == "" {
		return
	}
	for _, c := range r.checks {
		if c.State == adapter.Unchecked && c.Reason != "" {
			r.note("where the project has a build, " + r.e.options.BuildTool + " returns the compiler errors of unchecked files")
			return
		}
	}
}

func (r *diagnosticsRun) note(text string) {
	if !slices.Contains(r.report.notes, text) {
		r.report.notes = append(r.report.notes, text)
	}
}

// unchecked returns the files in an editor's folders that are neither checked nor stale.
func (r *diagnosticsRun) unchecked(state adapter.State) []projectFile {
	var rest []projectFile
	for _, p := range r.files {
		if c := r.checks[p.abs]; c.State != adapter.Checked && c.State != adapter.Stale && covers(state, p) {
			rest = append(rest, p)
		}
	}
	return rest
}

// setChecks assigns a check to files, unless they have one of higher rank.
func (r *diagnosticsRun) setChecks(files []projectFile, c adapter.FileCheck) {
	for _, p := range files {
		r.checks[p.abs] = mergeCheck(r.checks[p.abs], c)
	}
}

// diagnose queries one adapter. After a timeout all files are unchecked.
func (r *diagnosticsRun) diagnose(ctx context.Context, a adapter.Adapter, d adapter.Diagnoser, rest []projectFile) (adapter.Diagnostics, error) {
	var paths []string
	if !r.project {
		for _, p := range rest {
			paths = append(paths, p.abs)
		}
	}
	patience := r.wait
	if s, ok := a.(adapter.Starter); ok && r.patient && s.Starting(ctx, paths) {
		patience = startWait
	}
	return retryAdapter(ctx, r.e, a, patience, func(ctx context.Context) (adapter.Diagnostics, error) {
		found, err := d.Diagnose(ctx, paths)
		if err != nil && ctx.Err() != nil {
			late := adapter.Diagnostics{Covered: []string{}}
			for _, p := range rest {
				late.Checks = append(late.Checks, adapter.FileCheck{Path: p.abs, State: adapter.Unchecked, Reason: a.Name() + " did not respond in time", Next: "Call again with a longer waitMs."})
			}
			return late, nil
		}
		return found, err
	})
}

// add records the diagnostics and checks of an adapter.
func (r *diagnosticsRun) add(ctx context.Context, from string, found adapter.Diagnostics, asked []projectFile) {
	const mostNotes = 10
	for _, note := range found.Notes[:min(len(found.Notes), mostNotes)] {
		r.note(truncateText(note))
	}
	mine := make(map[string]bool, len(asked))
	for _, p := range asked {
		mine[p.abs] = true
	}
	withItems := make(map[string]bool)
	for i, d := range found.Items {
		if len(r.report.all) == maxItems {
			r.note(fmt.Sprintf("%d more diagnostics were left out", len(found.Items)-i))
			break
		}
		p := r.place(ctx, d.Path)
		switch {
		case p == nil:
			r.outside++
		case mine[p.abs] || r.project && r.report.by[p.abs] == "":
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
	project := r.e.typeChecks(ctx)
	for _, p := range asked {
		c, told := given[p.abs]
		switch {
		case told:
		case found.Fresh && covered(p):
			c = adapter.FileCheck{State: adapter.Checked}
		case covered(p) && (!r.project || found.Covered != nil || found.Covers != nil) || withItems[p.abs]:
			c = adapter.FileCheck{State: adapter.Stale, Reason: from + " has not said that it has seen the latest changes", Next: "Call again with a longer waitMs."}
		default:
			continue
		}
		if c.By == "" && c.State != adapter.Unchecked {
			c.By = from
		}
		if c.State == adapter.Checked && typecheck.Concerns(p.abs) != "" {
			if text, err := r.text(ctx, p); err == nil {
				c = limitCheck(project, from, p, text, c)
			}
		}
		r.setChecks([]projectFile{p}, c)
		if c.State != adapter.Unchecked {
			r.report.by[p.abs] = from
		}
		if sha256, ok := r.before[p]; ok && c.State == adapter.Checked {
			r.e.known.put(p.abs, errorsOf(p, sha256, found.Items))
		}
	}
}

// covered returns a function that reports whether the adapter has checked a file.
func (r *diagnosticsRun) covered(found adapter.Diagnostics) func(projectFile) bool {
	switch {
	case r.project && found.Covers != nil:
		return func(p projectFile) bool { return found.Covers(p.abs) }
	case found.Covered == nil:
		return func(projectFile) bool { return true }
	}
	named := make(map[string]bool, len(found.Covered))
	for _, path := range found.Covered {
		if p, ok := r.known[path]; ok {
			named[p.abs] = true
		}
	}
	return func(p projectFile) bool { return named[p.abs] }
}

// addItem records a diagnostic, unless another adapter has found the same one.
func (r *diagnosticsRun) addItem(p projectFile, from string, d adapter.Diagnostic) {
	key := fmt.Sprintf("%s\x00%v\x00%s\x00%s", p.abs, d.Range, d.Severity, d.Message)
	if by, ok := r.found[key]; ok && by != from {
		return
	}
	if r.found == nil {
		r.found = make(map[string]string)
	}
	r.found[key] = from
	r.report.all = append(r.report.all, r.e.newDiagnostic(p, from, d))
}

// place returns the file of an adapter's path, or nil if tools may not read it.
func (r *diagnosticsRun) place(ctx context.Context, path string) *projectFile {
	if p, ok := r.byPath[path]; ok {
		return p
	}
	var found *projectFile
	if p, err := r.e.locateAdapterPath(ctx, path); err == nil {
		found = &p
	} else if hasCode(err, security.InternalError) {
		r.e.log.Debug("a diagnostic of no file", "error", err)
	}
	r.byPath[path] = found
	return found
}

const (
	syntaxName     = "syntax"
	maxSyntaxFiles = 200 // of a project
)

// checkSyntax checks the syntax of the files that adapters left unchecked, except files of which an adapter has checked the syntax.
func (r *diagnosticsRun) checkSyntax(ctx context.Context) {
	patience, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	late := adapter.FileCheck{State: adapter.Unchecked, Reason: reasonLater, Next: "Call again with a longer waitMs."}
	looked := 0
	for _, p := range r.unchecked(adapter.State{}) {
		if r.checks[p.abs].By != "" || !r.e.options.Syntax.KnowsSyntax(p.abs) {
			continue
		}
		if looked == maxSyntaxFiles {
			r.setChecks([]projectFile{p}, adapter.FileCheck{State: adapter.Unchecked, Reason: "the syntax of " + number(maxSyntaxFiles) + " other files was looked at", Next: "Ask about it with path."})
			continue
		}
		text, err := r.text(patience, p)
		switch {
		case err != nil && patience.Err() != nil:
			r.setChecks([]projectFile{p}, late)
			continue
		case err != nil:
			r.setChecks([]projectFile{p}, adapter.FileCheck{State: adapter.Unchecked, Reason: "it cannot be read: " + err.Error()})
			continue
		}
		found, err := r.e.syntax(patience, p, text)
		switch {
		case errors.Is(err, adapter.ErrUnsupported):
			continue
		case patience.Err() != nil:
			r.setChecks([]projectFile{p}, late)
			continue
		case err != nil:
			r.setChecks([]projectFile{p}, adapter.FileCheck{State: adapter.Unchecked, Reason: err.Error()})
			continue
		}
		looked++
		for _, d := range found.Items {
			if len(r.report.all) < maxItems {
				r.addItem(p, syntaxName, d)
			}
		}
		r.report.by[p.abs] = syntaxName
		r.setChecks([]projectFile{p}, found.check())
	}
}

// text returns the text of a file in its editor if that has unsaved text, otherwise on the disk.
func (r *diagnosticsRun) text(ctx context.Context, p projectFile) (string, error) {
	if text, ok := r.texts[p]; ok {
		return text, nil
	}
	return r.e.presentText(ctx, p)
}
