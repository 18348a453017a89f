package vscode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// document is an open document as a window returns it. Version counts from 1.
type document struct {
	Text     string `json:"text"`
	Version  int    `json:"version"`
	Dirty    bool   `json:"dirty"`
	Language string `json:"language"`
}

// languageName matches identifiers of languages. Others are dropped.
var languageName = regexp.MustCompile(`^[\w+#.-]{1,64}$`)

// as converts a document of a file to the type of package adapter.
func (d document) as(path string) (adapter.Document, error) {
	if d.Version < 1 {
		return adapter.Document{}, fmt.Errorf("VS Code returned %s without a version", path)
	}
	doc := adapter.Document{Path: path, Text: d.Text, Version: d.Version, Dirty: d.Dirty}
	if languageName.MatchString(d.Language) {
		doc.Language = d.Language
	}
	return doc, nil
}

// Document returns the document of a file if the file has a tab or unsaved changes in a window. If several windows have it, the
// document with unsaved changes wins. Different unsaved changes in several windows are an error of package security. Without a window for
// the file, the error wraps adapter.ErrNotRunning. The error of a window comes with the document of another window.
func (v *VSCode) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	v.refresh(ctx)
	failure := v.unanswered()
	windows, err := v.having(path)
	if err != nil {
		if v.isPending(path) {
			return adapter.Document{}, false, pendingError(path)
		}
		return adapter.Document{}, false, cmp.Or(failure, err)
	}
	var ended error
	var found *document
	var in *window
	documents, failures := make([]*document, len(windows)), make([]error, len(windows))
	var asking group.Group
	for i, w := range windows {
		asking.Go(func() { documents[i], failures[i] = w.document(ctx, path) })
	}
	asking.Wait()
	for i, w := range windows {
		d, err := documents[i], failures[i]
		switch {
		case errors.Is(err, adapter.ErrNotRunning) && w.hasUnsaved(path):
			failure = pendingError(path)
		case isUnsupported(err):
			ended = fmt.Errorf("reading %s in VS Code: %w", path, err)
		case err != nil:
			failure = fmt.Errorf("reading %s in VS Code: %w", path, err)
		}
		if d != nil && found != nil && d.Dirty && found.Dirty && d.Text != found.Text {
			return adapter.Document{}, false, &security.Error{Code: security.FileBusy, AttemptedPath: path, Next: "Ask the user to save or discard one of them, and call again.",
				Message: "Two windows of VS Code have different unsaved texts of " + path + "."}
		}
		if d != nil && (found == nil || d.Dirty && !found.Dirty) {
			found, in = d, w
		}
	}
	if (found == nil || !found.Dirty) && v.isPending(path) {
		return adapter.Document{}, false, pendingError(path)
	}
	if found == nil {
		return adapter.Document{}, false, cmp.Or(failure, ended)
	}
	v.chosen.Set(path, in)
	doc, err := found.as(path)
	return doc, err == nil, cmp.Or(err, failure)
}

// isUnsupported reports whether a window has answered that it has no such document, or has ended.
func isUnsupported(err error) bool {
	return errors.Is(err, adapter.ErrNotRunning) || errors.Is(err, adapter.ErrUnsupported)
}

// document returns a document of the window, or nil.
func (w *window) document(ctx context.Context, path string) (*document, error) {
	var answer struct {
		Document *document `json:"document"`
	}
	err := w.query(ctx, "document", known{Path: path}, &answer)
	return answer.Document, err
}

// query is call with the timeout of queries about documents: answerTime, and three quarters of the time that ctx leaves.
func (w *window) query(ctx context.Context, method string, params, result any) error {
	limit := answerTime
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)*3/4)
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := w.call(within, method, params, result)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return presence.NoAnswer("VS Code", w.about.PID)
	}
	return err
}

// Unsaved returns the paths of the documents with unsaved changes in all windows of the user, for files in any directory. It returns
// nothing, without an error, if no window is open. The error of a window comes with the paths of the others.
func (v *VSCode) Unsaved(ctx context.Context) (paths []string, err error) {
	v.refresh(ctx)
	paths, overflow := v.pendingPaths()
	if overflow {
		err = errors.New(pendingReason)
	} else {
		err = v.unanswered()
	}
	windows := v.windows()
	lists, failures := make([][]string, len(windows)), make([]error, len(windows))
	var asking group.Group
	for i, w := range windows {
		asking.Go(func() { lists[i], failures[i] = w.listUnsaved(ctx) })
	}
	asking.Wait()
	for i, w := range windows {
		paths = append(paths, lists[i]...)
		if failures[i] != nil && v.mayHave(w) {
			err = failures[i]
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// listUnsaved returns the documents of the window with unsaved changes. For a window that is ending it returns the last list.
func (w *window) listUnsaved(ctx context.Context) ([]string, error) {
	var answer struct {
		Paths []string `json:"paths"`
	}
	switch err := w.query(ctx, "unsaved", struct{}{}, &answer); {
	case err == nil:
		w.setUnsaved(answer.Paths)
	case errors.Is(err, adapter.ErrUnsupported):
		return nil, errors.New("the extension of VS Code is too old to list unsaved documents; update it")
	case errors.Is(err, adapter.ErrNotRunning): // the window is ending
	default:
		return nil, fmt.Errorf("listing the unsaved documents of VS Code: %w", err)
	}
	paths, truncated := w.unsavedDocuments()
	if truncated {
		return paths, fmt.Errorf("a window of VS Code has more than %d documents with unsaved text", maxReportedPaths)
	}
	return paths, nil
}

// Edit changes an open document as one undo step. The returned document includes changes by VS Code on saving, for example
// formatting. A document that could not be saved is returned with Dirty set, without an error.
func (v *VSCode) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	fail := func(err error) (adapter.Document, error) {
		return adapter.Document{}, fmt.Errorf("editing %s in VS Code: %w", path, err)
	}
	sent, err := toEdits(edits)
	if err != nil {
		return fail(err)
	}
	windows, err := v.having(path)
	if err != nil {
		return fail(err)
	}
	w, known := v.chosen.Get(path)
	if !known || !slices.Contains(windows, w) {
		if len(windows) > 1 {
			return fail(fmt.Errorf("%w: read it again, because several windows may have it", adapter.ErrStale))
		}
		w = windows[0]
	}
	var answer struct {
		Document document `json:"document"`
	}
	err = w.call(ctx, "edit", struct {
		Path    string     `json:"path"`
		Version int        `json:"version"`
		Edits   []textEdit `json:"edits"`
		Save    bool       `json:"save"`
	}{path, version, sent, save}, &answer)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(err, adapter.ErrStale) {
			err = fmt.Errorf("%w; the edit may have been made", err)
		}
		return fail(err)
	}
	doc, err := answer.Document.as(path)
	if err != nil {
		return fail(err)
	}
	return doc, nil
}
