package lsp

import (
	"context"
	"crypto/sha256"
	"slices"
)

// document is an open document, whose text the server has received.
type document struct {
	version int
	digest  [sha256.Size]byte
	epoch   int // of the project when the version was made
	used    int // a clock, for the least recently used one
}

// maxDocuments is how many a server has open, unless more are wanted at once.
const maxDocuments = 100

// Open sends the text of a file to the server, unless it has the same text, and returns the version of the document. A session
// uses each version once, so that diagnostics of one version can be distinguished from others.
func (s *Session) Open(path, language, text string) (int, error) {
	digest := sha256.Sum256([]byte(text))
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	doc, open := s.state.documents[path]
	if open && doc.digest == digest {
		doc.used = s.state.tick()
		return doc.version, nil
	}
	s.state.tick()
	s.state.sent++
	s.state.epoch++
	version := s.state.version
	s.state.documents[path] = &document{version: version, digest: digest, epoch: s.state.epoch, used: version}
	var err error
	if open {
		err = s.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": URI(path), "version": version},
			"contentChanges": []any{map[string]any{"text": text}},
		})
	} else {
		err = s.notify("textDocument/didOpen", map[string]any{
			"textDocument": map[string]any{"uri": URI(path), "languageId": language, "version": version, "text": text},
		})
	}
	return version, err
}

// notify sends under the lock of the state, so that changes reach the server in the order of their versions. It must not wait
// for the end of a session, which needs the lock.
func (s *Session) notify(method string, params any) error {
	if err := s.conn.Notify(context.Background(), method, params); err != nil {
		if why := s.life.Failure(); why != nil {
			err = why
		}
		return &Error{Peer: s.c.Name, Doing: method, Err: err, Words: s.life.Words()}
	}
	return nil
}

func (s *state) tick() int {
	s.version++
	return s.version
}

// Reopen gives an open document a new version when the project has changed since it got its version, so that the server must
// publish its diagnostics anew. It answers the version.
func (s *Session) Reopen(path, language, text string) (int, error) {
	s.state.mu.Lock()
	doc, open := s.state.documents[path]
	stale := open && doc.epoch != s.state.epoch
	s.state.mu.Unlock()
	if stale {
		if err := s.CloseDocument(path); err != nil {
			return 0, err
		}
	}
	return s.Open(path, language, text)
}

// CloseDocument tells the server to read the file itself again.
func (s *Session) CloseDocument(path string) error {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.closeLocked(path)
}

func (s *Session) closeLocked(path string) error {
	if _, open := s.state.documents[path]; !open {
		return nil
	}
	delete(s.state.documents, path)
	if p, ok := s.state.published[path]; ok && len(p.Items) == 0 {
		delete(s.state.published, path)
	}
	s.state.sent++
	return s.notify("textDocument/didClose", DocumentParams{Document{URI(path)}})
}

// Trim closes the least recently used documents, except those of keep, until few are open.
func (s *Session) Trim(keep []string) error {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	if len(s.state.documents) <= maxDocuments {
		return nil
	}
	paths := make([]string, 0, len(s.state.documents))
	for path := range s.state.documents {
		if !slices.Contains(keep, path) {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return s.state.documents[a].used - s.state.documents[b].used })
	for _, path := range paths[:min(len(paths), len(s.state.documents)-maxDocuments)] {
		if err := s.closeLocked(path); err != nil {
			return err
		}
	}
	return nil
}

// Documents returns the paths of the open documents.
func (s *Session) Documents() []string {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	paths := make([]string, 0, len(s.state.documents))
	for path := range s.state.documents {
		paths = append(paths, path)
	}
	return paths
}

// Version is that of an open document; 0 if it is not open.
func (s *Session) Version(path string) int {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	if doc, open := s.state.documents[path]; open {
		return doc.version
	}
	return 0
}
