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

// fileReport is what a server says of a file.
type fileReport struct {
	items []adapter.Diagnostic
	check adapter.FileCheck // without a path it is of no single file
}

// findings gather what several servers say.
type findings struct {
	mu     sync.Mutex
	out    adapter.Diagnostics
	checks map[string]adapter.FileCheck
}

func newFindings() *findings {
	return &findings{out: adapter.Diagnostics{Fresh: true, Covered: []string{}}, checks: make(map[string]adapter.FileCheck)}
}

// add takes reports of one server. A file that several servers look at has the worst of their checks.
func (f *findings) add(reports ...fileReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range reports {
		f.out.Items = append(f.out.Items, r.items...)
		f.out.Fresh = f.out.Fresh && r.check.State == adapter.Checked
		if old, known := f.checks[r.check.Path]; r.check.Path != "" && (!known || badness(old) < badness(r.check)) {
			f.checks[r.check.Path] = r.check
		}
	}
}

// badness orders checks.
func badness(c adapter.FileCheck) int {
	return slices.Index([]adapter.CheckState{adapter.Checked, adapter.Stale, adapter.Unchecked}, c.State)
}

// leaveOut notes files that no server has looked at. The others can be fresh all the same.
func (f *findings) leaveOut(paths []string, reason, next string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, path := range paths {
		f.checks[path] = adapter.FileCheck{Path: path, State: adapter.Unchecked, Reason: reason, Next: next}
	}
}

// note adds a remark that belongs to no single file.
func (f *findings) note(note string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if note != "" && !slices.Contains(f.out.Notes, note) && len(f.out.Notes) < maxNotes {
		f.out.Notes = append(f.out.Notes, note)
	}
}

const maxNotes = 20

// panicked reports a panic, and keeps the answer from being called fresh.
func (f *findings) panicked(report func(any, []byte)) func(any, []byte) {
	return func(value any, stack []byte) {
		report(value, stack)
		f.add(fileReport{check: adapter.FileCheck{State: adapter.Unchecked}})
		f.note("a fault of this program kept some files from being looked at")
	}
}

// diagnostics is the answer. Files that a server was asked about count as covered, whatever became of it.
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

// cover notes files that a server is asked about.
func (f *findings) cover(paths ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out.Covered = append(f.out.Covered, paths...)
}

// Diagnose implements adapter.Diagnoser.
func (h *Headless) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	if ctx.Err() != nil {
		return adapter.Diagnostics{}, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.Patience)
	defer cancel()
	f := newFindings()
	var work group.Group
	work.OnPanic = f.panicked(h.work.OnPanic)
	if len(paths) == 0 {
		h.diagnoseProject(ctx, f, &work)
		work.Wait()
		return f.diagnostics(), nil
	}
	asked := make(map[*instance][]string)
	for _, path := range paths {
		instances, err := h.instancesFor(path, LanguageOf(path))
		if err != nil {
			reason, next := why(err)
			f.leaveOut([]string{path}, reason, next)
			continue
		}
		f.cover(path)
		for _, i := range instances {
			asked[i] = append(asked[i], path)
		}
	}
	for i, paths := range asked {
		work.Go(func() { i.diagnoseFiles(ctx, paths, f) })
	}
	work.Wait()
	return f.diagnostics(), nil
}

// atOnce is how many files a server is asked about at the same time.
const atOnce = 4

// diagnoseFiles asks about files.
func (i *instance) diagnoseFiles(ctx context.Context, paths []string, f *findings) {
	session, done, err := i.use(ctx)
	if err != nil {
		f.add(i.known(ctx, paths, err)...)
		return
	}
	defer done()
	var docs []adapter.Document
	for _, path := range paths {
		doc, _, err := i.h.read(ctx, path)
		if err != nil {
			reason, next := why(err)
			f.leaveOut([]string{path}, "it cannot be given to "+i.server.Name+": "+reason, next)
			continue
		}
		docs = append(docs, doc)
	}
	_, pull := session.Offers("textDocument/diagnostic")
	versions, err := i.bring(ctx, session, docs, i.server.Dialect == Plain && !pull)
	if err != nil {
		f.add(i.known(ctx, paths, err)...)
		return
	}
	var work group.Group
	work.OnPanic = f.panicked(i.h.work.OnPanic)
	room := make(chan struct{}, atOnce)
	for n, doc := range docs {
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			f.add(i.report(ctx, session, doc, versions[n]))
		})
	}
	work.Wait()
}

// whyNot is the reason why a server has not reported the errors of files, and the step that would change it.
func (i *instance) whyNot(ctx context.Context, err error) (text, next string) {
	if ctx.Err() != nil {
		return i.server.Name + " is still starting or reading the project; ask again", ""
	}
	return why(explain(ctx, "asking "+i.server.Name, err))
}

