package httpserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// A client that comes back to another handler gets the rest of its stream, once,
// while the call goes on where it is (2025-11-25, basic/transports, "Resumability
// and Redelivery").
func TestRemoteStream_Resume(t *testing.T) {
	inOlder(t, func(t *testing.T, rev protocol.Revision) {
		several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
			session := s.at[0].open(rev)
			call := s.at[0].begin(http.MethodPost, callBody("1", "sleep", `{"seconds":60,"report":true}`), "Mcp-Session-Id", session)
			id, _ := awaitEvent(t, call.Reader, "asleep")
			first := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
			call.broken() // one response at a time carries a stream
			second := s.at[2].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
			if rest := first.broken(); strings.Contains(rest, "slept") {
				t.Errorf("a response that was replaced: %s", rest)
			}
			if rest := second.rest(t); strings.Count(rest, "slept") != 1 || strings.Contains(rest, "asleep") {
				t.Errorf("the rest: %s", rest)
			}
			for i, at := range s.at {
				again := at.begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id).rest(t)
				if strings.Count(again, "slept") != 1 || strings.Contains(again, "error") {
					t.Errorf("coming back to handler %d: %s", i, again)
				}
				lastID := again[strings.Index(again, "id: ")+4 : strings.Index(again, "\ndata")]
				if status, _ := at.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", lastID); status != http.StatusNoContent {
					t.Errorf("coming back to handler %d with everything: %d", i, status)
				}
			}
			if notes := s.at[0].notes(); len(notes) != 1 {
				t.Errorf("the call ran %d times", len(notes))
			}
		})
	})
}

// A client that reads at another Handler receives events and progress at once,
// and can resume at the first Handler.
func TestRemoteStream_Running(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		call := s.at[0].begin(http.MethodPost, callBody("1", "ask", `{}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, call.Reader, "elicitation/create")
		id = strings.TrimSuffix(id, "-2") + "-1" // before the question
		elsewhere := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
		_, question := awaitEvent(t, elsewhere.Reader, "elicitation/create")
		here := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
		awaitEvent(t, here.Reader, "elicitation/create")
		elsewhere.broken()
		elsewhere = s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
		start := time.Now()
		s.at[1].post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ada"}}}`, questionID.FindStringSubmatch(question)[1]), "Mcp-Session-Id", session)
		awaitEvent(t, elsewhere.Reader, "accept Ada")
		if took := time.Since(start); took > 0 {
			t.Errorf("the answer took %v", took) // it was not told, but found by looking
		}
		elsewhere.rest(t)
	})
}

// If a Handler is gone, the client receives an error for its call within a
// limited time. A later response of that Handler is dropped.
func TestRemoteStream_HandlerGone(t *testing.T) {
	for _, when := range []string{"before the client comes back", "while it reads"} {
		t.Run(when, func(t *testing.T) {
			several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
				session := s.at[0].open(protocol.Rev20251125)
				call := s.at[0].begin(http.MethodPost, callBody("7", "sleep", `{"seconds":60,"report":true}`), "Mcp-Session-Id", session)
				id, _ := awaitEvent(t, call.Reader, "asleep")
				if when == "before the client comes back" {
					s.lose(0)
				}
				back := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
				synctest.Wait()
				start := time.Now()
				s.lose(0)
				rest := back.rest(t)
				if !strings.Contains(rest, `"id":7,"error"`) || !strings.Contains(rest, "is gone") {
					t.Errorf("the rest: %s", rest)
				}
				if took := time.Since(start); took > 30*time.Second {
					t.Errorf("it took %v", took)
				}
				time.Sleep(time.Minute) // the call ends at the handler that is gone
				for _, at := range s.at[1:] {
					again := at.begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id).rest(t)
					if strings.Contains(again, "slept") || strings.Count(again, `"id":7`) != 1 {
						t.Errorf("coming back: %s", again)
					}
				}
				if rest := call.broken(); strings.Contains(rest, "slept") {
					t.Errorf("it was answered twice: %s", rest)
				}
			})
		})
	}
}

// A batch is answered on one stream, from wherever it is read.
func TestRemoteStream_Batch(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20250326)
		batch := "[" + callBody("1", "sleep", `{"seconds":5,"report":true}`) + "," + callBody("2", "sleep", `{"seconds":60,"report":true}`) + `,{"jsonrpc":"2.0","id":3,"method":"ping"}]`
		call := s.at[0].begin(http.MethodPost, batch, "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, call.Reader, "asleep")
		call.leave()
		time.Sleep(10 * time.Second)
		s.lose(0)
		rest := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id[:strings.Index(id, "-")]+"-0").rest(t)
		for id, want := range map[int]string{1: "result", 2: "error", 3: "result"} {
			if strings.Count(rest, fmt.Sprintf(`"id":%d,%q`, id, want)) != 1 {
				t.Errorf("request %d: %s", id, rest)
			}
		}
	})
}

// Event ids of clients are validated.
func TestRemoteStream_EventIDs(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		resp := s.at[0].begin(http.MethodPost, callBody("1", "work", `{}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, resp.Reader, "done")
		stream, _, _ := strings.Cut(id, "-")
		number, handler, _ := strings.Cut(stream, ".")
		other := s.at[0].open(protocol.Rev20251125)
		for _, test := range []struct{ session, id string }{
			{session, "1-1"}, {session, "x"}, {session, "r.-"}, {session, stream}, {session, stream + "--1"}, {session, stream + "-1x"},
			{session, number + "." + handler + ".*-1"}, {session, number + ".>-1"}, {session, number + "." + strings.ToLower(handler) + "-1"},
			{session, "r-1." + handler + "-1"}, {session, "r0." + handler + "-1"}, {session, "rzzzzzzzzzzzzzzzzz." + handler + "-1"},
			{session, "r1." + handler + "-1"}, {session, "r1." + strings.Repeat("A", 26) + "-1"}, {other, id}, {other, stream + "-0"},
		} {
			for i, at := range s.at {
				status, answer := at.roundTrip(http.MethodGet, "", "Mcp-Session-Id", test.session, "Last-Event-ID", test.id)
				if status != http.StatusBadRequest || strings.Contains(answer, "done") {
					t.Errorf("%q at handler %d: %d %s", test.id, i, status, answer)
				}
			}
		}
		for _, id := range []string{"", "x", "*", ">", strings.Repeat("A", 26), session + "x", strings.ToLower(session)} {
			if status, _ := s.at[1].post(callBody("1", "greet", `{"name":"x"}`), "Mcp-Session-Id", id); status != http.StatusNotFound && (id != "" || status != http.StatusBadRequest) {
				t.Errorf("session %q: %d", id, status)
			}
		}
	})
}
