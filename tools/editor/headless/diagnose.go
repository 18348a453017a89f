package headless

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// fileReport is the result of one server for one file.
type fileReport struct {
	items []adapter.Diagnostic
	check adapter.FileCheck // Path is empty if the check is about no single file
}

// findings merges the reports of several servers. Its methods may be called concurrently.
type findings struct {
	mu     sync.Mutex // guards the following fields
	out    adapter.Diagnostics
	checks map[string]adapter.FileCheck // by path
}

func newFindings() *findings {
	return &findings{out: adapter.Diagnostics{Fresh: true, Covered: []string{}}, checks: make(map[string]adapter.FileCheck)}
}

// add merges reports of one server. If several servers report on a file, the worst of their checks remains.
func (f *findings) add(reports ...fileReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range reports {
		f.out.Items = append(f.out.Items, r.items...)
		f.out.Fresh = f.out.Fresh && r.check.State == adapter.Checked
		if old, known := f.checks[r.check.Path]; r.check.Path != "" && (!known || checkRank(old) < checkRank(r.check)) {
			f.checks[r.check.Path] = r.check
		}
	}
}

// checkRank returns the order of checks: Checked, Stale, Unchecked.
func checkRank(c adapter.FileCheck) int {
	return slices.Index([]adapter.CheckState{adapter.Checked, adapter.Stale, adapter.Unchecked}, c.State)
}

// addUnchecked records files that no server has checked. The diagnostics of other files can still be fresh.
func (f *findings) addUnchecked(paths []string, reason, next string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, path := range paths {
		f.checks[path] = adapter.FileCheck{Path: path, State: adapter.Unchecked, Reason: reason, Next: next}
	}
}

// note adds a note that is not about a single file. At most maxNotes are kept.
func (f *findings) note(note string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if note != "" && !slices.Contains(f.out.Notes, note) && len(f.out.Notes) < maxNotes {
		f.out.Notes = append(f.out.Notes, note)
	}
}

const maxNotes = 20

// onPanic returns a handler for group.Group.OnPanic. After a panic the diagnostics are not fresh.
func (f *findings) onPanic(report func(any, []byte)) func(any, []byte) {
	return func(value any, stack []byte) {
		report(value, stack)
		f.add(fileReport{check: adapter.FileCheck{State: adapter.Unchecked}})
		f.note("some files were not checked because of an internal error")
	}
}

// diagnostics returns the merged result, sorted. Covered contains every file for which a server received a request, even if the
// request failed.
func (f *findings) diagnostics() adapter.Diagnostics {
	slices.SortStableFunc(f.out.Items, func(a, b adapter.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Column, b.Range.Start.Column))
	})
	slices.Sort(f.out.Notes)
	for _, path := range slices.Sorted(maps.Keys(f.checks)) {
		f.out.Checks = append(f.out.Checks, f.checks[path])
	}
	return f.out
}

// addCovered records files for which a server receives a request.
func (f *findings) addCovered(paths ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out.Covered = append(f.out.Covered, paths...)
}

// ReadsUnsaved implements adapter.UnsavedReader. The servers receive the unsaved texts of the editors that are attached to the Root.
func (h *Headless) ReadsUnsaved() bool { return true }

// Diagnose implements adapter.Diagnoser.
func (h *Headless) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	if ctx.Err() != nil {
		return adapter.Diagnostics{}, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.RequestTimeout)
	defer cancel()
	f := newFindings()
	var work group.Group
	work.OnPanic = f.onPanic(h.work.OnPanic)
	if len(paths) == 0 {
		h.diagnoseProject(ctx, f, &work)
		work.Wait()
		return f.diagnostics(), nil
	}
	asked, withoutServer := make(map[*instance][]string), make(map[string]error)
	for _, path := range paths {
		instances, err := h.instancesFor(path, h.project.languageOf(path))
		if err != nil {
			withoutServer[path] = err
			continue
		}
		f.addCovered(path)
		for _, i := range instances {
			asked[i] = append(asked[i], path)
		}
	}
	h.compileWithoutServer(ctx, withoutServer, f, &work)
	for i, paths := range asked {
		work.Go(func() { i.diagnoseFiles(ctx, paths, f) })
	}
	work.Wait()
	return f.diagnostics(), nil
}

// maxConcurrentFiles is the number of files for which one server handles requests concurrently.
const maxConcurrentFiles = 4

