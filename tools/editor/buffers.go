package editor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// buffer is an open document of an editor.
type buffer struct {
	adapter.Adapter
	adapter.Buffers
	version int  // version in the editor; an edit of another version is refused
	dirty   bool // unsaved changes
}

// openBuffer is a buffer with its text.
type openBuffer struct {
	buffer
	doc adapter.Document
}

const (
	// buffersTimeout limits the queries of all editors about their documents in a read or write of a file.
	buffersTimeout = 2 * time.Second
	// editTimeout limits a change of a document. Editors run formatters and other programs when they save.
	editTimeout = 20 * time.Second
	// retryDelay is the time for which an editor that did not answer is not asked again. It is also the least time between two
	// log entries about failures of an editor.
	retryDelay = 3 * time.Second
	// maxUnsavedPaths is the number of documents with unsaved text that are used of one editor. A security.Root examines fewer, and
	// queries further documents one by one.
	maxUnsavedPaths = 2001
)

// buffers reads and writes the open documents of all editors. It is the one implementation behind the edits of this package and
// behind the reads and writes of all tools through security.Root; it implements security.Documents.
type buffers struct {
	adapters []adapter.Adapter
	timeout  time.Duration // of queries
	editing  time.Duration // timeout of changes
	log      *slog.Logger

	mu     sync.Mutex
	silent map[adapter.Adapter]noAnswer
	logged map[adapter.Adapter]time.Time // of the last log entry about a failure
}

// noAnswer is the last failure of an editor to answer in time.
type noAnswer struct {
	until time.Time
	err   error
}

// Attach makes the tools that use root read and write the open documents of editors until detach is called. It is for programs
// without the tools of this package: New does the same. The caller closes the adapters afterwards. log may be nil.
func Attach(root *security.Root, log *slog.Logger, adapters ...adapter.Adapter) (detach func()) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return root.Attach(newBuffers(adapters, editTimeout, log))
}

func newBuffers(adapters []adapter.Adapter, timeout time.Duration, log *slog.Logger) *buffers {
	return &buffers{
		adapters: adapters,
		timeout:  min(timeout, buffersTimeout),
		editing:  min(timeout, editTimeout),
		log:      log,
		silent:   make(map[adapter.Adapter]noAnswer),
		logged:   make(map[adapter.Adapter]time.Time),
	}
}

// askBuffers queries one editor. An editor that has not answered lately is not asked.
func askBuffers[T any](ctx context.Context, b *buffers, a adapter.Adapter, question func(ctx context.Context) (T, error)) (answer T, err error) {
	b.mu.Lock()
	last, known := b.silent[a]
	b.mu.Unlock()
	if known && time.Now().Before(last.until) {
		return answer, last.err
	}
	answer, err = callAdapter(ctx, a, b.timeout, question)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil, isUnsupported(err):
		delete(b.silent, a)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		err = fmt.Errorf("%s did not answer within %v", a.Name(), b.timeout)
		b.silent[a] = noAnswer{time.Now().Add(retryDelay), err}
	}
	return answer, err
}

// logFailure logs that an editor did not return its documents, at most once in retryDelay.
func (b *buffers) logFailure(a adapter.Adapter, err error) {
	if errors.Is(err, context.Canceled) { // the call has ended, and not the editor
		return
	}
	b.mu.Lock()
	now := time.Now()
	skip := now.Sub(b.logged[a]) < retryDelay
	if !skip {
		b.logged[a] = now
	}
	b.mu.Unlock()
	if !skip {
		b.log.Warn("an editor did not return its documents", "editor", a.Name(), "error", err)
	}
}

// joinFailures returns one error for two, either of which may be nil.
func joinFailures(err, other error) error {
	switch {
	case err == nil:
		return other
	case other == nil:
		return err
	}
	return fmt.Errorf("%w; %w", err, other)
}

