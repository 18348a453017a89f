package external

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// completeInterval is the time between complete lists of a source that reports changes.
	completeInterval = time.Hour
	// updateTimeout limits one update. The next update continues with the documents that were not read.
	updateTimeout = time.Hour
	// commitTimeout limits the commit of an update, also of one that has been canceled.
	commitTimeout = time.Minute
	// maxFailures is the number of consecutive failed reads that end an update: the source is then unreachable.
	maxFailures = 10
	// maxChangePages limits the calls of ChangeSource.Changes in one update.
	maxChangePages = 10_000
)

// errTimeout is the cause of the end of an update after updateTimeout.
var errTimeout = fmt.Errorf("the update took longer than %v; the documents that were read are indexed", updateTimeout)

// job is a running update, shared by one or more calls of Refresh.
type job struct {
	ended  chan struct{} // closed at the end; the following fields are valid then
	report plugin.Report
	err    error
}

// Refresh implements plugin.Documents. Path is the path of a document; other documents are not updated then. Errors: that of
// ctx, FILE_NOT_FOUND for an unknown document, and INDEX_UNAVAILABLE for a failed update.
func (d *Documents) Refresh(ctx context.Context, o plugin.RefreshOptions) (plugin.Report, error) {
	if err := ctx.Err(); err != nil {
		return plugin.Report{}, err
	}
	if o.Path == d.prefix || o.Path == d.name+":" {
		o.Path = ""
	}
	if _, ok := d.id(o.Path); o.Path != "" && !ok {
		return plugin.Report{}, d.missing(o.Path)
	}
	j, joined, err := d.startJob(o)
	if err != nil {
		return plugin.Report{}, err
	}
	select {
	case <-j.ended:
	case <-ctx.Done():
		return plugin.Report{}, fmt.Errorf("refreshing the index of %s, which continues: %w", d.name, context.Cause(ctx))
	}
	report := j.report
	report.Joined = joined
	if j.err != nil && security.CodeOf(j.err) != security.FileNotFound {
		return report, &unavailableError{d.name, j.err}
	}
	return report, j.err
}

// startJob returns the running job with the same options, or starts one.
func (d *Documents) startJob(o plugin.RefreshOptions) (j *job, joined bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, false, &unavailableError{d.name, index.ErrClosed}
	}
	if j, ok := d.jobs[o]; ok {
		return j, true, nil
	}
	j = &job{ended: make(chan struct{}), err: errors.New("the update panicked")}
	d.jobs[o] = j
	d.run.Go(func() {
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.jobs, o)
			close(j.ended)
		}()
		j.report, j.err = d.update(o)
	})
	return j, false, nil
}

// update performs one update while holding the write lock.
func (d *Documents) update(o plugin.RefreshOptions) (plugin.Report, error) {
	if d.writeLock.Acquire(d.ctx, 1) != nil {
		return plugin.Report{}, index.ErrClosed
	}
	defer d.writeLock.Release(1)
	ctx, cancel := context.WithTimeoutCause(d.ctx, updateTimeout, errTimeout)
	defer cancel()
	u := &update{d: d, full: o.Full, began: time.Now(), cursor: d.cursor, seen: make(map[string]bool), outcomes: make(map[string]outcome)}
	d.mu.Lock()
	d.state.running++
	d.state.done, d.state.total = 0, 0
	u.skippedBefore = d.state.skipped.names
	d.mu.Unlock()
	var err error
	defer func() { u.finish(o, err) }()
	err = errors.New("the update panicked") // the value of err if the next call panics
	err = u.run(ctx, o)
	if d.ctx.Err() != nil {
		err = index.ErrClosed
	}
	u.report.Files = u.report.Added + u.report.Updated + u.report.Unchanged
	u.report.Duration = time.Since(u.began)
	u.report.Skipped = u.skipped.summary()
	return u.report, err
}

