package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// An unused session ends; a session with a running request does not.
func TestSessionTable_Expiry(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		idle, used, listening := s.open(protocol.Rev20251125), s.open(protocol.Rev20251125), s.open(protocol.Rev20251125)
		ctx, leave := context.WithCancel(s.Context())
		stream := s.send(ctx, http.MethodGet, "", "Mcp-Session-Id", listening)
		var reading sync.WaitGroup
		reading.Go(func() { _, _ = io.Copy(io.Discard, stream.Body) })
		status := func(id string) int {
			code, _ := s.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id)
			return code
		}
		time.Sleep(29 * time.Minute)
		if got := status(used); got != http.StatusOK {
			t.Errorf("after 29 minutes: status %d", got)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for id, want := range map[string]int{idle: 404, used: 200, listening: 200} {
			if got := status(id); got != want {
				t.Errorf("after 31 minutes: status %d, want %d", got, want)
			}
		}
		leave()
		reading.Wait()
		_ = stream.Body.Close()
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		if got := status(listening); got != http.StatusNotFound {
			t.Errorf("31 minutes after its stream broke: status %d", got)
		}
	})
}

// An expired session takes its calls with it.
func TestSessionTable_ExpiryCancelsCalls(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		ctx, leave := context.WithCancel(s.Context())
		resp := s.send(ctx, http.MethodPost, callBody("1", "sleep", `{"seconds":7200,"report":true}`), "Mcp-Session-Id", s.open(protocol.Rev20251125))
		leave()
		_ = resp.Body.Close()
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		if got := s.notes(); len(got) != 1 || !strings.Contains(got[0], "not used for too long") {
			t.Errorf("the call: %q", got)
		}
	})
}

func TestSessionTable_Eviction(t *testing.T) {
	inBubble(t, &httpserver.Options{MaxSessions: 2}, nil, func(s *site) {
		first := s.open(protocol.Rev20250618)
		time.Sleep(time.Second)
		second := s.open(protocol.Rev20250618)
		time.Sleep(time.Second)
		if status, _ := s.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", first); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		third := s.open(protocol.Rev20250618) // ends the second, which has been idle longest
		for id, want := range map[string]int{first: 200, second: 404, third: 200} {
			if got, _ := s.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id); got != want {
				t.Errorf("status %d, want %d", got, want)
			}
		}
		for _, id := range []string{first, third} {
			defer s.send(s.Context(), http.MethodGet, "", "Mcp-Session-Id", id).Body.Close()
		}
		status, answer := s.post(initializeBody(protocol.Rev20250618))
		if status != http.StatusServiceUnavailable || errorCode(t, answer) != protocol.CodeInternal {
			t.Errorf("with all sessions in use: status %d, %s", status, answer)
		}
	})
}

// Requests past the limit are refused; one that waits for its client's answer
// does not count.
func TestAdmission_Concurrency(t *testing.T) {
	inBubble(t, &httpserver.Options{Concurrency: 1}, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		asking := s.send(s.Context(), http.MethodPost, callBody("1", "ask", `{}`), "Mcp-Session-Id", session)
		defer asking.Body.Close()
		question := bufio.NewReader(asking.Body)
		awaitEvent(t, question, "elicitation/create")
		synctest.Wait()

		var waiting sync.WaitGroup
		waiting.Go(func() {
			if status, answer := s.post(modernBody("2", "wait", `{}`), modernHeader("wait")...); status != http.StatusOK {
				t.Errorf("status %d, %s", status, answer)
			}
		})
		<-s.begun
		for _, try := range []struct {
			body   string
			header []string
		}{
			{modernBody("3", "greet", `{"name":"x"}`), modernHeader("greet")},
			{callBody("4", "greet", `{"name":"x"}`), []string{"Mcp-Session-Id", session}},
			{initializeBody(protocol.Rev20250618), nil},
		} {
			status, answer := s.post(try.body, try.header...)
			if status != http.StatusServiceUnavailable || !strings.Contains(answer, "busy") {
				t.Errorf("%s: status %d, %s", try.body, status, answer)
			}
		}
		if status, _ := s.post(`{"jsonrpc":"2.0","id":5,"method":"ping"}`, "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("ping: status %d", status)
		}
		// The answer makes the call go on, once there is room for it.
		if status, _ := s.post(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`, "Mcp-Session-Id", session); status != http.StatusAccepted {
			t.Errorf("answering: status %d", status)
		}
		synctest.Wait()
		close(s.release)
		waiting.Wait()
		awaitEvent(t, question, "decline")
	})
}

// Calls that wait for their clients are many, but not without end.
func TestAdmission_WaitingCalls(t *testing.T) {
	inBubble(t, &httpserver.Options{Concurrency: 1}, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		for i := range 9 {
			resp := s.send(s.Context(), http.MethodPost, callBody(fmt.Sprint(i), "ask", `{}`), "Mcp-Session-Id", session)
			defer resp.Body.Close()
			want := http.StatusOK
			if i == 8 {
				want = http.StatusServiceUnavailable
			}
			if resp.StatusCode != want {
				t.Errorf("call %d: status %d, want %d", i, resp.StatusCode, want)
			} else if i < 8 {
				awaitEvent(t, bufio.NewReader(resp.Body), "elicitation/create")
			}
			synctest.Wait() // until it waits
		}
		s.roundTrip(http.MethodDelete, "", "Mcp-Session-Id", session)
	})
}

// The calls of one session wait for each other, but not without end.
func TestAdmission_SessionConcurrency(t *testing.T) {
	inBubble(t, &httpserver.Options{SessionConcurrency: 2}, nil, func(s *site) {
		session, other := s.open(protocol.Rev20250618), s.open(protocol.Rev20250618)
		var mu sync.Mutex
		statuses := make(map[int]int)
		var calls sync.WaitGroup
		for i := range 2 + 128 + 5 {
			calls.Go(func() {
				status, _ := s.post(callBody(fmt.Sprint(i), "wait", `{}`), "Mcp-Session-Id", session)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		synctest.Wait()
		if n := len(s.begun); n != 2 {
			t.Errorf("%d calls run, want 2", n)
		}
		if status, _ := s.post(callBody("1", "greet", `{"name":"x"}`), "Mcp-Session-Id", other); status != http.StatusOK {
			t.Errorf("another session: status %d", status)
		}
		close(s.release)
		calls.Wait()
		if statuses[http.StatusOK] != 130 || statuses[http.StatusTooManyRequests] != 5 {
			t.Errorf("statuses %v", statuses)
		}
	})
}

// A call that waits for its turn can be cancelled.
func TestAdmission_WaitingCallCancelled(t *testing.T) {
	inBubble(t, &httpserver.Options{SessionConcurrency: 1}, nil, func(s *site) {
		session := s.open(protocol.Rev20250618)
		var calls sync.WaitGroup
		for _, id := range []string{"1", "2"} {
			calls.Go(func() { s.post(callBody(id, "wait", `{}`), "Mcp-Session-Id", session) })
			synctest.Wait()
		}
		s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "Mcp-Session-Id", session)
		synctest.Wait()
		close(s.release)
		calls.Wait()
		if got := s.notes(); !slices.Equal(got, []string{"released"}) {
			t.Errorf("the calls: %q", got)
		}
	})
}

func TestAdmission_Streams(t *testing.T) {
	inBubble(t, &httpserver.Options{MaxStreams: 1}, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		defer s.send(s.Context(), http.MethodGet, "", "Mcp-Session-Id", session).Body.Close()
		if status, _ := s.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session); status != http.StatusServiceUnavailable {
			t.Errorf("GET: status %d", status)
		}
		listen := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},%s}}`, metaMember)
		if status, _ := s.post(listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"); status != http.StatusServiceUnavailable {
			t.Errorf("subscriptions/listen: status %d", status)
		}
	})
}

