package httpserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// During an outage of the shared store no session ends, and all continue after
// it.
func TestCluster_StoreOutage(t *testing.T) {
	store := new(outage)
	several(t, 1, httpserver.Options{}, func(t *testing.T, s *sites) {
		store.Shared = s.store
		s.add(httpserver.Options{Shared: store})
		there, away := s.at[0], s.at[1]
		session := there.open(protocol.Rev20251125)
		call := there.begin(http.MethodPost, callBody("1", "sleep", `{"seconds":30,"report":true}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, call.Reader, "asleep")
		back := away.begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
		store.down.Store(true)
		for _, header := range [][]string{{"Mcp-Session-Id", session}, nil} {
			body := callBody("2", "greet", `{"name":"x"}`)
			if header == nil {
				body = initializeBody(protocol.Rev20251125)
			}
			resp := away.send(t.Context(), http.MethodPost, body, header...)
			resp.Body.Close()
			if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
				t.Errorf("during the outage: %d, %v", resp.StatusCode, resp.Header)
			}
		}
		if status, answer := away.post(modernBody("1", "greet", `{"name":"x"}`), modernHeader("greet")...); status != http.StatusOK {
			t.Errorf("a request of 2026-07-28 during the outage: %d %s", status, answer)
		}
		time.Sleep(3 * time.Second)
		store.down.Store(false)
		if rest := back.rest(t); !strings.Contains(rest, "slept") {
			t.Errorf("the rest of a stream after the outage: %s", rest)
		}
		if status, answer := away.post(callBody("2", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("after the outage: %d %s", status, answer)
		}
	})
}

// A response that cannot be stored is stored again later; progress is left out.
// A connected client receives all events.
func TestCluster_AnswerDuringOutage(t *testing.T) {
	store := new(outage)
	several(t, 1, httpserver.Options{}, func(t *testing.T, s *sites) {
		store.Shared = s.store
		s.add(httpserver.Options{Shared: store})
		there, away := s.at[0], s.at[1]
		session := away.open(protocol.Rev20251125)
		left := away.begin(http.MethodPost, callBody("1", "sleep", `{"seconds":10,"report":true}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, left.Reader, "asleep")
		left.leave()
		read := away.begin(http.MethodPost, callBody("2", "sleep", `{"seconds":10,"report":true}`), "Mcp-Session-Id", session)
		awaitEvent(t, read.Reader, "asleep")
		store.down.Store(true)
		all := make(chan string, 1)
		go func() { all <- read.broken() }() // a client that reads all the time
		time.Sleep(20 * time.Second)
		if rest := <-all; !strings.Contains(rest, "slept") {
			t.Errorf("who reads got %s", rest)
		}
		store.down.Store(false)
		back := there.begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
		if rest := back.rest(t); !strings.Contains(rest, "slept") {
			t.Errorf("who comes back afterwards got %s", rest)
		}
	})
}