// update is the state of one update of the index.
type update struct {
	d             *Documents
	full          bool // whether unchanged documents are indexed again
	began         time.Time
	complete      bool                   // whether all documents were listed
	cursor        string                 // becomes Documents.cursor when the update is committed
	known         map[string]index.Known // indexed documents by path; nil: query the index for each document
	seen          map[string]bool        // paths of admitted documents of a list or of a page of changes
	skippedBefore map[string]skip        // of earlier updates; not modified
	before        int                    // number of indexed documents before the update
	fresh         int                    // number of admitted documents that the index lacks
	changed       []string               // written and removed paths; set by commit

	mu        sync.Mutex // guards the fields below
	writer    index.Writer
	report    plugin.Report
	skipped   skipped
	outcomes  map[string]outcome // by path
	discarded int                // documents that this update has both added and removed
	described map[string]plugin.Description
	failures  int   // consecutive failed reads
	unread    int   // documents that could not be read
	failed    error // first error of the index, or that of an unreachable source
	panicked  bool  // whether the writer panicked; its changes are discarded then
	lastRead  error // last error of a read
}

// effect is the effect of an update on a document.
type effect int

const (
	unchanged effect = iota
	written
	removed
)

// outcome is the effect of an update on a document. A document of several pages of changes has that of the last page.
type outcome struct {
	effect  effect
	indexed bool              // whether the document was indexed before the update
	put     bool              // whether the writer has received a version of the document
	hash    [sha256.Size]byte // of the written text
}

// exists reports whether the index will have a document after the update, given whether it had the document before.
// The caller holds mu.
func (u *update) exists(path string, indexed bool) bool {
	if o, ok := u.outcomes[path]; ok {
		return o.effect != removed
	}
	return indexed
}

// record sets the effect of the update on a document and counts it. The caller holds mu.
func (u *update) record(path string, now outcome) {
	if before, ok := u.outcomes[path]; ok {
		*u.counter(before)--
		now.put = now.put || before.put
	}
	*u.counter(now)++
	u.outcomes[path] = now
}

// counter returns the number of documents with an outcome. The caller holds mu.
func (u *update) counter(o outcome) *int {
	switch {
	case o.effect == unchanged:
		return &u.report.Unchanged
	case o.effect == written && o.indexed:
		return &u.report.Updated
	case o.effect == written:
		return &u.report.Added
	case o.indexed:
		return &u.report.Removed
	}
	return &u.discarded
}

// fail records the first error that ends the update.
func (u *update) fail(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed == nil {
		u.failed = err
	}
}

