package search_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
)

// heldShelf is a plugin whose files can be read only after release is closed.
type heldShelf struct {
	*shelf
	release chan struct{}
}

func (s heldShelf) Read(ctx context.Context, path string) ([]byte, time.Time, error) {
	select {
	case <-s.release:
	case <-ctx.Done():
		return nil, time.Time{}, context.Cause(ctx)
	}
	return s.shelf.Read(ctx, path)
}

// TestSearchDocuments_ConcurrencyLimit makes 20 calls with a limit of one running and eight queued calls. The other calls fail
// at once with a retry delay. Later calls succeed.
func TestSearchDocuments_ConcurrencyLimit(t *testing.T) {
	held := heldShelf{newShelf(t, library()), make(chan struct{})}
	p := newProject(t, nil, search.Options{Concurrency: 1}, held)
	const callers, atMost = 20, 9
	results := make(chan *mcp.ToolResult, callers)
	var calling sync.WaitGroup
	for range callers {
		calling.Go(func() { results <- toolsettest.Call(t, p, "searchDocuments", `{"query":"Stack"}`) })
	}
	for range callers - atMost {
		r := <-results
		if !r.IsError || r.ErrorCode() != "RATE_LIMITED" || !strings.Contains(texts(r)[0], "Call again in 2 seconds") {
			t.Errorf("%+v", texts(r))
		}
	}
	close(held.release)
	calling.Wait()
	close(results)
	served := 0
	for r := range results {
		// Calls that wait too long are rejected as well.
		if !r.IsError {
			served++
		} else if r.ErrorCode() != "RATE_LIMITED" {
			t.Errorf("%+v", texts(r))
		}
	}
	if served < 1 {
		t.Error("none was served")
	}
	if r := toolsettest.Call(t, p, "searchDocuments", `{"query":"Stack"}`); r.IsError {
		t.Errorf("afterwards: %+v", texts(r))
	}
}
