package vscode

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
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
// the file, the error wraps adapter.ErrNotRunning.
func (v *VSCode) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	windows, err := v.covering(ctx, path)
	if err != nil {
		if v.isPending(path) {
			return adapter.Document{}, false, pendingError(path)
		}
		return adapter.Document{}, false, err
	}
	var found *document
	var in *window
	for _, w := range windows {
		var answer struct {
			Document *document `json:"document"`
		}
		err := w.call(ctx, "document", known{Path: path}, &answer)
		if errors.Is(err, adapter.ErrNotRunning) && w.hasUnsaved(path) {
			return adapter.Document{}, false, pendingError(path)
		}
		if err != nil {
			return adapter.Document{}, false, fmt.Errorf("reading %s in VS Code: %w", path, err)
		}
		d := answer.Document
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
		return adapter.Document{}, false, nil
	}
	v.chosen.Set(path, in)
	doc, err := found.as(path)
	return doc, err == nil, err
}

// Unsaved returns the paths of the documents with unsaved changes in all windows of the project. It returns nothing, without an error,
// if no window is open.
func (v *VSCode) Unsaved(ctx context.Context) (paths []string, err error) {
	paths, overflow := v.pendingPaths()
	if overflow {
		err = errors.New(pendingReason)
	}
	windows := v.connected()
	if len(windows) == 0 {
		v.lookout.Refresh(ctx)
		windows = v.connected()
	}
	for _, w := range windows {
		var answer struct {
			Paths []string `json:"paths"`
		}
		switch e := w.call(ctx, "unsaved", struct{}{}, &answer); {
		case e == nil:
			w.setUnsaved(answer.Paths)
		case errors.Is(e, adapter.ErrUnsupported):
			err = errors.New("the extension of VS Code is too old to list unsaved documents; update it")
			continue
		case errors.Is(e, adapter.ErrNotRunning): // the window is ending
		default:
			err = fmt.Errorf("listing the unsaved documents of VS Code: %w", e)
			continue
		}
		of, truncated := w.unsavedDocuments()
		if paths = append(paths, of...); truncated {
			err = fmt.Errorf("a window of VS Code has more than %d documents with unsaved text", maxReportedPaths)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
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
	windows, err := v.covering(ctx, path)
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