// diagnoseFiles requests the diagnostics of files from one server and adds them to f.
func (i *instance) diagnoseFiles(ctx context.Context, paths []string, f *findings) {
	session, done, err := i.use(ctx)
	if err != nil {
		f.add(i.lastReports(ctx, i.h.compileInstead(ctx, paths, f), err)...)
		return
	}
	defer done()
	defer i.reportProgress(ctx, session)()
	var docs, suspects []adapter.Document
	for _, path := range paths {
		doc, _, err := i.h.read(ctx, path)
		if err != nil {
			reason, next := reasonAndStep(err)
			f.addUnchecked([]string{path}, i.server.Name+" cannot read it: "+reason, next)
			continue
		}
		if err := i.refuse(doc); err != nil {
			reason, next := reasonAndStep(err)
			f.addUnchecked([]string{path}, reason, next)
			continue
		}
		if i.failuresWith(doc) > 0 {
			suspects = append(suspects, doc)
		} else {
			docs = append(docs, doc)
		}
	}
	i.diagnoseDocuments(ctx, session, docs, f)
	for _, doc := range suspects {
		i.diagnoseDocuments(ctx, session, []adapter.Document{doc}, f)
	}
}

// diagnoseDocuments sends documents to a server, requests their diagnostics and adds them to f.
func (i *instance) diagnoseDocuments(ctx context.Context, session *lsp.Session, docs []adapter.Document, f *findings) {
	if len(docs) == 0 {
		return
	}
	paths := make([]string, len(docs))
	for n, doc := range docs {
		paths[n] = doc.Path
	}
	if err := session.Err(); err != nil { // it has failed with an earlier document
		f.add(i.lastReports(ctx, paths, err)...)
		return
	}
	defer i.recordOutcome(session, docs...)
	_, pull := session.Offers("textDocument/diagnostic")
	pull = pull || i.server.pullsDiagnostics
	versions, err := i.syncDocuments(ctx, session, docs, i.server.Dialect == Plain && !pull)
	if err != nil {
		f.add(i.lastReports(ctx, paths, err)...)
		return
	}
	var work group.Group
	work.OnPanic = f.onPanic(i.h.work.OnPanic)
	room := make(chan struct{}, maxConcurrentFiles)
	for n, doc := range docs {
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			f.add(i.report(ctx, session, doc, versions[n]))
		})
	}
	work.Wait()
}

// failureReason returns the reason why a server has not reported on files, and the next step for the caller.
func (i *instance) failureReason(ctx context.Context, err error) (text, next string) {
	session, _ := i.life.Running()
	switch {
	case ctx.Err() == nil:
	case session != nil && describeWork(session) != "":
		return i.server.Name + " is still reading the project (" + describeWork(session) + "); try again", ""
	case errors.Is(err, errUnfinished):
		return i.server.Name + " has not finished; try again", ""
	default:
		return i.server.Name + " is still starting or reading the project; try again", ""
	}
	return reasonAndStep(i.h.explain(ctx, "asking "+i.server.Name, err))
}

// lastReports returns the last reports of the files, marked as stale, after the server failed with err. Files without an earlier report
// are unchecked.
func (i *instance) lastReports(ctx context.Context, paths []string, err error) []fileReport {
	text, next := i.failureReason(ctx, err)
	i.lastMu.Lock()
	defer i.lastMu.Unlock()
	reports := make([]fileReport, len(paths))
	for n, path := range paths {
		last, ok := i.last[path]
		reports[n] = fileReport{last.items, adapter.FileCheck{Path: path, State: adapter.Unchecked, Reason: text, Next: next}}
		if ok {
			reports[n].check.State, reports[n].check.By = adapter.Stale, i.server.Name
		}
	}
	return reports
}

// maxKnown is the number of files of which the last report is kept. All reports are dropped when it is reached.
const maxKnown = 2000

func (i *instance) remember(path string, r fileReport) {
	i.lastMu.Lock()
	defer i.lastMu.Unlock()
	if len(i.last) >= maxKnown {
		clear(i.last)
	}
	i.last[path] = r
}

// report requests the diagnostics of one document, in the way that the server's dialect needs.
func (i *instance) report(ctx context.Context, session *lsp.Session, doc adapter.Document, version int) fileReport {
	var items []lsp.Diagnostic
	var err error
	fresh, note := true, ""
	_, pull := session.Offers("textDocument/diagnostic")
	pull = pull || i.server.pullsDiagnostics
	switch {
	case i.server.Dialect == TSServer:
		items, err = tsDiagnostics(ctx, session, doc.Path)
	case i.server.Dialect == Gopls && doc.Language != "go": // gopls supports pull diagnostics for Go files only
		err = awaitSettled(ctx, session)
		p, _ := session.Published(doc.Path)
		items = p.Items
	case pull:
		if i.server.Dialect == Plain {
			err = i.awaitIndex(ctx, session)
		}
		if err == nil { // a server that has not read the project would report no errors
			items, err = i.pull(ctx, session, doc.Path)
		}
	default:
		items, fresh, note, err = i.awaitPublished(ctx, session, doc.Path, version)
	}
	switch {
	case i.server.Dialect == Gopls && isNotLoaded(err):
		return i.notLoadedReport(session, doc.Path)
	case err != nil:
		return i.lastReports(ctx, []string{doc.Path}, err)[0]
	}
	if fresh && session.Version(doc.Path) != version {
		fresh, note = false, "the file changed during the check; try again"
	}
	r := fileReport{i.diagnostics(doc.Path, items, adapter.NewText(doc.Text)), i.checked(doc.Path, fresh, note)}
	i.remember(doc.Path, r)
	i.noteAnswer(session)
	return r
}