// run performs the update and commits it.
func (u *update) run(ctx context.Context, o plugin.RefreshOptions) error {
	defer func() {
		if u.writer != nil {
			u.writer.Abort()
		}
	}()
	stats, err := u.d.index.Stats(ctx)
	if err != nil {
		return fmt.Errorf("reading the index: %w", err)
	}
	u.before = stats.Files
	err = u.collect(ctx, o)
	if u.failed != nil {
		err = errors.Join(u.failed, err)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if u.panicked {
		u.d.cursor = ""
		return err
	}
	// Documents that were read before a failure of the source, before the timeout and before Close are kept.
	committing, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if failed := u.commit(committing); failed != nil {
		u.d.cursor = "" // the next list finds the discarded changes
		return failed
	}
	u.d.cursor = u.cursor
	return err
}

// collect reads new and changed documents.
func (u *update) collect(ctx context.Context, o plugin.RefreshOptions) error {
	d := u.d
	if o.Path != "" {
		return u.refreshPath(ctx, o.Path)
	}
	d.mu.Lock()
	recent := u.began.Sub(d.state.listed) < completeInterval
	d.mu.Unlock()
	if d.changes != nil && d.cursor != "" && !o.Full && recent {
		cursor, err := u.applyChanges(ctx, d.cursor)
		if err == nil && u.failed == nil {
			if u.cursor = cursor; u.unread > 0 {
				u.cursor = "" // the next list retries the documents
			}
			return nil
		}
		u.cursor = ""
		if ctx.Err() != nil || u.failed != nil {
			return err
		}
		d.log.Info("the changes of a source are not available; its documents are listed", "source", d.name, "error", err)
	}
	return u.listAll(ctx)
}

// listAll compares all documents with the index.
func (u *update) listAll(ctx context.Context) error {
	d := u.d
	u.complete = true
	u.skipped = skipped{}
	u.seen = make(map[string]bool) // without the documents of a page of changes
	u.fresh = u.report.Added
	cursor := ""
	if d.changes != nil {
		// Changes during the list are reported after this cursor.
		now, err := d.listChanges(ctx, "")
		if err != nil {
			d.log.Warn("a source does not report changes", "source", d.name, "error", err)
		}
		cursor = now.Cursor
	}
	u.known = make(map[string]index.Known)
	for k, err := range d.index.Files(ctx) {
		if err != nil {
			return err
		}
		u.known[k.Path] = k
	}
	err := u.fetchAll(ctx, func(visit func(plugin.Document, *[]plugin.Document) bool) error {
		var later []plugin.Document
		listed := false
		list := func() (err error) {
			defer d.catchPanic("List", &err)
			for doc, err := range d.source.List(ctx) {
				if err != nil {
					return fmt.Errorf("listing the documents: %w", err)
				}
				if !visit(doc, &later) {
					return nil
				}
			}
			listed = ctx.Err() == nil
			return nil
		}
		err := list()
		if listed {
			u.removeUnlisted()
		}
		for _, doc := range later {
			if !listed {
				u.skipExcess(doc)
			} else if !visit(doc, nil) {
				break
			}
		}
		return err
	})
	if err != nil || ctx.Err() != nil || u.failed != nil {
		u.complete = false
		return err
	}
	if u.cursor = cursor; u.unread > 0 {
		u.cursor = ""
	}
	return nil
}

// removeUnlisted removes the documents that a complete list lacks.
func (u *update) removeUnlisted() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for path := range u.known {
		if !u.seen[path] {
			u.remove(path, true)
		}
	}
	for path, o := range u.outcomes { // written because of changes before the list
		if !u.seen[path] {
			u.remove(path, o.indexed)
		}
	}
}

// applyChanges reads the changes after a cursor and returns the next cursor.
func (u *update) applyChanges(ctx context.Context, cursor string) (string, error) {
	d := u.d
	for range maxChangePages {
		changes, err := d.listChanges(ctx, cursor)
		if err != nil {
			return "", err
		}
		if err := u.removeAll(ctx, changes.Removed); err != nil {
			return "", err
		}
		u.seen = make(map[string]bool) // a document can change on several pages
		err = u.fetchAll(ctx, func(visit func(plugin.Document, *[]plugin.Document) bool) error {
			for _, doc := range changes.Changed {
				if !visit(doc, nil) {
					break
				}
			}
			return nil
		})
		if err = cmp.Or(err, ctx.Err()); err != nil || u.failed != nil {
			return "", err
		}
		if !changes.More {
			return changes.Cursor, nil
		}
		if changes.Cursor == cursor {
			break
		}
		cursor = changes.Cursor
	}
	return "", errors.New("the changes of the source do not end")
}

// removeAll removes the documents with some IDs. An error is one of the index.
func (u *update) removeAll(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if checkID(id) != nil {
			continue
		}
		path := u.d.Path(id)
		_, indexed, err := u.lookup(ctx, path)
		if err != nil {
			u.fail(err)
			return err
		}
		u.mu.Lock()
		delete(u.skipped.names, path)
		u.remove(path, indexed)
		u.mu.Unlock()
	}
	return nil
}

// listChanges calls ChangeSource.Changes within the timeout.
func (d *Documents) listChanges(ctx context.Context, cursor string) (c plugin.Changes, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	defer d.catchPanic("Changes", &err)
	return d.changes.Changes(ctx, cursor)
}