// Unsaved implements security.Documents.
func (b *buffers) Unsaved(ctx context.Context) ([]security.UnsavedDocument, error) {
	type answer struct {
		paths []string
		err   error
	}
	answers := make([]answer, len(b.adapters))
	var asking group.Group
	for i, a := range b.adapters {
		can, ok := a.(adapter.Buffers)
		if !ok {
			continue
		}
		asking.Go(func() { answers[i].paths, answers[i].err = askBuffers(ctx, b, a, can.Unsaved) })
	}
	asking.Wait()
	var found []security.UnsavedDocument
	var err error
	for i, one := range answers {
		a := b.adapters[i]
		if one.err != nil && !isUnsupported(one.err) {
			b.logFailure(a, one.err)
			err = joinFailures(err, one.err)
		}
		if len(one.paths) > maxUnsavedPaths {
			err = joinFailures(err, fmt.Errorf("%s has more than %d documents with unsaved text", a.Name(), maxUnsavedPaths))
			one.paths = one.paths[:maxUnsavedPaths]
		}
		for _, path := range one.paths {
			found = append(found, security.UnsavedDocument{Path: path, Program: a.Name()})
		}
	}
	return found, err
}

// find returns the buffers of a file: those with unsaved text first, else in the order of the adapters. The error is that of the
// editors that did not answer; it comes with the buffers of the other editors.
func (b *buffers) find(ctx context.Context, p projectFile) (found []openBuffer, err error) {
	type answer struct {
		doc  adapter.Document
		open bool
	}
	answers, failures := make([]answer, len(b.adapters)), make([]error, len(b.adapters))
	var asking group.Group
	for i, a := range b.adapters {
		can, ok := a.(adapter.Buffers)
		if !ok {
			continue
		}
		asking.Go(func() {
			answers[i], failures[i] = askBuffers(ctx, b, a, func(ctx context.Context) (one answer, err error) {
				one.doc, one.open, err = can.Document(ctx, p.abs)
				return one, err
			})
		})
	}
	asking.Wait()
	var dirty, clean []openBuffer
	for i, one := range answers {
		a := b.adapters[i]
		can, _ := a.(adapter.Buffers)
		if e := failures[i]; e != nil && !isUnsupported(e) {
			b.logFailure(a, e)
			err = joinFailures(err, e)
		}
		switch {
		case one.open && one.doc.Dirty: // also of an editor of which a part does not answer
			dirty = append(dirty, openBuffer{buffer{a, can, one.doc.Version, true}, one.doc})
		case one.open && (failures[i] == nil || isUnsupported(failures[i])):
			clean = append(clean, openBuffer{buffer{a, can, one.doc.Version, false}, one.doc})
		}
	}
	return append(dirty, clean...), err
}

// conflict returns an error if two editors have different unsaved texts of a file. For a write it also returns an error if they
// have the same text, because a change would reach one of them only.
func conflict(path string, found []openBuffer, write bool) error {
	for _, other := range found[min(1, len(found)):] {
		first, text := found[0], ""
		switch same := other.doc.Text == first.doc.Text; {
		case !first.dirty || !other.dirty:
			continue
		case !same:
			text = fmt.Sprintf("%s has different unsaved texts in %s and %s.", quote(path), first.Name(), other.Name())
		case write:
			text = fmt.Sprintf("%s has unsaved text in %s and in %s, and a change reaches one of them only.", quote(path), first.Name(), other.Name())
		default:
			continue
		}
		return &security.Error{Code: security.FileBusy, AttemptedPath: path, Message: text,
			Next: "Ask the user to save or discard one of them, and call again."}
	}
	return nil
}

// Open implements security.Documents. It returns the document with unsaved text if there is one, together with the error if
// another editor may have other unsaved text.
func (b *buffers) Open(ctx context.Context, name string) (security.Document, bool, error) {
	found, err := b.find(ctx, projectFile{path: name, abs: name, unresolved: name})
	if len(found) == 0 || err != nil && !found[0].dirty {
		return security.Document{}, false, err
	}
	first := found[0]
	if text, e := textfile.Decode([]byte(first.doc.Text), textfile.UTF8); first.dirty && (e != nil || text.BOM) {
		return security.Document{}, false, &security.Error{Code: security.FileBusy, AttemptedPath: name, Next: "Ask the user to save or close it.", Err: e,
			Message: fmt.Sprintf("%s is open in %s with content that is not UTF-8 text.", quote(name), first.Name())}
	}
	if err == nil {
		err = conflict(name, found, false)
	}
	return security.Document{Path: name, Program: first.Name(), Text: first.doc.Text, Unsaved: first.dirty, Ref: found}, true, err
}

