package headless

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// read returns the document of a file, with its unsaved text if an editor has one, and the stamp of the text.
func (h *Headless) read(ctx context.Context, path string) (adapter.Document, stamp, error) {
	data, info, err := h.root.ReadFile(ctx, path, h.o.MaxFile)
	if err != nil {
		return adapter.Document{}, stamp{}, err
	}
	text, err := textfile.Decode(data, textfile.Auto)
	if err != nil {
		return adapter.Document{}, stamp{}, err
	}
	return adapter.Document{Path: path, Text: text.Content, Language: h.project.languageOf(path)}, stamp{info.ModTime.UnixNano(), info.Size}, nil
}

// language returns the document's language, determined from its path if it is not set.
func (h *Headless) language(doc adapter.Document) string {
	if doc.Language != "" {
		return doc.Language
	}
	return h.project.languageOf(doc.Path)
}

// syncDocuments sends the server the changes of the project and the documents of a request. It returns the server's versions of the
// documents, in order. reopen closes and opens the documents, so that the server publishes their diagnostics again.
func (i *instance) syncDocuments(ctx context.Context, session *lsp.Session, docs []adapter.Document, reopen bool) ([]int, error) {
	if i.sync.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer i.sync.Release(1)
	changed, err := i.tellChanges(ctx, session)
	if err != nil {
		return nil, err
	}
	concerned := make(map[string]bool, len(docs))
	keep := make([]string, len(docs))
	for n, doc := range docs {
		concerned[doc.Path], keep[n] = true, doc.Path
	}
	if err := i.reread(ctx, session, concerned, changed); err != nil {
		return nil, err
	}
	unsaved, err := i.openUnsaved(ctx, session, concerned)
	if err != nil {
		return nil, err
	}
	keep = append(keep, unsaved...)
	open := session.Open
	if reopen {
		open = session.Reopen
	}
	if len(docs) > 0 {
		i.noteOpened(session)
	}
	versions := make([]int, len(docs))
	for n, doc := range docs {
		if versions[n], err = open(doc.Path, i.h.language(doc), doc.Text); err != nil {
			return nil, err
		}
		i.stamps[doc.Path] = stamp{} // the given text may differ from the file
	}
	return versions, session.Trim(keep)
}

// tellChanges notifies the server of the files that changed on disk, and returns their paths.
func (i *instance) tellChanges(ctx context.Context, session *lsp.Session) (map[string]bool, error) {
	if i.session != session {
		i.session, i.stamps = session, make(map[string]stamp)
		i.mu.Lock()
		i.sentEvents = i.startEvents
		i.mu.Unlock()
	}
	events, now, complete, err := i.h.project.changes(ctx, i.sentEvents)
	if err != nil {
		return nil, err
	}
	i.sentEvents = now
	if !complete {
		i.h.o.Log.Warn("too many files have changed to notify the language server of all", "server", i.server.Name)
	}
	changed := make(map[string]bool, len(events))
	for _, e := range events {
		changed[e.Path] = true
	}
	return changed, session.FilesChanged(events)
}

// reread replaces the text of open documents with the text on disk, except documents of current requests.
func (i *instance) reread(ctx context.Context, session *lsp.Session, concerned, changed map[string]bool) error {
	for _, path := range session.Documents() {
		if concerned[path] || i.isHeld(path) {
			continue
		}
		info, err := i.h.root.Stat(ctx, path)
		if err == nil && info.Kind == security.RegularFile && !changed[path] && i.stamps[path] == (stamp{info.ModTime.UnixNano(), info.Size}) && info.ModTime.Before(time.Now().Add(-timeResolution)) {
			continue
		}
		doc, read, err := i.h.read(ctx, path)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			if err := session.CloseDocument(path); err != nil {
				return err
			}
			delete(i.stamps, path)
			continue
		}
		if _, err := session.Open(path, i.h.language(doc), doc.Text); err != nil {
			return err
		}
		i.stamps[path] = read
	}
	return nil
}

// openUnsaved opens the files of the server's languages that have unsaved text in an editor, since the server reads other files from the
// disk. It returns their paths. Documents of current requests are left alone.
func (i *instance) openUnsaved(ctx context.Context, session *lsp.Session, concerned map[string]bool) (paths []string, err error) {
	files, err := i.h.root.UnsavedFiles(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(i.h.dirs[f.Dir], filepath.FromSlash(f.Rel))
		language := i.h.project.languageOf(path)
		if !slices.Contains(i.server.Languages, language) || i.h.folderOf(path, i.server.RootMarkers) != i.folder {
			continue
		}
		paths = append(paths, path)
		if concerned[path] || i.isHeld(path) || i.stamps[path] == (stamp{f.ModTime.UnixNano(), f.Size}) {
			continue
		}
		doc, read, err := i.h.read(ctx, path)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			continue // closed or not text any more
		}
		if _, err := session.Open(path, language, doc.Text); err != nil {
			return nil, err
		}
		i.stamps[path] = read
	}
	return paths, nil
}

// timeResolution is the resolution of modification times: two changes within it may have the same time.
const timeResolution = 100 * time.Millisecond
