package headless

import (
	"context"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// request is the function that sends a request about a document. The server has received the document's current text before the
// call.
type request func(ctx context.Context, i *instance, session *lsp.Session) error

// ask runs a request on the first server of the document's language that supports the LSP method. doing names the operation in
// errors. The request timeout of the Options applies.
func (h *Headless) ask(ctx context.Context, doc adapter.Document, method, doing string, ask request) error {
	ctx, cancel := context.WithTimeout(ctx, h.o.RequestTimeout)
	defer cancel()
	instances, err := h.instancesFor(doc.Path, h.language(doc))
	if err != nil {
		return err
	}
	for _, i := range instances {
		known, problem := i.ask(ctx, doc, method, ask)
		if known {
			return h.explain(ctx, doing, problem)
		}
		if err = problem; ctx.Err() != nil {
			return err
		}
	}
	if err == nil {
		err = unsupported("Do it by other means.", "%s: no language server for %s can do that", doing, quote(doc.Path))
	}
	return err
}

// ask runs a request on one server. known is false if the server did not start or does not support the method. It fails with
// adapter.ErrStale if other requests keep replacing the document's text.
func (i *instance) ask(ctx context.Context, doc adapter.Document, method string, ask request) (known bool, err error) {
	session, done, err := i.use(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if _, ok := session.Offers(method); !ok {
		return false, nil
	}
	if int64(len(doc.Text)) > i.h.o.MaxFile {
		return true, unsupported("Do it by other means.", "%s has more than %d bytes", quote(doc.Path), i.h.o.MaxFile)
	}
	if err := i.refuse(doc); err != nil {
		return true, err
	}
	defer i.reportProgress(ctx, session)()
	defer i.holdText(doc.Path)()
	defer i.recordOutcome(session, doc)
	for range attempts {
		versions, err := i.syncDocuments(ctx, session, []adapter.Document{doc}, false)
		if err != nil {
			return true, err
		}
		err = retry(ctx, func() error { return ask(ctx, i, session) })
		if err != nil || session.Version(doc.Path) == versions[0] {
			return true, err
		}
		// Another request has replaced the text of the document in the meantime. The result may belong to either text.
	}
	return true, fmt.Errorf("%s is changed all the time: %w", quote(doc.Path), adapter.ErrStale)
}

// retry repeats a request that the server cancelled because the project changed, up to attempts times with a growing delay.
func retry(ctx context.Context, try func() error) error {
	for n := 1; ; n++ {
		err := try()
		if !lsp.IsRetryable(err) || n == attempts {
			return err
		}
		if err := wait.Sleep(ctx, time.Duration(n)*50*time.Millisecond); err != nil {
			return err
		}
	}
}

// Delays for servers that report indexing by progress notifications.
const (
	firstProgress = 700 * time.Millisecond // from the first document of a session to its first progress notification
	progressGap   = 50 * time.Millisecond  // between two parts of the work
)

// awaitIndex waits until a server has read the project in the background. Such servers return partial results until then: a server
// with Dialect Plain reports its progress, and Pyright lists the source files before it can find references in them.
func (i *instance) awaitIndex(ctx context.Context, session *lsp.Session) error {
	switch i.server.Dialect {
	case Plain:
	case Pyright:
		return awaitReady(ctx, session)
	default:
		return nil // the other dialects delay their responses themselves
	}
	quiet := progressGap
	switch {
	case !i.wasIndexed(session):
		quiet = max(progressGap, firstProgress-i.noteOpened(session))
	case len(session.Busy()) == 0:
		return nil
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		news := session.News()
		select {
		case <-timer.C:
			if len(session.Busy()) == 0 {
				i.mu.Lock()
				i.indexing = session
				i.mu.Unlock()
				return nil
			}
			timer.Reset(progressGap)
		case <-news:
			if len(session.Busy()) > 0 {
				timer.Reset(progressGap)
			}
		case <-session.Done():
			return session.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// awaitReady waits until a server says that it knows the files of its folder.
func awaitReady(ctx context.Context, session *lsp.Session) error {
	for {
		news := session.News()
		if session.Ready() {
			return nil
		}
		select {
		case <-news:
		case <-session.Done():
			return session.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// noteOpened records that a session receives a document, and returns the time since its first one.
func (i *instance) noteOpened(session *lsp.Session) time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.opened != session {
		i.opened, i.openedAt = session, time.Now()
	}
	return time.Since(i.openedAt)
}

// wasIndexed reports whether an earlier request has waited for the index of this session to be complete.
func (i *instance) wasIndexed(session *lsp.Session) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.indexing == session
}

// holdText protects the text of a document, which may be unsaved. Until release is called, no other request replaces it with the text
// on disk.
func (i *instance) holdText(path string) (release func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.requests == nil {
		i.requests = make(map[string]int)
	}
	i.requests[path]++
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.requests[path]--; i.requests[path] == 0 {
			delete(i.requests, path)
		}
	}
}

func (i *instance) isHeld(path string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests[path] > 0
}