// Replace implements security.Documents.
func (b *buffers) Replace(ctx context.Context, doc security.Document, before, after []byte) (done security.Replaced, made bool, err error) {
	found, ok := doc.Ref.([]openBuffer)
	if !ok {
		return done, false, errors.New("the document was opened by another source; read the file again")
	}
	if err := conflict(doc.Path, found, true); err != nil {
		return done, false, err
	}
	from, to, ok := replaceable(found, before, after)
	switch {
	case !ok && doc.Unsaved:
		return done, false, &security.Error{Code: security.FileBusy, AttemptedPath: doc.Path, Next: "Write text in UTF-8, or ask the user to save or discard the unsaved text.",
			Message: fmt.Sprintf("%s has unsaved text in %s, which can be replaced by other text in UTF-8 only.", quote(doc.Path), doc.Program)}
	case !ok:
		return done, false, nil
	}
	result, err := b.edit(ctx, found[from].buffer, doc.Path, found[from].doc.Text, to)
	if err != nil {
		return done, false, err
	}
	return security.Replaced{Saved: !result.Dirty, Text: result.Text, SaveError: result.SaveError}, true, nil
}

// replaceable returns the index of the buffer that has the content before, and the text of the content after. ok is false if no
// buffer has the content, or if it cannot hold the new one.
func replaceable(found []openBuffer, before, after []byte) (index int, to string, ok bool) {
	encoding := textfile.Auto
	if found[0].dirty {
		encoding = textfile.UTF8
	}
	old, err := textfile.Decode(before, encoding)
	if err != nil {
		return 0, "", false
	}
	text, err := textfile.Decode(after, old.Encoding)
	if err != nil || text.BOM != old.BOM {
		return 0, "", false
	}
	for i, one := range found {
		if one.doc.Text == old.Content && one.dirty == found[0].dirty {
			return i, text.Content, true
		}
	}
	return 0, "", false
}

// edit replaces the text of a buffer and returns the document afterwards. A buffer without unsaved text is saved. An editor can
// report an error after it made the change, so that only the document shows the outcome.
func (b *buffers) edit(ctx context.Context, target buffer, path, from, to string) (adapter.Document, error) {
	edits := textEdits(from, minimalEdits(from, to))
	result, err := callAdapter(ctx, target, b.editing, func(ctx context.Context) (adapter.Document, error) {
		return target.Edit(ctx, path, target.version, edits, !target.dirty)
	})
	if err == nil && result.Text == to && (target.dirty || !result.Dirty) {
		return result, nil
	}
	present, open, queryErr := b.document(context.WithoutCancel(ctx), target, path) // an ended call may have made the change
	known := queryErr == nil && open
	present.SaveError = result.SaveError
	const look = "Read the file to see whether the change was made."
	switch {
	case known && present.Text == to:
		return present, nil
	case known && err == nil && present.Text == from:
		return result, problem(string(security.InternalError), "Read the file again, and repeat the change.",
			"%s did not change %s", target.Name(), quote(path))
	case known && err == nil:
		return present, nil // the editor has changed more, for example formatted the text
	case errors.Is(err, adapter.ErrStale), known && present.Text != from:
		return result, &security.Error{Code: security.StaleFile, AttemptedPath: path, Message: quote(path) + " has changed in " + target.Name() + " meanwhile.",
			Next: "Read it again, and base the change on its present content.", Err: err}
	case known && (errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil):
		return result, problem(codeNotRunning, look,
			"%s has not confirmed the change of %s in time, and may still make it", target.Name(), quote(path))
	case known:
		return result, failed(string(security.InternalError), "changing "+quote(path), err)
	case queryErr != nil:
		return result, problem(codeNotRunning, look,
			"%s did not confirm the change of %s: %v", target.Name(), quote(path), joinFailures(err, queryErr))
	}
	return result, problem(codeNotRunning, look, "%s no longer has %s open, so the outcome of the change is not known", target.Name(), quote(path))
}

// document queries an editor for a document that was open.
func (b *buffers) document(ctx context.Context, target buffer, path string) (doc adapter.Document, open bool, err error) {
	doc, err = callAdapter(ctx, target, b.timeout, func(ctx context.Context) (doc adapter.Document, err error) {
		doc, open, err = target.Document(ctx, path)
		return doc, err
	})
	return doc, open && err == nil, err
}
