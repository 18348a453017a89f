package httpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

var older = []protocol.Revision{protocol.Rev20250326, protocol.Rev20250618, protocol.Rev20251125}

// inOlder runs a test in every revision that has sessions over HTTP.
func inOlder(t *testing.T, f func(t *testing.T, rev protocol.Revision)) {
	for _, rev := range older {
		t.Run(string(rev), func(t *testing.T) { f(t, rev) })
	}
}

// A client sees one server, whichever handler its requests reach.
func TestCluster_ClientOfEveryRevision(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		if rev == protocol.Rev20241105 {
			continue // its transport is one connection
		}
		t.Run(string(rev), func(t *testing.T) {
			several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
				carrier := &httpclient.Client{URL: "http://localhost/", HTTPClient: s.balanced()}
				client, err := mcp.Connect(t.Context(), carrier, mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{
					Revision: rev, Log: noLog,
					Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
						return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				for range 7 {
					for tool, want := range map[string]string{"ask": "accept Ada", "work": "done", "greet": "Hello, you"} {
						args := map[string]any{}
						if tool == "greet" {
							args["name"] = "you"
						}
						if tool == "ask" && rev == protocol.Rev20250326 {
							continue // it knows no such questions
						}
						if got, err := mcp.Call[string](t.Context(), client, tool, args); err != nil || got != want {
							t.Errorf("%s: %q, %v", tool, got, err)
						}
					}
				}
				if err := client.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
			})
		})
	}
}

// The state and the end of a session hold at all Handlers.
func TestCluster_SessionState(t *testing.T) {
	inOlder(t, func(t *testing.T, rev protocol.Revision) {
		several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
			session := s.at[0].open(rev)
			if status, answer := s.at[1].post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`, "Mcp-Session-Id", session); status != http.StatusOK {
				t.Errorf("setting the level: %d %s", status, answer)
			}
			for _, at := range s.at {
				if _, answer := at.post(callBody("1", "work", `{}`), "Mcp-Session-Id", session); !strings.Contains(answer, "done") || strings.Contains(answer, "working") {
					t.Errorf("a call after setting the level: %s", answer)
				}
			}
			if status, _ := s.at[2].roundTrip(http.MethodDelete, "", "Mcp-Session-Id", session); status != http.StatusNoContent {
				t.Errorf("DELETE: %d", status)
			}
			for i, at := range s.at {
				if status, answer := at.post(callBody("1", "work", `{}`), "Mcp-Session-Id", session); status != http.StatusNotFound {
					t.Errorf("handler %d after DELETE: %d %s", i, status, answer)
				}
			}
		})
	})
}

// Another principal cannot use a session at any Handler (2025-11-25,
// basic/security_best_practices, "Session Hijacking").
func TestCluster_Principal(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		resp := s.at[0].send(t.Context(), http.MethodPost, initializeBody(protocol.Rev20251125), "X-Principal", "ada")
		resp.Body.Close()
		session := resp.Header.Get("Mcp-Session-Id")
		call := s.at[0].begin(http.MethodPost, callBody("1", "sleep", `{"seconds":60,"report":true}`), "Mcp-Session-Id", session, "X-Principal", "ada")
		id, _ := awaitEvent(t, call.Reader, "asleep")
		for _, principal := range []string{"", "eve", "Ada"} {
			for i, at := range s.at {
				for _, request := range [][]string{
					{http.MethodPost, callBody("2", "greet", `{"name":"x"}`)},
					{http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
					{http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{}}`},
					{http.MethodGet, ""}, {http.MethodGet, "", "Last-Event-ID", id}, {http.MethodDelete, ""},
				} {
					header := append([]string{"Mcp-Session-Id", session, "X-Principal", principal}, request[2:]...)
					if status, answer := at.roundTrip(request[0], request[1], header...); status != http.StatusNotFound {
						t.Errorf("%q at handler %d: %s: %d %s", principal, i, request, status, answer)
					}
				}
			}
		}
		if status, answer := s.at[1].post(callBody("2", "who", `{}`), "Mcp-Session-Id", session, "X-Principal", "ada"); status != http.StatusOK || !strings.Contains(answer, "ada") {
			t.Errorf("the principal itself: %d %s", status, answer)
		}
	})
}

var questionID = regexp.MustCompile(`"id":("[^"]+")`)

