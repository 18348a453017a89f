package headless

import (
	"context"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// request is a question about a document that a server has been brought.
type request func(ctx context.Context, i *instance, session *lsp.Session) error

// ask puts a question to the first server of the document's language that knows the method.
func (h *Headless) ask(ctx context.Context, doc adapter.Document, method, doing string, ask request) error {
	ctx, cancel := context.WithTimeout(ctx, h.o.Patience)
	defer cancel()
	instances, err := h.instancesFor(doc.Path, language(doc))
	if err != nil {
		return err
	}
	for _, i := range instances {
		known, problem := i.ask(ctx, doc, method, ask)
		if known {
			return explain(ctx, doing, problem)
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

// ask puts a question to a server; known is false if it does not start or does not know the method.
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
	defer i.hold(doc.Path)()
	for range attempts {
		versions, err := i.bring(ctx, session, []adapter.Document{doc}, false)
		if err != nil {
			return true, err
		}
		err = again(ctx, func() error { return ask(ctx, i, session) })
		if err != nil || session.Version(doc.Path) == versions[0] {
			return true, err
		}
		// Another request has brought another text of the document meanwhile: whose answer this is cannot be known.
	}
	return true, fmt.Errorf("%s is changed all the time: %w", quote(doc.Path), adapter.ErrStale)
}

// again repeats what a change has disturbed.
func again(ctx context.Context, try func() error) error {
	for n := 1; ; n++ {
		err := try()
		if !lsp.Again(err) || n == attempts {
			return err
		}
		if err := wait.Sleep(ctx, time.Duration(n)*50*time.Millisecond); err != nil {
			return err
		}
	}
}

// How long a server may take until it says that it reads the project.
const (
	firstWord = 700 * time.Millisecond
	pauses    = 50 * time.Millisecond // between two parts of the work
)

// indexed waits until a server that reads the project in the background, and answers what it knows meanwhile, has read it.
func (i *instance) indexed(ctx context.Context, session *lsp.Session) error {
	if i.server.Dialect != Plain {
		return nil // the others answer when they know
	}
	quiet := pauses
	switch {
	case !i.wasIndexed(session):
		quiet = firstWord
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
			timer.Reset(pauses)
		case <-news:
			if len(session.Busy()) > 0 {
				timer.Reset(pauses)
			}
		case <-session.Done():
			return session.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wasIndexed tells whether somebody has waited for the session's index to its end.
func (i *instance) wasIndexed(session *lsp.Session) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.indexing == session
}

// hold keeps other requests from replacing the text of a document by that of the disk until release is called: the text may not be
// saved.
func (i *instance) hold(path string) (release func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asked == nil {
		i.asked = make(map[string]int)
	}
	i.asked[path]++
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.asked[path]--; i.asked[path] == 0 {
			delete(i.asked, path)
		}
	}
}

func (i *instance) held(path string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path] > 0
}