// Leaving cancels a request of 2026-07-28 and no other.
func TestHandler_ClientLeaves(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		for _, try := range []struct {
			body   string
			header []string
			want   []string
		}{
			{modernBody("1", "wait", `{}`), modernHeader("wait"), []string{"ended: context canceled"}},
			{callBody("1", "wait", `{}`), []string{"Mcp-Session-Id", session}, []string{"ended: context canceled"}},
		} {
			ctx, leave := context.WithCancel(s.Context())
			var call sync.WaitGroup
			call.Go(func() {
				if _, err := s.try(ctx, http.MethodPost, try.body, try.header...); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			})
			<-s.begun
			leave()
			call.Wait()
			synctest.Wait()
			if got := s.notes(); !slices.Equal(got, try.want) {
				t.Errorf("%s: %q, want %q", try.body, got, try.want)
			}
		}
		close(s.release)
		synctest.Wait()
		if got := s.notes(); !slices.Equal(got, []string{"ended: context canceled", "released"}) {
			t.Errorf("at last: %q", got)
		}
	})
}

// Large bodies share the limit MaxBodies; small bodies do not count.
func TestHandler_BodyLimits(t *testing.T) {
	inBubble(t, &httpserver.Options{MaxMessage: 200 << 10, MaxBodies: 300 << 10}, nil, func(s *site) {
		large := func(id string) string {
			return callBody(id, "wait", `{"padding":"`+strings.Repeat("x", 190<<10)+`"}`)
		}
		session := s.open(protocol.Rev20250618)
		// The tool refuses the padding, which shows that the body has arrived.
		half := func() (net.Conn, string) {
			conn, body := s.network.connect(s.T), large("1")
			head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n", session, len(body))
			if _, err := io.WriteString(conn, head+body[:180<<10]); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return conn, body[180<<10:]
		}
		conn, rest := half()
		if status, answer := s.post(large("2"), "Mcp-Session-Id", session); status != http.StatusServiceUnavailable || !strings.Contains(answer, `"id":2`) {
			t.Errorf("a second large body: status %d, %s", status, answer)
		}
		if status, _ := s.post(callBody("3", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("a small body: status %d", status)
		}
		if _, err := io.WriteString(conn, rest); err != nil {
			t.Fatal(err)
		}
		if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("the first: %v, %v", resp, err)
		}
		_ = conn.Close()
		synctest.Wait()
		if status, _ := s.post(large("4"), "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("afterwards: status %d", status)
		}
	})
}

// A request for changes that is refused leaves nothing behind.
func TestAdmission_RefusedStream(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		synctest.Wait()
		const refusals = 50
		before := runtime.NumGoroutine() // of the process: what other tests leave ends when it likes
		for range refusals {
			if status, _ := s.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", "0-7"); status != http.StatusBadRequest {
				t.Fatalf("status %d", status)
			}
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if left := runtime.NumGoroutine() - before; left >= refusals {
			t.Errorf("%d requests have left %d goroutines", refusals, left)
		}
	})
}

// Options are routes of transport.HTTP.
func TestOptions_Route(t *testing.T) {
	for _, route := range []transport.Route{httpserver.Options{Log: noLog}, &httpserver.Options{}, httpserver.SSEOptions{}, &httpserver.SSEOptions{}} {
		h := route.Handler(newFixture(t))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/", nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%T: status %d", route, w.Code)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("%T: %v", route, err)
		}
	}
}