// refreshPath updates one document. A path that is not indexed can be that of a new document or of a directory: the source is
// listed then, because only documents of a list or of changes are indexed.
func (u *update) refreshPath(ctx context.Context, path string) error {
	d := u.d
	known, indexed, err := u.lookup(ctx, path)
	if err != nil {
		return err
	}
	if !indexed {
		if err := u.listAll(ctx); err != nil {
			return err
		}
		for listed := range u.seen {
			if listed == path || strings.HasPrefix(listed, path+"/") {
				return nil
			}
		}
		return d.missing(path)
	}
	id, _ := d.id(path)
	doc, err := d.get(ctx, plugin.Document{ID: id})
	switch {
	case err == nil:
		u.put(ctx, doc, known, true)
	case errors.Is(err, fs.ErrNotExist):
		u.mu.Lock()
		defer u.mu.Unlock()
		u.remove(path, true)
	default:
		return err
	}
	return nil
}

// lookup returns the version of a document that was indexed before the update.
func (u *update) lookup(ctx context.Context, path string) (index.Known, bool, error) {
	if u.known != nil {
		k, ok := u.known[path]
		return k, ok, nil
	}
	k, ok, err := u.d.index.Lookup(ctx, path)
	if err != nil {
		return k, false, fmt.Errorf("reading the index: %w", err)
	}
	return k, ok, nil
}

// admit reports whether a listed document must be read. A document beyond the maximum number is appended to later if that is not
// nil, because the removal of other documents may make room for it.
func (u *update) admit(ctx context.Context, doc plugin.Document, later *[]plugin.Document) bool {
	d := u.d
	u.mu.Lock()
	defer u.mu.Unlock()
	if checkID(doc.ID) != nil {
		u.skipped.add(truncate.Quote(doc.ID, 100), skip{reason: reasonID})
		return false
	}
	path := d.Path(doc.ID)
	if u.seen[path] {
		u.skipped.add(path, skip{reason: reasonRepeated})
		return false
	}
	known, indexed, err := u.lookup(ctx, path)
	if err != nil {
		u.failed = cmp.Or(u.failed, err)
		return false
	}
	// Indexed documents come first. Otherwise each update of a source without a fixed order would replace documents by others.
	count := u.before + u.fresh - u.report.Removed
	exists := u.exists(path, indexed)
	switch {
	case exists && u.known == nil:
		count = 0
	case exists: // more are indexed if the maximum was higher before
		count = len(u.seen)
	}
	if count >= d.maxDocuments {
		if later != nil && !exists && len(*later) < u.before { // more cannot become free
			doc.Text = ""
			*later = append(*later, doc)
		} else {
			u.skipped.add(path, skip{reason: reasonMany})
		}
		return false
	}
	if !exists {
		u.fresh++
	}
	u.seen[path] = true
	delete(u.skipped.names, path) // of an earlier page of changes
	if u.full {
		return true
	}
	now := stamp(doc)
	if before, ok := u.skippedBefore[path]; ok && now != "" && before.stamp == now {
		u.skipped.add(path, before)
		return false
	}
	if indexed && !u.outcomes[path].put && d.isCurrent(known, doc) {
		u.record(path, outcome{effect: unchanged, indexed: true})
		u.describe(path, describe(doc))
		return false
	}
	return true
}

// skipExcess records a document beyond the maximum number.
func (u *update) skipExcess(doc plugin.Document) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.skipped.add(u.d.Path(doc.ID), skip{reason: reasonMany})
}

// describe records the title and the URL of a document. Fields that a list leaves out keep their values. The caller holds mu.
func (u *update) describe(path string, d plugin.Description) {
	if before, ok := u.d.Describe(path); ok {
		d.Title, d.URL = cmp.Or(d.Title, before.Title), cmp.Or(d.URL, before.URL)
	}
	if u.described == nil {
		u.described = make(map[string]plugin.Description)
	}
	u.described[path] = d
}

