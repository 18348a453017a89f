package editor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
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
	// silence is the time for which an editor that did not answer is not asked again.
	silence = 3 * time.Second
)

// buffers reads and writes the open documents of all editors. It is the one implementation behind the edits of this package and
// behind the reads and writes of all tools through security.Root; it implements security.Documents.
type buffers struct {
	adapters []adapter.Adapter
	timeout  time.Duration // of queries
	editing  time.Duration // timeout of changes
	log      *slog.Logger

	mu     sync.Mutex
	asked  map[adapter.Adapter]bool // adapters that were asked once although they were not running
	silent map[adapter.Adapter]noAnswer
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
	return &buffers{adapters: adapters, timeout: min(timeout, buffersTimeout), editing: min(timeout, editTimeout), log: log, asked: make(map[adapter.Adapter]bool), silent: make(map[adapter.Adapter]noAnswer)}
}

// ask queries one editor. An editor that has not answered lately is not asked.
func askBuffers[T any](ctx context.Context, b *buffers, a adapter.Adapter, question func(ctx context.Context) (T, error)) (answer T, err error) {
	b.mu.Lock()
	last, known := b.silent[a]
	b.mu.Unlock()
	if known && time.Now().Before(last.until) {
		return answer, last.err
	}
	answer, err = callAdapter(ctx, a, b.timeout, question)
	if isUnsupported(err) {
		return answer, err
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%s does not answer, so its unsaved text is not known", a.Name())
		b.mu.Lock()
		b.silent[a] = noAnswer{time.Now().Add(silence), err}
		b.mu.Unlock()
	} else if known {
		b.mu.Lock()
		delete(b.silent, a)
		b.mu.Unlock()
	}
	return answer, err
}

// running reports whether to ask an editor. An editor that is not running is asked once, so that an editor is found that the adapter
// has not looked for yet.
func (b *buffers) running(a adapter.Adapter, s adapter.State) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.asked[a]
	b.asked[a] = true
	return s.Running || first
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
		if !ok || !b.running(a, a.State()) {
			continue
		}
		asking.Go(func() {
			answers[i].err = errors.New(a.Name() + " failed")
			answers[i].paths, answers[i].err = askBuffers(ctx, b, a, can.Unsaved)
		})
	}
	asking.Wait()
	var found []security.UnsavedDocument
	var err error
	for i, one := range answers {
		if one.err != nil && !isUnsupported(one.err) {
			err = one.err
			b.log.Warn("an editor did not list its unsaved documents", "editor", b.adapters[i].Name(), "error", one.err)
		}
		s := b.adapters[i].State()
		for _, path := range one.paths {
			if coversPath(s, path) {
				found = append(found, security.UnsavedDocument{Path: path, Program: b.adapters[i].Name()})
			}
		}
	}
	return found, err
}

// coversPath is covers for a path as an editor names it.
func coversPath(s adapter.State, path string) bool {
	real := path
	if resolved, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		real = filepath.Join(resolved, filepath.Base(path))
	}
	return covers(s, projectFile{abs: real, unresolved: path})
}

// find returns the buffers of a file: those with unsaved text first, else in the order of the adapters. The error is that of an
// editor that did not answer; it comes with the buffers of the other editors.
func (b *buffers) find(ctx context.Context, p projectFile) (found []openBuffer, err error) {
	clean := 0
	for _, a := range b.adapters {
		can, ok := a.(adapter.Buffers)
		if !ok {
			continue
		}
		if s := a.State(); !b.running(a, s) || s.Running && !covers(s, p) {
			continue
		}
		var open bool
		doc, e := askBuffers(ctx, b, a, func(ctx context.Context) (doc adapter.Document, err error) {
			doc, open, err = can.Document(ctx, p.abs)
			return doc, err
		})
		switch {
		case isUnsupported(e):
		case e != nil:
			b.log.Warn("an editor did not return its open document", "editor", a.Name(), "file", p.abs, "error", e)
			err = e
		case open && doc.Dirty:
			found = append(found[:len(found)-clean:len(found)-clean], append([]openBuffer{{buffer{a, can, doc.Version, true}, doc}}, found[len(found)-clean:]...)...)
		case open:
			found, clean = append(found, openBuffer{buffer{a, can, doc.Version, false}, doc}), clean+1
		}
	}
	return found, err
}