// A question is answered at another handler than the one that asks.
func TestCluster_Questions(t *testing.T) {
	inOlder(t, func(t *testing.T, rev protocol.Revision) {
		several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
			session := s.at[0].open(rev)
			if rev == protocol.Rev20250326 {
				// It has no elicitation: the client is told so wherever it calls.
				if _, answer := s.at[1].post(callBody("1", "ask", `{}`), "Mcp-Session-Id", session); !strings.Contains(answer, "isError") && !strings.Contains(answer, "error") {
					t.Errorf("asking who cannot be asked: %s", answer)
				}
				return
			}
			call := s.at[1].begin(http.MethodPost, callBody("1", "ask", `{}`), "Mcp-Session-Id", session)
			_, question := awaitEvent(t, call.Reader, "elicitation/create")
			id := questionID.FindStringSubmatch(question)[1]
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ada"}}}`, id)
			other := s.at[0].open(rev)
			if status, _ := s.at[2].post(answer, "Mcp-Session-Id", other); status != http.StatusAccepted {
				t.Errorf("answering in another session: %d", status)
			}
			synctest.Wait()
			if status, text := s.at[2].post(strings.Replace(answer, id, `"`+strings.Repeat("A", 26)+`.1"`, 1), "Mcp-Session-Id", session); status != http.StatusAccepted {
				t.Errorf("answering what nobody asks: %d %s", status, text)
			}
			if status, text := s.at[2].post(answer, "Mcp-Session-Id", session); status != http.StatusAccepted {
				t.Errorf("answering: %d %s", status, text)
			}
			awaitEvent(t, call.Reader, "accept Ada")
			if status, _ := s.at[0].post(answer, "Mcp-Session-Id", session); status != http.StatusAccepted {
				t.Errorf("answering twice: %d", status)
			}
		})
	})
}

// A call is cancelled at another handler than the one that runs it.
func TestCluster_Cancellation(t *testing.T) {
	inOlder(t, func(t *testing.T, rev protocol.Revision) {
		several(t, 3, httpserver.Options{}, func(t *testing.T, s *sites) {
			session := s.at[0].open(rev)
			call := s.at[1].begin(http.MethodPost, callBody("7", "sleep", `{"seconds":60,"report":true}`), "Mcp-Session-Id", session)
			awaitEvent(t, call.Reader, "asleep")
			if status, _ := s.at[2].post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, "Mcp-Session-Id", session); status != http.StatusAccepted {
				t.Errorf("cancelling: %d", status)
			}
			if rest := call.broken(); strings.Contains(rest, "slept") {
				t.Errorf("a cancelled call was answered: %s", rest)
			}
			synctest.Wait()
			if notes := s.at[1].notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "woken") {
				t.Errorf("the call ended: %v", notes)
			}
		})
	})
}

// DELETE ends calls at other Handlers.
func TestCluster_Delete(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		call := s.at[0].begin(http.MethodPost, callBody("7", "sleep", `{"seconds":60,"report":true}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, call.Reader, "asleep")
		changes := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", session)
		if status, _ := s.at[1].roundTrip(http.MethodDelete, "", "Mcp-Session-Id", session); status != http.StatusNoContent {
			t.Errorf("DELETE: %d", status)
		}
		call.broken()
		changes.broken()
		for i, at := range s.at {
			if status, _ := at.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id); status != http.StatusNotFound {
				t.Errorf("coming back to handler %d: %d", i, status)
			}
		}
		synctest.Wait()
		if notes := s.at[0].notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "woken") {
			t.Errorf("the call ended: %v", notes)
		}
	})
}

// A session lives as long as it is used anywhere, and no longer.
func TestCluster_IdleSessions(t *testing.T) {
	several(t, 2, httpserver.Options{SessionIdle: 8 * time.Minute}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		call := s.at[0].begin(http.MethodPost, callBody("1", "sleep", `{"seconds":3600,"report":true}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, call.Reader, "asleep")
		call.leave() // nothing of the session happens here any more
		before, _, err := s.store.LoadSession(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		back := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
		if rest := back.rest(t); !strings.Contains(rest, "slept") {
			t.Errorf("after an hour: %s", rest)
		}
		after, _, err := s.store.LoadSession(t.Context(), session)
		if err != nil || string(after) == string(before) {
			t.Errorf("that the session is used was not noted: %s, %v", after, err)
		}
		time.Sleep(time.Hour) // both forget it; the store, which has no clock, does not
		if status, answer := s.at[0].post(callBody("2", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("a session that the store has: %d %s", status, answer)
		}
		if err := s.store.DeleteSession(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		if status, _ := s.at[0].post(callBody("2", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusNotFound {
			t.Errorf("a session that the store has dropped: %d", status)
		}
	})
}

// A handler that is shut down takes no session with it.
func TestCluster_Shutdown(t *testing.T) {
	several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
		session := s.at[0].open(protocol.Rev20251125)
		call := s.at[0].begin(http.MethodPost, callBody("7", "sleep", `{"seconds":3600,"report":true}`), "Mcp-Session-Id", session)
		id, _ := awaitEvent(t, call.Reader, "asleep")
		call.leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = s.at[0].h.Shutdown(ctx)
		if status, answer := s.at[1].post(callBody("2", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("after the shutdown of another: %d %s", status, answer)
		}
		rest := s.at[1].begin(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id).rest(t)
		if !strings.Contains(rest, `"id":7`) || !strings.Contains(rest, "error") && !strings.Contains(rest, "isError") {
			t.Errorf("the call that ran there: %s", rest)
		}
	})
}
