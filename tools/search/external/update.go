package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
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
	// updateTimeout limits one update.
	updateTimeout = time.Hour
	// maxFailures is the number of consecutive failed reads that end an update: the source is then unreachable.
	maxFailures = 10
	// maxChangePages limits the calls of ChangeSource.Changes in one update.
	maxChangePages = 10_000
)

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
	ctx, cancel := context.WithTimeout(d.ctx, updateTimeout)
	defer cancel()
	u := &update{d: d, full: o.Full, began: time.Now(), seen: make(map[string]bool)}
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
	known         map[string]index.Known // indexed documents by path; nil: query the index for each document
	seen          map[string]bool        // paths of listed documents
	skippedBefore map[string]skip        // of earlier updates; not modified

	mu        sync.Mutex // guards the fields below
	writer    index.Writer
	report    plugin.Report
	skipped   skipped
	changed   []string // changed and removed paths
	removed   map[string]bool
	described map[string]plugin.Description
	failures  int   // consecutive failed reads
	unread    int   // documents that could not be read
	failed    error // first error of the index, or that of an unreachable source
	lastRead  error // last error of a read
}

// run performs the update and commits it.
func (u *update) run(ctx context.Context, o plugin.RefreshOptions) error {
	defer func() {
		if u.writer != nil {
			u.writer.Abort()
		}
	}()
	err := u.collect(ctx, o)
	if u.failed != nil {
		err = errors.Join(u.failed, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// Documents that were read before a failure of the source are kept.
	if committed := u.commit(ctx); committed != nil {
		return committed
	}
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
			if d.cursor = cursor; u.unread > 0 {
				d.cursor = "" // the next list retries the documents
			}
			return nil
		}
		d.cursor = ""
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
	err := u.fetchAll(ctx, func(fetch func(plugin.Document) bool) (err error) {
		defer d.catchPanic("List", &err)
		for doc, err := range d.source.List(ctx) {
			if err != nil {
				return fmt.Errorf("listing the documents: %w", err)
			}
			if u.admit(doc) && !fetch(doc) {
				break
			}
		}
		return nil
	})
	if err != nil || ctx.Err() != nil || u.failed != nil {
		u.complete = false
		return err
	}
	for path := range u.known {
		if !u.seen[path] {
			u.remove(path)
		}
	}
	if d.cursor = cursor; u.unread > 0 {
		d.cursor = ""
	}
	return nil
}

// applyChanges reads the changes after a cursor and returns the next cursor.
func (u *update) applyChanges(ctx context.Context, cursor string) (string, error) {
	d := u.d
	for range maxChangePages {
		changes, err := d.listChanges(ctx, cursor)
		if err != nil {
			return "", err
		}
		for _, id := range changes.Removed {
			if path := d.Path(id); checkID(id) == nil {
				if _, ok := u.lookup(ctx, path); ok {
					u.remove(path)
				}
			}
		}
		u.seen = make(map[string]bool) // a document can change on several pages
		err = u.fetchAll(ctx, func(fetch func(plugin.Document) bool) error {
			for _, doc := range changes.Changed {
				if u.admit(doc) && !fetch(doc) {
					break
				}
			}
			return nil
		})
		if err != nil || u.failed != nil {
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

// listChanges calls ChangeSource.Changes within the timeout.
func (d *Documents) listChanges(ctx context.Context, cursor string) (c plugin.Changes, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	defer d.catchPanic("Changes", &err)
	return d.changes.Changes(ctx, cursor)
}

// refreshPath updates one document. A path that is not indexed can be that of a new document or of a directory: the source is
// listed then, because only listed documents are indexed.
func (u *update) refreshPath(ctx context.Context, path string) error {
	d := u.d
	known, indexed := u.lookup(ctx, path)
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
		u.remove(path)
	default:
		return err
	}
	return nil
}

// lookup returns the indexed version of a document.
func (u *update) lookup(ctx context.Context, path string) (index.Known, bool) {
	if u.known != nil {
		k, ok := u.known[path]
		return k, ok
	}
	k, ok, err := u.d.index.Lookup(ctx, path)
	return k, ok && err == nil
}

// admit reports whether a listed document must be read.
func (u *update) admit(doc plugin.Document) bool {
	d := u.d
	u.mu.Lock()
	defer u.mu.Unlock()
	if checkID(doc.ID) != nil {
		u.skipped.add(truncate.Quote(doc.ID, 100), skip{reason: reasonID})
		return false
	}
	path := d.Path(doc.ID)
	known, indexed := u.lookup(d.ctx, path)
	switch {
	case u.seen[path]:
		u.skipped.add(path, skip{reason: reasonRepeated})
		return false
	case u.known != nil && len(u.seen) >= d.maxDocuments, u.known == nil && !indexed && u.indexed() >= d.maxDocuments:
		u.skipped.add(path, skip{reason: reasonMany})
		return false
	}
	u.seen[path] = true
	if u.full {
		return true
	}
	now := stamp(doc)
	if before, ok := u.skippedBefore[path]; ok && now != "" && before.stamp == now {
		u.skipped.add(path, before)
		return false
	}
	if indexed && d.isCurrent(known, doc) {
		u.report.Unchanged++
		u.describe(path, describe(doc))
		return false
	}
	return true
}

// indexed returns the number of indexed documents after the update. The caller holds mu.
func (u *update) indexed() int {
	stats, _ := u.d.index.Stats(u.d.ctx)
	return stats.Files + u.report.Added - u.report.Removed
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

// fetchAll reads the documents that list passes to fetch, with several workers. fetch returns false if the update has failed.
func (u *update) fetchAll(ctx context.Context, list func(fetch func(plugin.Document) bool) error) error {
	next := make(chan plugin.Document)
	var workers group.Group
	for range u.d.workers {
		workers.Go(func() {
			for doc := range next {
				u.fetch(ctx, doc)
			}
		})
	}
	total := 0
	err := list(func(doc plugin.Document) bool {
		if u.hasFailed() || ctx.Err() != nil {
			return false
		}
		total++
		u.d.progress(0, total)
		next <- doc
		return true
	})
	close(next)
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
	path := d.Path(listed.ID)
	known, indexed := u.lookup(ctx, path)
	doc := listed
	if doc.Text == "" {
		var err error
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
	if errors.Is(err, fs.ErrNotExist) {
		if indexed {
			u.remove(path)
		}
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
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
		if indexed {
			u.remove(path)
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		u.skipped.add(path, skip{skipReason(err), stamp(doc)})
		return
	}
	if f := p.file; indexed && !u.full && !u.isRemoved(path) && f.Hash == known.Hash && f.Version == known.Version && f.ModTime.Equal(known.ModTime) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.report.Unchanged++
		u.describe(path, p.Description)
		return
	}
	w, err := u.begin(ctx)
	if err == nil {
		err = w.Put(ctx, p.file)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case err != nil:
		if u.failed == nil && ctx.Err() == nil {
			u.failed = fmt.Errorf("writing the index: %w", err)
		}
		return
	case u.removed[path]: // a removal before it in the changes
		delete(u.removed, path)
		u.report.Removed--
		u.report.Updated++
	case indexed:
		u.report.Updated++
	default:
		u.report.Added++
	}
	u.changed = append(u.changed, path)
	u.describe(path, p.Description)
	u.d.mu.Lock()
	defer u.d.mu.Unlock()
	u.d.texts.Put(path, cachedText{p.file.Text, p.modified}, len(p.file.Text)+len(path))
}

func (u *update) isRemoved(path string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.removed[path]
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

// remove records an indexed document that is removed by commit.
func (u *update) remove(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.removed[path] {
		return
	}
	if u.removed == nil {
		u.removed = make(map[string]bool)
	}
	u.removed[path] = true
	u.changed = append(u.changed, path)
	u.report.Removed++
}

// commit makes the changes visible.
func (u *update) commit(ctx context.Context) error {
	if len(u.removed) > 0 {
		w, err := u.begin(ctx)
		if err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
		if err := w.Remove(ctx, slices.Collect(maps.Keys(u.removed))...); err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
	}
	if u.writer != nil {
		if err := u.writer.Commit(ctx); err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
	}
	d := u.d
	d.mu.Lock()
	if u.complete {
		maps.DeleteFunc(d.descriptions, func(path string, _ plugin.Description) bool { return !u.seen[path] })
	}
	for path, description := range u.described {
		d.descriptions[path] = description
	}
	for path := range u.removed {
		delete(d.descriptions, path)
		d.texts.Delete(path)
	}
	d.mu.Unlock()
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
	d.notify(u.changed)
}