// known returns the last result, where an error keeps the server from answering.
func (i *instance) known(ctx context.Context, paths []string, err error) []fileReport {
	text, next := i.whyNot(ctx, err)
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

// maxKnown bounds how many files' diagnostics are kept.
const maxKnown = 2000

func (i *instance) remember(path string, r fileReport) {
	i.lastMu.Lock()
	defer i.lastMu.Unlock()
	if len(i.last) >= maxKnown {
		clear(i.last)
	}
	i.last[path] = r
}

// report asks about a file in the way of the server.
func (i *instance) report(ctx context.Context, session *lsp.Session, doc adapter.Document, version int) fileReport {
	var items []lsp.Diagnostic
	var err error
	fresh, note := true, ""
	_, pull := session.Offers("textDocument/diagnostic")
	switch {
	case i.server.Dialect == TSServer:
		items, err = tsDiagnostics(ctx, session, doc.Path)
	case i.server.Dialect == Gopls && doc.Language != "go": // it is asked for Go alone
		err = settled(ctx, session)
		p, _ := session.Published(doc.Path)
		items = p.Items
	case pull:
		if err = i.indexed(ctx, session); err == nil { // before it knows the project it would find nothing wrong
			items, err = i.pull(ctx, session, doc.Path)
		}
	default:
		items, fresh, note, err = i.published(ctx, session, doc.Path, version)
	}
	if err != nil {
		return i.known(ctx, []string{doc.Path}, err)[0]
	}
	if fresh && session.Version(doc.Path) != version {
		fresh, note = false, "a file has changed while it was looked at; ask again"
	}
	r := fileReport{i.diagnostics(doc.Path, items, adapter.NewText(doc.Text)), i.checked(doc.Path, fresh, note)}
	i.remember(doc.Path, r)
	return r
}

// checked is the check of a file that the server was asked about; note says why it is not fresh.
func (i *instance) checked(path string, fresh bool, note string) adapter.FileCheck {
	c := adapter.FileCheck{Path: path, State: adapter.Checked, By: i.server.Name}
	if !fresh {
		c.State, c.Reason = adapter.Stale, note
	}
	return c
}

// attempts is how often a server is asked again that was disturbed by a change.
const attempts = 5

// pull asks for the diagnostics of a document (LSP 3.17, "Document Diagnostics").
func (i *instance) pull(ctx context.Context, session *lsp.Session, path string) ([]lsp.Diagnostic, error) {
	options, _ := session.Offers("textDocument/diagnostic")
	params := lsp.DiagnosticParams{TextDocument: lsp.Document{URI: lsp.URI(path)}, Identifier: identifier(options)}
	for n := 1; ; n++ {
		var answer lsp.DiagnosticReport
		err := session.Call(ctx, "textDocument/diagnostic", params, &answer)
		if err == nil && answer.Kind == "unchanged" {
			return nil, lied(i.server.Name, "says that nothing has changed since it was never asked")
		}
		if !lsp.Again(err) || n == attempts {
			return answer.Items, err
		}
		if err := wait.Sleep(ctx, time.Duration(n)*50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// calm is how long a server that does not say which version it publishes for must be silent to be taken to be done.
const calm = time.Second

// published waits for what the server publishes for a version of a document.
func (i *instance) published(ctx context.Context, session *lsp.Session, path string, version int) (items []lsp.Diagnostic, fresh bool, note string, err error) {
	timer := time.NewTimer(3 * calm)
	defer timer.Stop()
	seen := -1
	for {
		news := session.News()
		p, _ := session.Published(path)
		switch _, pull := session.Offers("textDocument/diagnostic"); {
		case p.Version == version:
			return p.Items, true, "", nil
		case pull: // it offers that only now
			items, err = i.pull(ctx, session, path)
			return items, err == nil, "", err
		}
		if p.Sequence != seen {
			if seen >= 0 {
				timer.Reset(calm)
			}
			seen = p.Sequence
		}
		select {
		case <-news:
		case <-session.Done():
			return nil, false, "", session.Err()
		case <-ctx.Done():
			return p.Items, false, i.server.Name + " has not said that it is done; ask again", nil
		case <-timer.C:
			if p.Version == 0 && p.Sequence > 0 && len(session.Busy()) == 0 {
				return p.Items, false, i.server.Name + " does not say which version of a file its diagnostics are of", nil
			}
			timer.Reset(calm)
		}
	}
}

// settled waits until a server has ended the work that every change begins. One that is neither at work nor says that it has
// ended it is not waited for.
func settled(ctx context.Context, session *lsp.Session) error {
	timer := time.NewTimer(3 * calm)
	defer timer.Stop()
	for {
		news := session.News()
		if session.Settled() {
			return nil
		}
		select {
		case <-news:
			timer.Reset(3 * calm)
		case <-timer.C:
			if !session.Working() {
				return errors.New("it has not said that it has looked at everything")
			}
			timer.Reset(3 * calm)
		case <-session.Done():
			return session.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