// fetchAll admits the documents that list passes to visit, and reads the admitted ones with several workers. The second argument
// of visit is that of admit. visit returns false if the update has failed.
func (u *update) fetchAll(ctx context.Context, list func(visit func(plugin.Document, *[]plugin.Document) bool) error) error {
	next, ended := make(chan plugin.Document), make(chan struct{})
	var workers group.Group
	var running atomic.Int32
	running.Store(int32(u.d.workers))
	for range u.d.workers {
		workers.Go(func() {
			defer func() {
				if running.Add(-1) == 0 {
					close(ended)
				}
			}()
			for doc := range next {
				u.fetch(ctx, doc)
			}
		})
	}
	total := 0
	err := func() error {
		defer close(next)
		return list(func(doc plugin.Document, later *[]plugin.Document) bool {
			if u.hasFailed() || ctx.Err() != nil {
				return false
			}
			if !u.admit(ctx, doc, later) {
				return !u.hasFailed()
			}
			total++
			u.d.progress(0, total)
			select {
			case next <- doc:
				return true
			case <-ctx.Done():
			case <-ended: // the source ended the goroutines of the workers
			}
			return false
		})
	}()
	workers.Wait()
	return err
}

func (u *update) hasFailed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.failed != nil
}

// progress adds done documents, and raises the number of documents to total.
func (d *Documents) progress(done, total int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state.done += done
	d.state.total = max(d.state.total, total)
}

// fetch reads one document and writes it to the index.
func (u *update) fetch(ctx context.Context, listed plugin.Document) {
	d := u.d
	defer d.progress(1, 0)
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover() // nil after runtime.Goexit
		d.log.ErrorContext(ctx, "indexing a document panicked", "source", d.name, "id", listed.ID, "panic", v, "stack", string(debug.Stack()))
		u.fail(fmt.Errorf("indexing the document %s panicked", truncate.Quote(listed.ID, 100)))
		u.mu.Lock()
		defer u.mu.Unlock()
		u.panicked = true
	}()
	u.fetchDocument(ctx, listed)
	returned = true
}

// fetchDocument is fetch without the recovery from a panic.
func (u *update) fetchDocument(ctx context.Context, listed plugin.Document) {
	d := u.d
	path := d.Path(listed.ID)
	known, indexed, err := u.lookup(ctx, path)
	if err != nil {
		u.fail(err)
		return
	}
	doc := listed
	if doc.Text == "" {
		if doc, err = d.get(ctx, listed); err != nil {
			u.recordUnread(ctx, path, indexed, err)
			return
		}
		u.mu.Lock()
		u.failures = 0
		u.mu.Unlock()
	}
	u.put(ctx, doc, known, indexed)
}

// recordUnread records a document that could not be read. A document that does not exist any more is removed.
func (u *update) recordUnread(ctx context.Context, path string, indexed bool, err error) {
	if ctx.Err() != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		u.remove(path, indexed)
		return
	}
	u.unread++
	u.lastRead = err
	u.skipped.add(path, skip{reason: reasonUnreadable})
	if u.failures++; u.failures >= maxFailures && u.failed == nil {
		u.failed = fmt.Errorf("%d documents in a row could not be read: %w", u.failures, err)
	}
}

// put writes a document to the index, unless its indexed version is the same.
func (u *update) put(ctx context.Context, doc plugin.Document, known index.Known, indexed bool) {
	path := u.d.Path(doc.ID)
	p, err := u.d.makePage(ctx, doc)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.remove(path, indexed)
		u.skipped.add(path, skip{skipReason(err), stamp(doc)})
		return
	}
	if f := p.file; indexed && !u.full && f.Hash == known.Hash && f.Version == known.Version && f.ModTime.Equal(known.ModTime) && u.recordUnchanged(path, p) {
		return
	}
	w, err := u.begin(ctx)
	if err == nil {
		err = w.Put(ctx, p.file)
	}
	if err != nil {
		if ctx.Err() == nil {
			u.fail(fmt.Errorf("writing the index: %w", err))
		}
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.record(path, outcome{effect: written, indexed: indexed, put: true, hash: p.file.Hash})
	u.describe(path, p.Description)
	u.d.mu.Lock()
	defer u.d.mu.Unlock()
	u.d.cacheText(p)
}

