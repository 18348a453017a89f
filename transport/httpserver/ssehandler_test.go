package httpserver_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

func TestSSEHandler_Scripts(t *testing.T) {
	runScripts(t, "testdata/sse-*.txt", func(t *testing.T) shutdowner {
		return httpserver.NewSSEHandler(newFixture(t), &httpserver.SSEOptions{Connection: &transport.Options{Log: noLog, MaxMessage: 4096}})
	})
}

// sseSite is an SSEHandler on a network in memory, in a bubble.
func sseInBubble(t *testing.T, opts httpserver.SSEOptions, f func(s *site, h *httpserver.SSEHandler)) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{T: t, fixture: newFixture(t)}
		if opts.Connection == nil {
			opts.Connection = &transport.Options{Log: noLog}
		}
		h := httpserver.NewSSEHandler(s.fixture, &opts)
		s.network = serveOnPipes(h)
		s.client = s.network.newClient()
		f(s, h)
		s.client.CloseIdleConnections()
		if err := h.Shutdown(context.Background()); err != nil {
			t.Errorf("shutting down: %v", err)
		}
		s.network.close()
	})
}

// endpointOf reads where a stream wants messages.
func endpointOf(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	_, data := awaitEvent(t, r, "session=")
	return data
}

func TestSSEHandler_Endpoint(t *testing.T) {
	for endpoint, want := range map[string]string{
		"":                              "?session=",
		"/messages":                     "/messages?session=",
		"https://example.com/m?a=b%20c": "https://example.com/m?a=b+c&session=",
		"%":                             "%?session=",
	} {
		sseInBubble(t, httpserver.SSEOptions{Endpoint: endpoint}, func(s *site, _ *httpserver.SSEHandler) {
			resp := s.send(s.Context(), http.MethodGet, "")
			defer resp.Body.Close()
			if got := endpointOf(t, bufio.NewReader(resp.Body)); !strings.HasPrefix(got, want) {
				t.Errorf("%q: %q, want %q", endpoint, got, want)
			}
		})
	}
}

func TestSSEHandler_MaxSessions(t *testing.T) {
	sseInBubble(t, httpserver.SSEOptions{MaxSessions: 1}, func(s *site, _ *httpserver.SSEHandler) {
		resp := s.send(s.Context(), http.MethodGet, "")
		defer resp.Body.Close()
		if status, _ := s.roundTrip(http.MethodGet, ""); status != http.StatusServiceUnavailable {
			t.Errorf("status %d", status)
		}
	})
}

// A stalled client loses its stream, and its calls end.
func TestSSEHandler_StalledClient(t *testing.T) {
	sseInBubble(t, httpserver.SSEOptions{}, func(s *site, _ *httpserver.SSEHandler) {
		resp := s.send(s.Context(), http.MethodGet, "")
		defer resp.Body.Close()
		stream := bufio.NewReaderSize(resp.Body, 16)
		address := "http://localhost/" + endpointOf(t, stream)
		if status, _ := s.postTo(address, modernBody("1", "wait", `{}`)); status != http.StatusAccepted {
			t.Fatalf("status %d", status)
		}
		<-s.begun
		time.Sleep(time.Minute) // the comments are not read
		synctest.Wait()
		if got := s.notes(); len(got) != 1 {
			t.Errorf("the call: %q", got)
		}
		if status, _ := s.postTo(address, modernBody("2", "greet", `{}`)); status != http.StatusNotFound {
			t.Errorf("afterwards: status %d", status)
		}
	})
}

// Shutdown lets requests end, for a while.
func TestSSEHandler_Shutdown(t *testing.T) {
	sseInBubble(t, httpserver.SSEOptions{}, func(s *site, h *httpserver.SSEHandler) {
		resp := s.send(s.Context(), http.MethodGet, "")
		defer resp.Body.Close()
		stream := bufio.NewReader(resp.Body)
		if status, _ := s.postTo("http://localhost/"+endpointOf(t, stream), modernBody("1", "sleep", `{"seconds":1}`)); status != http.StatusAccepted {
			t.Fatalf("status %d", status)
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(s.Context(), time.Millisecond)
		defer cancel()
		if err := h.Shutdown(ctx); err == nil {
			t.Error("it has not waited")
		}
		awaitEvent(t, stream, "slept")
		if err := h.Shutdown(s.Context()); err != nil {
			t.Error(err)
		}
	})
}
