// Package buffer is the common part of adapters for editors with buffers: Documents reads and edits the buffers of all editors of one
// kind, Choices remembers where a document was read, and Point and View are positions and views in an editor's words.
package buffer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

const (
	answerTime   = 1500 * time.Millisecond // limit of a query of a session about its documents
	silencePause = 3 * time.Second         // before the next query of a session that has not answered
)

// The bounds of texts from an editor, in bytes.
const (
	maxLanguage = 64
	maxTrouble  = 500
)

// Session is a connection to one editor, which describes its buffers by a D.
type Session[D Described] interface {
	comparable
	// Document returns the buffer of a file, checked; open is false if there is none.
	Document(ctx context.Context, path string) (d D, open bool, err error)
	// Unsaved returns the paths of the buffers with unsaved changes.
	Unsaved(ctx context.Context) ([]string, error)
	// Change makes another text of a buffer that is still as before describes it, and returns the buffer as it is then, checked.
	Change(ctx context.Context, path string, before D, text string, save bool) (D, error)
	// Process returns the id of the editor's process, or 0 if it is not known.
	Process() int
}

// Described is a buffer in the words of one kind of editor.
type Described interface{ Describe() Buffer }

// Buffer is the text of a file as an editor has it.
type Buffer struct {
	ID       any    // of the buffer in its editor; comparable
	Tick     int    // the version, from 1
	Text     string // with the line ends of the file
	Ending   string // of its lines
	Dirty    bool
	Editable bool
	Language string
	Trouble  string // why the editor has not saved it
}

// Check refuses a buffer that an editor cannot have. A text that is not UTF-8 is adapter.ErrUnsupported.
func (b Buffer) Check() error {
	switch {
	case b.Tick < 1 || !slices.Contains([]string{"\n", "\r\n", "\r"}, b.Ending):
		return errors.New("the editor returns a document without a version or line ends")
	case !utf8.ValidString(b.Text):
		return fmt.Errorf("its text is not UTF-8: %w", adapter.ErrUnsupported)
	}
	return nil
}

func (b Buffer) document(path string) adapter.Document {
	return adapter.Document{Path: path, Text: b.Text, Version: b.Tick, Dirty: b.Dirty, Language: truncate.Line(b.Language, maxLanguage)}
}

// Documents reads and edits the buffers of all editors of one kind. Its methods may be called concurrently.
type Documents[S Session[D], D Described] struct {
	editor string
	log    *slog.Logger
	chosen *Choices[choice[S]]
	// mayHave reports whether a session that does not answer may have files of the project open.
	mayHave func(S) bool

	mu     sync.Mutex
	silent map[S]silence // sessions that have not answered in time
}

// silence is the last failure of a session to answer in time.
type silence struct {
	until time.Time // the session is not asked again before
	err   error
}

// choice is the buffer that a document was read from.
type choice[S comparable] struct {
	session S
	buffer  any
}

// NewDocuments makes Documents of a kind of editors, whose name errors and the log say. mayHave reports whether a session may have
// files of the project open: errors of other sessions are not returned. nil means that each session may have them.
func NewDocuments[S Session[D], D Described](editor string, log *slog.Logger, mayHave func(S) bool) *Documents[S, D] {
	if mayHave == nil {
		mayHave = func(S) bool { return true }
	}
	return &Documents[S, D]{editor: editor, log: log, chosen: NewChoices[choice[S]](), mayHave: mayHave, silent: make(map[S]silence)}
}

// answer is the result of a query of a session.
type answer[T any] struct {
	value T
	err   error
}

// askAll queries sessions at the same time, each for at most answerTime and three quarters of the time that ctx leaves. A session that
// has not answered in time is not asked again for silencePause.
func askAll[T any, S Session[D], D Described](ctx context.Context, d *Documents[S, D], sessions []S, query func(ctx context.Context, s S) (T, error)) []answer[T] {
	limit := answerTime
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)*3/4)
	}
	answers := make([]answer[T], len(sessions))
	var asking group.Group
	for i, s := range sessions {
		d.mu.Lock()
		last, known := d.silent[s]
		d.mu.Unlock()
		if known && time.Now().Before(last.until) {
			answers[i].err = last.err
			continue
		}
		asking.Go(func() {
			within, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			answers[i].value, answers[i].err = query(within, s)
			late := answers[i].err != nil && within.Err() != nil && ctx.Err() == nil
			if late && errors.Is(answers[i].err, context.DeadlineExceeded) {
				answers[i].err = presence.NoAnswer(d.editor, s.Process())
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if delete(d.silent, s); late {
				d.silent[s] = silence{time.Now().Add(silencePause), answers[i].err}
			}
		})
	}
	asking.Wait()
	return answers
}

