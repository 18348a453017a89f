package headless

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// read answers the document of a file as the disk has it.
func (h *Headless) read(ctx context.Context, path string) (adapter.Document, stamp, error) {
	data, info, err := h.root.ReadFile(ctx, path, h.o.MaxFile)
	if err != nil {
		return adapter.Document{}, stamp{}, err
	}
	text, err := textfile.Decode(data, textfile.Auto)
	if err != nil {
		return adapter.Document{}, stamp{}, err
	}
	return adapter.Document{Path: path, Text: text.Content, Language: LanguageOf(path)}, stamp{info.ModTime.UnixNano(), info.Size}, nil
}

func language(doc adapter.Document) string {
	if doc.Language != "" {
		return doc.Language
	}
	return LanguageOf(doc.Path)
}

// bring tells the server what has changed, and the documents that a request concerns. again asks it to publish their
// diagnostics anew if anything has changed since it did. It answers the versions of the documents, in their order.
func (i *instance) bring(ctx context.Context, session *lsp.Session, docs []adapter.Document, again bool) ([]int, error) {
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
	open := session.Open
	if again {
		open = session.Reopen
	}
	versions := make([]int, len(docs))
	for n, doc := range docs {
		if versions[n], err = open(doc.Path, language(doc), doc.Text); err != nil {
			return nil, err
		}
		i.stamps[doc.Path] = stamp{} // what was given need not be what the disk has
	}
	return versions, session.Trim(keep)
}

// tellChanges tells the server what has changed on the disk.
func (i *instance) tellChanges(ctx context.Context, session *lsp.Session) (map[string]bool, error) {
	if i.session != session {
		i.session, i.stamps = session, make(map[string]stamp)
		i.mu.Lock()
		i.seen = i.base
		i.mu.Unlock()
	}
	events, now, complete, err := i.h.project.changes(ctx, i.seen)
	if err != nil {
		return nil, err
	}
	i.seen = now
	if !complete {
		i.h.o.Log.Warn("more files have changed than a language server can be told", "server", i.server.Name)
	}
	changed := make(map[string]bool, len(events))
	for _, e := range events {
		changed[e.Path] = true
	}
	return changed, session.FilesChanged(events)
}

// reread gives open documents the texts of the disk, unless this or another request asks about them.
func (i *instance) reread(ctx context.Context, session *lsp.Session, concerned, changed map[string]bool) error {
	for _, path := range session.Documents() {
		if concerned[path] || i.held(path) {
			continue
		}
		info, err := i.h.root.Stat(ctx, path)
		if err == nil && info.Kind == security.RegularFile && !changed[path] && i.stamps[path] == (stamp{info.ModTime.UnixNano(), info.Size}) && info.ModTime.Before(time.Now().Add(-coarse)) {
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
		if _, err := session.Open(path, language(doc), doc.Text); err != nil {
			return err
		}
		i.stamps[path] = read
	}
	return nil
}

// coarse is how near two changes may be for the time of a file not to tell them apart.
const coarse = 100 * time.Millisecond