// checked returns the check of a file on which the server has reported. note is the reason if the report is not fresh.
func (i *instance) checked(path string, fresh bool, note string) adapter.FileCheck {
	c := adapter.FileCheck{Path: path, State: adapter.Checked, By: i.server.Name}
	if i.server.checksOnly != "" {
		c.By += " (" + i.server.checksOnly + ")"
	}
	if !fresh {
		c.State, c.Reason = adapter.Stale, note
	}
	return c
}

// attempts is the number of times that a request is sent if changes of the project cancel it.
const attempts = 5

// pull asks for the diagnostics of a document (LSP 3.17, "Document Diagnostics").
func (i *instance) pull(ctx context.Context, session *lsp.Session, path string) ([]lsp.Diagnostic, error) {
	options, _ := session.Offers("textDocument/diagnostic")
	params := lsp.DiagnosticParams{TextDocument: lsp.Document{URI: lsp.URI(path)}, Identifier: identifier(options)}
	for n := 1; ; n++ {
		var answer lsp.DiagnosticReport
		err := session.Call(ctx, "textDocument/diagnostic", params, &answer)
		if err == nil && answer.Kind == "unchanged" {
			return nil, invalidResponse(i.server.Name, "reported unchanged diagnostics without an earlier report")
		}
		if !lsp.IsRetryable(err) || n == attempts {
			return answer.Items, err
		}
		if err := wait.Sleep(ctx, time.Duration(n)*50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// errUnfinished is the error for a file on which a server has published nothing in time.
var errUnfinished = errors.New("it has not finished")

// quietPeriod is the silence after which a server is considered done, if it publishes diagnostics without a version.
const quietPeriod = time.Second

// awaitPublished waits for the diagnostics that the server publishes for a version of a document. fresh is false if the server did not
// state the version; note is the reason.
func (i *instance) awaitPublished(ctx context.Context, session *lsp.Session, path string, version int) (items []lsp.Diagnostic, fresh bool, note string, err error) {
	timer := time.NewTimer(3 * quietPeriod)
	defer timer.Stop()
	seen, quiet := -1, false // quiet: no publication within quietPeriod
	for {
		news := session.News()
		p, _ := session.Published(path)
		switch _, pull := session.Offers("textDocument/diagnostic"); {
		case p.Version == version && (!i.server.partial || quiet && len(session.Busy()) == 0):
			return p.Items, true, "", nil
		case pull: // some servers register pull diagnostics after the start
			items, err = i.pull(ctx, session, path)
			return items, err == nil, "", err
		}
		quiet = false
		if p.Sequence != seen {
			if seen >= 0 || p.Version == version {
				timer.Reset(quietPeriod)
			}
			seen = p.Sequence
		}
		select {
		case <-news:
		case <-session.Done():
			return nil, false, "", session.Err()
		case <-ctx.Done():
			if p.Sequence == 0 {
				return nil, false, "", errUnfinished
			}
			return p.Items, false, i.server.Name + " has not finished; try again", nil
		case <-timer.C:
			// A server that states versions publishes without one when a document is closed.
			if p.Version == 0 && p.Sequence > 0 && len(session.Busy()) == 0 && !session.StatesVersions() {
				return p.Items, false, i.server.Name + " publishes diagnostics without the version of the file", nil
			}
			quiet = true
			timer.Reset(quietPeriod)
		}
	}
}

// awaitSettled waits until a server has finished the work that follows each change. It fails if a server is idle for three seconds and
// has not reported the end of that work.
func awaitSettled(ctx context.Context, session *lsp.Session) error {
	timer := time.NewTimer(3 * quietPeriod)
	defer timer.Stop()
	for {
		news := session.News()
		if session.Settled() {
			return nil
		}
		select {
		case <-news:
			timer.Reset(3 * quietPeriod)
		case <-timer.C:
			if !session.Working() {
				return errors.New("it has not reported the end of its check")
			}
			timer.Reset(3 * quietPeriod)
		case <-session.Done():
			return session.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