// recordUnchanged records that the indexed version of a document is the current one. It returns false if the update has written
// another version.
func (u *update) recordUnchanged(path string, p page) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.outcomes[path].put {
		return false
	}
	u.record(path, outcome{effect: unchanged, indexed: true})
	u.describe(path, p.Description)
	return true
}

// skipReason returns the Skipped.Reason for an error of makePage.
func skipReason(err error) string {
	if errors.Is(err, errTooLarge) {
		return reasonLarge
	}
	return document.Reason(err)
}

// begin opens the writer of the index at the first change.
func (u *update) begin(ctx context.Context) (index.Writer, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.writer != nil {
		return u.writer, nil
	}
	w, err := u.d.index.Begin(ctx, index.WriteOptions{})
	if err == nil {
		u.writer = w
	}
	return u.writer, err
}

// remove records that commit removes a document, if the index has it or the update has written it. The caller holds mu.
func (u *update) remove(path string, indexed bool) {
	if !u.exists(path, indexed) {
		return
	}
	if !indexed {
		u.fresh--
	}
	u.record(path, outcome{effect: removed, indexed: indexed})
}

// commit makes the changes visible.
func (u *update) commit(ctx context.Context) error {
	var changes, removals []string
	for path, o := range u.outcomes {
		if o.effect != unchanged {
			changes = append(changes, path)
		}
		if o.effect == removed {
			removals = append(removals, path)
		}
	}
	if len(removals) > 0 {
		w, err := u.begin(ctx)
		if err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
		if err := w.Remove(ctx, removals...); err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
	}
	if u.writer != nil {
		if err := u.writer.Commit(ctx); err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
	}
	u.changed = changes
	d := u.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commits++
	if u.complete {
		maps.DeleteFunc(d.descriptions, func(path string, _ plugin.Description) bool { return !u.seen[path] })
	}
	for path, description := range u.described {
		d.descriptions[path] = description
	}
	for _, path := range removals {
		delete(d.descriptions, path)
	}
	if len(changes) > 0 {
		d.texts.DeleteFunc(func(t textKey, _ []byte) bool {
			o, ok := u.outcomes[t.path]
			return ok && o.effect != unchanged && (o.effect == removed || o.hash != t.hash)
		})
	}
	return nil
}

// finish records the outcome and notifies the listeners.
func (u *update) finish(o plugin.RefreshOptions, err error) {
	d := u.d
	d.mu.Lock()
	s := &d.state
	s.running--
	s.done, s.total = 0, 0
	if u.complete {
		s.skipped = u.skipped
	} else {
		s.skipped = s.skipped.with(u.changed, &u.skipped)
	}
	switch {
	case errors.Is(err, index.ErrClosed):
	case errors.Is(err, index.ErrWriting):
		s.failed, s.problem = nil, "another process updates this index"
	case o.Path != "" && !u.complete: // says nothing about the other documents
	case err != nil && security.CodeOf(err) != security.FileNotFound: // a path without a document is no failure of the update
		s.failed = err
	default:
		s.failed, s.problem, s.checked = nil, "", u.began
		if u.complete {
			s.listed = u.began
		}
		if u.unread > 0 {
			s.problem = fmt.Sprintf("%d documents could not be read: %s", u.unread, truncate.Line(u.lastRead.Error(), 200))
		}
	}
	d.mu.Unlock()
	d.listeners.Notify(u.changed)
}
