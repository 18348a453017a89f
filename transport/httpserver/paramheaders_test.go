package httpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// lister is a Dispatcher whose lists the test decides.
type lister struct {
	mu     sync.Mutex
	pages  map[string][]string // by principal: the marked properties of the tool on each page; "" for none
	err    error
	lists  int
	listen func(ctx context.Context, req *protocol.Request) (protocol.Result, error)
}

func (l *lister) set(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (l *lister) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	switch req.Method {
	case "subscriptions/listen":
		if l.listen != nil {
			return l.listen(ctx, req)
		}
	case "tools/list":
		return l.list(req)
	case "tools/call":
		return mcp.Text("called"), nil
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found")
}

func (l *lister) list(req *protocol.Request) (protocol.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lists++; l.err != nil {
		return nil, l.err
	}
	var p struct{ Cursor int }
	if req.Params != nil {
		var cursor struct{ Cursor string }
		if err := json.Unmarshal(req.Params, &cursor); err != nil {
			return nil, err
		}
		_, _ = fmt.Sscan(cursor.Cursor, &p.Cursor)
	}
	pages := l.pages[req.Peer.Principal]
	if p.Cursor >= len(pages) {
		return protocol.RawResult(`{"tools":[]}`), nil
	}
	mark := ""
	if pages[p.Cursor] != "" {
		mark = fmt.Sprintf(`,"x-mcp-header":%q`, pages[p.Cursor])
	}
	next := ""
	if p.Cursor+1 < len(pages) {
		next = fmt.Sprintf(`,"nextCursor":"%d"`, p.Cursor+1)
	}
	return protocol.RawResult(fmt.Sprintf(`{"tools":[{"name":"tool%d","inputSchema":{"type":"object","properties":{"a":{"type":"string"%s}}}}]%s}`, p.Cursor, mark, next)), nil
}

func (l *lister) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lists
}

// called calls a tool with an argument that no header repeats.
func (s *site) called(tool, principal string) int {
	s.Helper()
	header := modernHeader(tool)
	if principal != "" {
		header = append(header, "X-Principal", principal)
	}
	status, answer := s.post(modernBody("1", tool, `{"a":"x"}`), header...)
	if status == http.StatusOK && !strings.Contains(answer, "called") {
		s.Errorf("%s was not called: %s", tool, answer)
	}
	return status
}

func (s *site) expectStatus(got, want int, when string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: status %d, want %d", when, got, want)
	}
}

// If the server reports changes, the list is read once and after each change.
func TestParamHeaders_ListChanges(t *testing.T) {
	var l *lister
	changed := make(chan struct{})
	inBubble(t, nil, func() protocol.Dispatcher {
		changed = make(chan struct{})
		l = &lister{pages: map[string][]string{"": {"", "A"}}}
		l.listen = func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			_ = req.Notify(ctx, &protocol.AcknowledgedNotification{Filter: protocol.SubscriptionFilter{ToolsListChanged: true}})
			for {
				select {
				case <-changed:
					_ = req.Notify(ctx, &protocol.ListChangedNotification{List: "tools"})
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			}
		}
		return l
	}, func(s *site) {
		for range 3 {
			s.expectStatus(s.called("tool0", ""), http.StatusOK, "a tool without headers")
			s.expectStatus(s.called("tool1", ""), http.StatusBadRequest, "a tool with one, on the second page")
		}
		time.Sleep(time.Hour)
		s.expectStatus(s.called("tool1", ""), http.StatusBadRequest, "after an hour")
		if n := l.count(); n != 2 {
			t.Errorf("%d pages were read, want 2", n)
		}
		l.set(func() { l.pages[""] = []string{"A", ""} })
		changed <- struct{}{}
		synctest.Wait()
		s.expectStatus(s.called("tool0", ""), http.StatusBadRequest, "once it has got one")
		s.expectStatus(s.called("tool1", ""), http.StatusOK, "once it has lost it")

		// A tool that is not listed may be new, or not for everybody.
		time.Sleep(2 * time.Second)
		before := l.count()
		for range 5 {
			s.expectStatus(s.called("other", ""), http.StatusOK, "an unlisted tool")
		}
		if n := l.count() - before; n != 2 {
			t.Errorf("%d pages were read for an unlisted tool, want 2", n)
		}
	})
}

// Where they are not, it is read again after a while. A list that cannot be read
// is no reason to refuse a call.
func TestParamHeaders_UnlistedTool(t *testing.T) {
	var l *lister
	inBubble(t, nil, func() protocol.Dispatcher {
		l = &lister{pages: map[string][]string{"": {"A"}, "ada": {""}}}
		return l
	}, func(s *site) {
		s.expectStatus(s.called("tool0", ""), http.StatusBadRequest, "marked")
		s.expectStatus(s.called("tool0", "ada"), http.StatusOK, "marked for others only")
		l.set(func() { l.pages[""] = []string{""} })
		s.expectStatus(s.called("tool0", ""), http.StatusBadRequest, "still believed")
		if n := l.count(); n != 2 {
			t.Errorf("read %d times, want 2", n)
		}
		time.Sleep(31 * time.Second)
		s.expectStatus(s.called("tool0", ""), http.StatusOK, "read again")
		l.set(func() { l.err = protocol.Errorf(protocol.CodeInternal, "broken") })
		time.Sleep(31 * time.Second)
		s.expectStatus(s.called("tool0", ""), http.StatusOK, "not to be read")
		l.set(func() { l.err = errors.New("worse") })
		time.Sleep(31 * time.Second)
		s.expectStatus(s.called("tool0", ""), http.StatusOK, "not to be read at all")
		// Not everybody is remembered for ever.
		l.set(func() { l.err = nil })
		for i := range 5000 {
			s.expectStatus(s.called("tool0", fmt.Sprint("user", i)), http.StatusOK, "without tools")
		}
	})
}
