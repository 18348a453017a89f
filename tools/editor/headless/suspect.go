package headless

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// suspicion counts the failures of a server while it worked on one text of a document.
type suspicion struct {
	digest   [sha256.Size]byte
	failures int
}

// Limits of suspicions.
const (
	// maxTextFailures is the number of failures after which the server does not receive the text again. It is smaller than
	// lsp.MaxFailures, so that one document does not make the server unusable for all others.
	maxTextFailures = 2
	maxSuspects     = 1000 // documents; all suspicions are dropped when it is reached
)

// refuse returns an error if the server has failed too often while it worked on this text of the document.
func (i *instance) refuse(doc adapter.Document) error {
	if i.failuresWith(doc) < maxTextFailures {
		return nil
	}
	return &mcp.ToolError{
		Code:    codeServerFailed,
		Message: fmt.Sprintf("%s ended %d times while it worked on this text of %s, and does not receive it again", i.server.Name, maxTextFailures, quote(doc.Path)),
		Next:    "Continue without it, or change the file.",
	}
}

// failuresWith returns the number of failures of the server with this text of the document.
func (i *instance) failuresWith(doc adapter.Document) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s, ok := i.suspects[doc.Path]; ok && s.digest == sha256.Sum256([]byte(doc.Text)) {
		return s.failures
	}
	return 0
}

// recordOutcome records whether the session has failed while the server worked on documents. With several documents the cause is not known:
// each of them is then sent alone the next time, see diagnoseFiles.
func (i *instance) recordOutcome(session *lsp.Session, docs ...adapter.Document) {
	err := session.Err()
	failed := err != nil && !errors.Is(err, lsp.ErrClosed)
	i.mu.Lock()
	defer i.mu.Unlock()
	others := 0 // requests about other documents
	for path, n := range i.requests {
		if len(docs) != 1 || path != docs[0].Path {
			others += n
		}
	}
	for _, doc := range docs {
		if !failed {
			delete(i.suspects, doc.Path)
			continue
		}
		digest := sha256.Sum256([]byte(doc.Text))
		s := i.suspects[doc.Path]
		if s.digest != digest {
			s = suspicion{digest: digest}
		}
		switch {
		case len(docs) == 1 && others == 0:
			s.failures++
		case s.failures == 0:
			s.failures = 1
		}
		if i.suspects == nil || len(i.suspects) >= maxSuspects {
			i.suspects = make(map[string]suspicion)
		}
		i.suspects[doc.Path] = s
		if s.failures == maxTextFailures {
			i.life.Forgive() // the server works without this text
		}
	}
}