// Read returns the document of a file from the first of the sessions that has an editable buffer of it, or from one whose buffer has
// changes, even if their text is not UTF-8. open is false if no session has one. A failure of another session comes with the document, because that session may have
// other unsaved text. An error of package security, without a document, means that two sessions have different unsaved texts.
func (d *Documents[S, D]) Read(ctx context.Context, path string, sessions []S) (doc adapter.Document, open bool, err error) {
	var found *Buffer
	var in S
	var ended error
	for i, a := range askAll(ctx, d, sessions, func(ctx context.Context, s S) (*Buffer, error) {
		described, has, err := s.Document(ctx, path)
		if !has {
			return nil, err
		}
		b := described.Describe()
		if err != nil && !(b.Dirty && errors.Is(err, adapter.ErrUnsupported)) {
			return nil, err
		}
		return &b, nil // callers refuse a text that is not UTF-8
	}) {
		s, b := sessions[i], a.value
		switch {
		case a.err == nil:
		case errors.Is(a.err, adapter.ErrNotRunning):
			ended = d.readError(path, a.err)
		case d.mayHave(s):
			err = d.readError(path, a.err)
		}
		if b == nil {
			continue
		}
		if found != nil && found.Dirty && b.Dirty && found.Text != b.Text {
			return doc, false, &security.Error{Code: security.FileBusy, AttemptedPath: path, Next: "Ask the user to save or discard one of them, and call again.",
				Message: "Two of the running " + d.editor + " have different unsaved texts of " + path + "."}
		}
		if (b.Dirty || b.Editable && found == nil) && (found == nil || !found.Dirty) {
			found, in = b, s
		}
	}
	if found == nil && err == nil {
		return doc, false, ended
	}
	if found == nil {
		return doc, false, err
	}
	d.chosen.Set(path, choice[S]{in, found.ID})
	return found.document(path), true, err
}

// Unsaved returns the absolute paths of all buffers with unsaved changes. An error of a session is returned with the paths of the
// others; a session that has ended has no buffers.
func (d *Documents[S, D]) Unsaved(ctx context.Context, sessions []S) (paths []string, err error) {
	for i, a := range askAll(ctx, d, sessions, func(ctx context.Context, s S) ([]string, error) { return s.Unsaved(ctx) }) {
		if a.err != nil && !errors.Is(a.err, adapter.ErrNotRunning) && d.mayHave(sessions[i]) {
			err = fmt.Errorf("listing the unsaved documents of %s: %w", d.editor, a.err)
		}
		for _, path := range a.value {
			if presence.IsPath(path) {
				paths = append(paths, filepath.Clean(path))
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}

func (d *Documents[S, D]) readError(path string, err error) error {
	return fmt.Errorf("reading %s in %s: %w", path, d.editor, err)
}

// Edit changes a document that Read has returned, as one step that the user can undo. The result includes changes that the editor
// makes when it saves, for example formatting. A document that could not be saved is returned Dirty, without an error. Another buffer or version than
// the one that was read is adapter.ErrStale.
func (d *Documents[S, D]) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	now, err := d.edit(ctx, path, version, edits, save)
	if err != nil {
		return adapter.Document{}, fmt.Errorf("editing %s in %s: %w", path, d.editor, err)
	}
	if now.Trouble != "" {
		d.log.Warn(d.editor+" has not saved a file", "file", path, "error", truncate.Line(now.Trouble, maxTrouble))
	}
	doc := now.document(path)
	doc.SaveError = truncate.Line(now.Trouble, maxTrouble)
	return doc, nil
}

func (d *Documents[S, D]) edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (now Buffer, err error) {
	c, known := d.chosen.Get(path)
	if !known {
		return now, fmt.Errorf("%w: it must be read first", adapter.ErrStale)
	}
	described, open, err := c.session.Document(ctx, path)
	if err != nil {
		return now, err
	}
	if !open {
		return now, adapter.ErrStale
	}
	before := described.Describe()
	if before.ID != c.buffer || before.Tick != version {
		return now, adapter.ErrStale
	}
	text, err := adapter.Apply(before.Text, edits)
	if err != nil {
		return now, err
	}
	after, err := c.session.Change(ctx, path, described, text, save)
	if err != nil {
		return now, err
	}
	return after.Describe(), nil
}

// Forget forgets the documents that were read in a session that has ended.
func (d *Documents[S, D]) Forget(s S) {
	d.chosen.Forget(func(c choice[S]) bool { return c.session == s })
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.silent, s)
}
