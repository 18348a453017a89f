package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Shutdown waits for running requests of both kinds. It refuses new requests,
// except answers that running requests need.
func TestShutdown_WaitsForRequests(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		session := s.open(protocol.Rev20251125)
		asking := s.send(s.Context(), http.MethodPost, callBody("1", "ask", `{}`), "Mcp-Session-Id", session)
		defer asking.Body.Close()
		stream := bufio.NewReader(asking.Body)
		awaitEvent(t, stream, "elicitation/create")
		var calls sync.WaitGroup
		calls.Go(func() {
			if status, answer := s.post(modernBody("2", "wait", `{}`), modernHeader("wait")...); status != http.StatusOK || !strings.Contains(answer, "released") {
				t.Errorf("status %d, %s", status, answer)
			}
		})
		<-s.begun
		ended := make(chan error, 1)
		go func() { ended <- s.h.Shutdown(s.Context()) }()
		synctest.Wait()
		if status, _ := s.post(callBody("3", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusServiceUnavailable {
			t.Errorf("a new call: status %d", status)
		}
		if status, _ := s.roundTrip(http.MethodGet, "", "Mcp-Session-Id", session); status != http.StatusServiceUnavailable {
			t.Errorf("a new stream: status %d", status)
		}
		if status, _ := s.post(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`, "Mcp-Session-Id", session); status != http.StatusAccepted {
			t.Errorf("the answer: status %d", status)
		}
		awaitEvent(t, stream, "decline")
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("it has not waited: %v", err)
		default:
		}
		close(s.release)
		calls.Wait()
		if err := <-ended; err != nil {
			t.Errorf("%v", err)
		}
	})
}

// A slow request is cancelled, and its client receives a response.
func TestShutdown_CancelsRequests(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		session := s.open(protocol.Rev20250618)
		var calls sync.WaitGroup
		for _, try := range [][]string{
			append([]string{modernBody("1", "wait", `{}`)}, modernHeader("wait")...),
			{callBody("2", "wait", `{}`), "Mcp-Session-Id", session},
		} {
			calls.Go(func() {
				if status, answer := s.post(try[0], try[1:]...); status != http.StatusOK || !strings.Contains(answer, "shutting down") && errorCode(t, answer) == 0 {
					t.Errorf("status %d, %s", status, answer)
				}
			})
			<-s.begun
		}
		impatient := errors.New("impatient")
		ctx, cancel := context.WithTimeoutCause(s.Context(), 5*time.Second, impatient)
		defer cancel()
		if err := s.h.Shutdown(ctx); !errors.Is(err, impatient) {
			t.Errorf("%v", err)
		}
		calls.Wait()
		if got := s.notes(); !slices.Equal(got, []string{"ended: the server is shutting down", "ended: the server is shutting down"}) {
			t.Errorf("the calls: %q", got)
		}
		if err := s.h.Shutdown(s.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// A handler that ignores its context does not block Shutdown for ever.
func TestShutdown_GivesUp(t *testing.T) {
	stuck := make(chan struct{})
	inBubble(t, nil, func() protocol.Dispatcher {
		stuck = make(chan struct{})
		return dispatcherFunc(func(context.Context, *protocol.Request) (protocol.Result, error) {
			<-stuck
			return protocol.EmptyResult{}, nil
		})
	}, func(s *site) {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + metaMember + `}}`
		var call sync.WaitGroup
		call.Go(func() { s.post(body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list") })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(s.Context(), time.Second)
		defer cancel()
		if err := s.h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		close(stuck)
		call.Wait()
	})
}

// A subscription that was not acknowledged has no result.
func TestShutdown_BeforeAcknowledgement(t *testing.T) {
	inBubble(t, nil, func() protocol.Dispatcher {
		return dispatcherFunc(func(ctx context.Context, _ *protocol.Request) (protocol.Result, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
	}, func(s *site) {
		var call sync.WaitGroup
		call.Go(func() {
			listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + metaMember + `}}`
			status, answer := s.post(listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
			if status != http.StatusServiceUnavailable || errorCode(t, answer) == 0 {
				t.Errorf("status %d, %s", status, answer)
			}
		})
		synctest.Wait()
		if err := s.h.Shutdown(s.Context()); err != nil {
			t.Error(err)
		}
		call.Wait()
	})
}

// dispatcherFunc is a Dispatcher that is a function.
type dispatcherFunc func(context.Context, *protocol.Request) (protocol.Result, error)

func (f dispatcherFunc) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	return f(ctx, req)
}

// flood sends progress until sending fails.
func flood(f *fixture) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: "flood"}, func(ctx context.Context, _ none) (string, error) {
		f.begun <- "flood"
		for i := 1.0; ctx.Err() == nil; i++ {
			if err := mcp.CallFrom(ctx).Request.Notify(ctx, &protocol.ProgressNotification{Token: []byte("1"), Progress: i}); err != nil {
				f.note("nobody reads")
				return "", err
			}
			if i == 1000 {
				f.note("all sent")
				return "done", nil
			}
		}
		f.note(fmt.Sprintf("ended: %v", context.Cause(ctx)))
		return "", context.Cause(ctx)
	})
}

// A client that takes nothing more is given up after a while. That ends a
// request of 2026-07-28; one of a session goes on, and its client can come back.
func TestResponse_StalledClient(t *testing.T) {
	inBubble(t, nil, nil, func(s *site) {
		if err := s.Replace("flood", mcp.Features{Tools: []mcp.ServerTool{flood(s.fixture)}}); err != nil {
			t.Fatal(err)
		}
		session := s.open(protocol.Rev20251125)
		modern := s.stall(modernBody("1", "flood", `{}`), modernHeader("flood")...)
		defer modern.Close()
		older := s.stall(callBody("2", "flood", `{}`), "Mcp-Session-Id", session)
		defer older.Close()
		// Others are not held up.
		if status, _ := s.post(callBody("3", "greet", `{"name":"x"}`), "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if got := s.notes(); len(got) != 0 {
			t.Errorf("after 29 s: %q", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		got := s.notes()
		slices.Sort(got)
		if !slices.Equal(got, []string{"all sent", "nobody reads"}) {
			t.Errorf("after 31 s: %q", got)
		}
		resp := s.send(s.Context(), http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", "1-0")
		defer resp.Body.Close()
		awaitEvent(t, bufio.NewReader(resp.Body), `"id":2,"result"`)
	})
}

// A stalled stream delays neither the end of its session, nor a client that
// resumes it, nor an eviction.
func TestStream_StalledClient(t *testing.T) {
	for name, act := range map[string]func(s *site, session string){
		"DELETE": func(s *site, session string) {
			s.expectStatus(first(s.roundTrip(http.MethodDelete, "", "Mcp-Session-Id", session)), http.StatusNoContent, "DELETE")
		},
		"cancel": func(s *site, session string) {
			cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
			s.expectStatus(first(s.post(cancel, "Mcp-Session-Id", session)), http.StatusAccepted, "cancelling")
		},
		"coming back": func(s *site, session string) {
			resp := s.send(s.Context(), http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", "1-0")
			defer resp.Body.Close()
			awaitEvent(t, bufio.NewReader(resp.Body), "progress")
		},
		"shutdown": func(s *site, _ string) {
			ctx, cancel := context.WithTimeout(s.Context(), 0)
			defer cancel()
			_ = s.h.Shutdown(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, nil, func(s *site) {
				if err := s.Replace("flood", mcp.Features{Tools: []mcp.ServerTool{flood(s.fixture)}}); err != nil {
					t.Fatal(err)
				}
				session := s.open(protocol.Rev20251125)
				conn := s.stall(callBody("1", "flood", `{}`), "Mcp-Session-Id", session)
				defer conn.Close()
				synctest.Wait()
				start := time.Now()
				act(s, session)
				if took := time.Since(start); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func first(status int, _ string) int { return status }

// stall sends a request whose answer is not read.
func (s *site) stall(body string, header ...string) net.Conn {
	s.Helper()
	conn := s.network.connect(s.T)
	var wire strings.Builder
	fmt.Fprintf(&wire, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n", len(body))
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(&wire, "%s: %s\r\n", header[i], header[i+1])
	}
	if _, err := io.WriteString(conn, wire.String()+"\r\n"+body); err != nil {
		s.Fatal(err)
	}
	<-s.begun
	return conn
}

// A panic is the error of its request alone.
func TestHandler_Panics(t *testing.T) {
	panics := func() protocol.Dispatcher {
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Log: noLog})
		return dispatcherFunc(func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			switch req.Method {
			case "prompts/list":
				panic("boom")
			case "tools/call":
				return brokenResult{}, nil
			case "resources/list":
				return nil, nil
			case "resources/read":
				panic(http.ErrAbortHandler)
			}
			return srv.Dispatch(ctx, req)
		})
	}
	inBubble(t, nil, panics, func(s *site) {
		session := s.open(protocol.Rev20251125)
		for _, method := range []string{"prompts/list", "tools/call", "resources/list", "resources/read"} {
			older := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"x","uri":"x"}}`, method)
			modern := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"x","uri":"x",%s}}`, method, metaMember)
			for _, try := range [][]string{
				{older, "Mcp-Session-Id", session},
				{modern, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", "x"},
			} {
				status, answer := s.post(try[0], try[1:]...)
				if status != http.StatusOK || errorCode(t, answer) != protocol.CodeInternal {
					t.Errorf("%s: status %d, %s", try[0], status, answer)
				}
			}
		}
		if status, answer := s.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", session); status != http.StatusOK {
			t.Errorf("afterwards: status %d, %s", status, answer)
		}
	})
}

// brokenResult cannot be written.
type brokenResult struct{}

func (brokenResult) AppendJSON(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(dst, "half"...), errors.New("broken")
}

// Notifications after the answer go nowhere.
func TestHandler_NotificationAfterAnswer(t *testing.T) {
	late := make(chan func() error, 2)
	behind := func() protocol.Dispatcher {
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Log: noLog})
		return dispatcherFunc(func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			if req.Method != "x/late" {
				return srv.Dispatch(ctx, req)
			}
			late <- func() error { return req.Notify(ctx, &protocol.RawNotification{Name: "notifications/x"}) }
			return protocol.EmptyResult{}, nil
		})
	}
	inBubble(t, nil, behind, func(s *site) {
		for _, try := range [][]string{
			{`{"jsonrpc":"2.0","id":1,"method":"x/late"}`, "Mcp-Session-Id", s.open(protocol.Rev20250618)},
			{`{"jsonrpc":"2.0","id":1,"method":"x/late","params":{` + metaMember + `}}`, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "x/late"},
		} {
			if status, answer := s.post(try[0], try[1:]...); status != http.StatusOK || errorCode(t, answer) != 0 {
				t.Errorf("status %d, %s", status, answer)
			}
			if err := (<-late)(); err == nil {
				t.Error("a late notification was accepted")
			}
		}
	})
}