// conflict returns an error if two editors have different unsaved texts of a file.
func conflict(path string, found []openBuffer) error {
	for _, other := range found[min(1, len(found)):] {
		if other.dirty && found[0].dirty && other.doc.Text != found[0].doc.Text {
			return &security.Error{Code: security.FileBusy, AttemptedPath: path, Next: "Ask the user to save or discard one of them, and call again.",
				Message: fmt.Sprintf("%s has different unsaved texts in %s and %s.", quote(path), found[0].Name(), other.Name())}
		}
	}
	return nil
}

// Open implements security.Documents. It returns the document with unsaved text if there is one.
func (b *buffers) Open(ctx context.Context, name string) (security.Document, bool, error) {
	found, err := b.find(ctx, projectFile{path: name, abs: name, unresolved: name})
	if len(found) == 0 {
		return security.Document{}, false, err
	}
	first := found[0]
	if err != nil && !first.dirty {
		return security.Document{}, false, err // the other editor may have unsaved text
	}
	if text, err := textfile.Decode([]byte(first.doc.Text), textfile.UTF8); first.dirty && (err != nil || text.BOM) {
		return security.Document{}, false, fmt.Errorf("what %s has open is not text", first.Name())
	}
	return security.Document{Path: name, Program: first.Name(), Text: first.doc.Text, Unsaved: first.dirty, Ref: found}, true, nil
}

// Replace implements security.Documents.
func (b *buffers) Replace(ctx context.Context, doc security.Document, before, after []byte) (text string, saved, made bool, err error) {
	found, ok := doc.Ref.([]openBuffer)
	if !ok {
		return "", false, false, errors.New("the document is of another program")
	}
	if err := conflict(doc.Path, found); err != nil {
		return "", false, false, err
	}
	from, to, ok := replaceable(found, before, after)
	switch {
	case !ok && doc.Unsaved:
		return "", false, false, &security.Error{Code: security.FileBusy, AttemptedPath: doc.Path, Next: "Write text in UTF-8, or ask the user to save or discard the unsaved text.",
			Message: fmt.Sprintf("%s has unsaved text in %s, which can be replaced by other text in UTF-8 only.", quote(doc.Path), doc.Program)}
	case !ok:
		return "", false, false, nil
	}
	in := found[from].buffer
	now, err := b.edit(ctx, in, doc.Path, found[from].doc.Text, to)
	if err != nil {
		return "", false, false, err
	}
	return now.Text, !now.Dirty, true, nil
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
func (b *buffers) edit(ctx context.Context, in buffer, path, from, to string) (adapter.Document, error) {
	edits := textEdits(from, minimalEdits(from, to))
	now, err := callAdapter(ctx, in, b.editing, func(ctx context.Context) (adapter.Document, error) {
		return in.Edit(ctx, path, in.version, edits, !in.dirty)
	})
	if err == nil && now.Text == to && (in.dirty || !now.Dirty) {
		return now, nil
	}
	present, open, asked := b.document(ctx, in, path)
	switch {
	case asked == nil && open && present.Text == to:
		return present, nil
	case err == nil && asked == nil && open:
		return present, nil // the editor has changed more, for example formatted the text
	case errors.Is(err, adapter.ErrStale), asked == nil && open && present.Text != from:
		return now, &security.Error{Code: security.StaleFile, AttemptedPath: path, Message: quote(path) + " has changed in " + in.Name() + " meanwhile.",
			Next: "Read it again, and base the change on its present content.", Err: err}
	case asked == nil && open && errors.Is(err, context.DeadlineExceeded):
		return now, problem(codeNotRunning, "Read the file to see whether the change was made.", "%s has not confirmed the change of %s in time, and may still make it", in.Name(), quote(path))
	case asked == nil && open:
		return now, failed(string(security.InternalError), "changing "+quote(path), err)
	}
	if err == nil {
		err = asked
	}
	return now, problem(codeNotRunning, "Read the file to see whether the change was made.", "%s no longer has %s open, so the outcome of the change is not known: %v", in.Name(), quote(path), err)
}

// document queries an editor for a document that was open.
func (b *buffers) document(ctx context.Context, in buffer, path string) (doc adapter.Document, open bool, err error) {
	doc, err = callAdapter(ctx, in, b.timeout, func(ctx context.Context) (doc adapter.Document, err error) {
		doc, open, err = in.Document(ctx, path)
		return doc, err
	})
	return doc, open && err == nil, err
}
