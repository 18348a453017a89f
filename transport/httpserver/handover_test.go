package httpserver_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

const toolsChanged = "notifications/tools/list_changed"

// One stream of changes at a time is open, wherever it is; the newest.
func TestHandover_Changes(t *testing.T) {
	inOlder(t, func(t *testing.T, rev protocol.Revision) {
		several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
			session := s.at[0].open(rev)
			first := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session)
			synctest.Wait()
			second := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session)
			if rest := first.broken(); strings.Contains(rest, "list_changed") {
				t.Errorf("nothing has changed: %s", rest)
			}
			synctest.Wait()
			s.at[1].post(callBody("1", "grow", `{}`), "Mcp-Session-Id", session)
			id, _ := awaitEvent(t, second.Reader, toolsChanged)
			s.at[1].post(callBody("1", "shrink", `{}`), "Mcp-Session-Id", session)
			awaitEvent(t, second.Reader, toolsChanged)
			second.leave()
			synctest.Wait()
			// What was told while nobody read is told where the client comes back.
			s.at[1].post(callBody("1", "grow", `{}`), "Mcp-Session-Id", session)
			third := s.at[2].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
			awaitEvent(t, third.Reader, toolsChanged) // that of shrink once more
			id, _ = awaitEvent(t, third.Reader, toolsChanged)
			synctest.Wait()
			third.leave()
			synctest.Wait()
			s.at[2].post(callBody("1", "grow", `{}`), "Mcp-Session-Id", session)
			fourth := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
			awaitEvent(t, fourth.Reader, toolsChanged)
		})
	})
}

// A client without Last-Event-ID receives the events that were not sent before.
func TestHandover_WithoutEventID(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20250618)
		first := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		synctest.Wait()
		first.leave()
		synctest.Wait()
		s.at[0].post(callBody("1", "grow", `{}`), "Mcp-Session-Id", session)
		second := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		awaitEvent(t, second.Reader, toolsChanged)
	})
}

// If the Handler that followed changes is gone, the missed changes are unknown:
// the client is notified that each list may have changed.
func TestHandover_HandlerGone(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		first := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		synctest.Wait()
		s.lose(0)
		second := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		for _, list := range []string{"tools", "prompts", "resources"} {
			awaitEvent(t, second.Reader, "notifications/"+list+"/list_changed")
		}
		// Should it come back, it finds out that the session listens elsewhere.
		time.Sleep(time.Hour)
		first.broken()
	})
}

// A subscription at one Handler reaches the Handler that follows changes.
func TestHandover_Subscriptions(t *testing.T) {
	several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		changes := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		synctest.Wait()
		subscribe := func(method string) {
			t.Helper()
			if status, answer := s.at[1].post(`{"jsonrpc":"2.0","id":1,"method":"resources/`+method+`","params":{"uri":"test://a"}}`, "Mcp-Session-Id", session); status != http.StatusOK || strings.Contains(answer, "error") {
				t.Fatalf("%s: %d %s", method, status, answer)
			}
		}
		subscribe("subscribe")
		s.at[0].ResourceUpdated("test://a")
		awaitEvent(t, changes.Reader, "test://a")
		elsewhere := s.at[2].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		synctest.Wait()
		s.at[2].ResourceUpdated("test://a")
		awaitEvent(t, elsewhere.Reader, "test://a")
		subscribe("unsubscribe")
		s.at[2].ResourceUpdated("test://a")
		s.at[2].post(callBody("1", "grow", `{}`), "Mcp-Session-Id", session)
		if _, data := awaitEvent(t, elsewhere.Reader, "notifications/"); !strings.Contains(data, toolsChanged) {
			t.Errorf("after unsubscribing: %s", data)
		}
	})
}
