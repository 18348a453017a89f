package httpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// events is a server of 2024-11-05: a stream at /mcp, and POST to its endpoint.
type events struct {
	endpoint string // the data of the first event
	accept   func(w *reply, r *request, say func(string))

	mu  sync.Mutex
	got []*request
	out chan string // what is said on the stream
	cut chan struct{}
}

func newEvents(accept func(w *reply, r *request, say func(string))) *events {
	return &events{endpoint: "event: endpoint\ndata: /post?session=1", accept: accept, out: make(chan string, 100), cut: make(chan struct{})}
}

func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/mcp" && r.Method == http.MethodGet {
		answer := &reply{w, nil}
		out := e.open()
		answer.event(e.endpoint)
		for {
			select {
			case m := <-out:
				answer.message(m)
			case <-e.cut:
				return
			case <-r.Context().Done():
				return
			}
		}
	}
	body, _ := io.ReadAll(r.Body)
	got := &request{HTTP: r.Method, Path: r.URL.Path, Header: r.Header, Body: string(body), at: time.Now(), gone: r.Context().Done()}
	_ = json.Unmarshal(body, got)
	e.mu.Lock()
	e.got = append(e.got, got)
	e.mu.Unlock()
	answer := &reply{w, got}
	switch {
	case r.URL.Path != "/post":
		http.NotFound(w, r)
	case got.Method == "initialize":
		w.WriteHeader(202)
		e.say(answer.response(`"result":` + initialized(protocol.Rev20241105)))
	case e.accept != nil:
		e.accept(answer, got, e.say)
	default:
		w.WriteHeader(202)
	}
}

// open begins a stream, which replaces the previous one.
func (e *events) open() <-chan string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.out = make(chan string, 100)
	return e.out
}

func (e *events) say(message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.out <- message
}

func (e *events) methods() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, r := range e.got {
		all = append(all, strings.TrimSpace(r.Path+" "+r.Method))
	}
	return strings.Join(all, ", ")
}

// answering accepts everything and answers requests.
func answering(w *reply, r *request, say func(string)) {
	w.WriteHeader(202)
	if r.ID != nil && r.Method != "" {
		say(w.response(`"result":` + string(r.Params)))
	}
}

// A server that has HTTP+SSE alone is found out, once (2025-11-25,
// basic/transports, "Backwards Compatibility").
func TestSSE_Connect(t *testing.T) {
	for name, tc := range map[string]struct {
		sse    bool
		pinned protocol.Revision
		log    string
	}{
		"found out":             {false, "", "/mcp server/discover, /mcp initialize, /post initialize, /post notifications/initialized, /post x, /post initialize, /post notifications/initialized, /post x"},
		"pinned":                {false, protocol.Rev20241105, "/mcp initialize, /post initialize, /post notifications/initialized, /post x, /post initialize, /post notifications/initialized, /post x"},
		"known":                 {true, "", "/post initialize, /post notifications/initialized, /post x, /post initialize, /post notifications/initialized, /post x"},
		"pinned to a newer one": {false, protocol.Rev20250618, ""},
	} {
		bubble(t, name, func(t *testing.T) {
			e := newEvents(answering)
			client := serve(t, e)
			client.SSE = tc.sse
			client.Header = http.Header{"X-Key": {"k"}}
			if tc.log == "" {
				var status *httpclient.StatusError
				if _, err := client.Connect(t.Context(), &newHost(tc.pinned).Host); !errors.As(err, &status) || status.Code != 404 {
					t.Errorf("connecting: %v", err)
				}
				return
			}
			for range 2 {
				conn, err := client.Connect(t.Context(), &newHost(tc.pinned).Host)
				if err != nil {
					t.Fatal(err)
				}
				if conn.Revision() != protocol.Rev20241105 || conn.Discovered().Server.Name != "fake" {
					t.Errorf("connected to %+v at %s", conn.Discovered(), conn.Revision())
				}
				if got, err := call(t.Context(), conn, "x", `{"n":1}`); got != `{"n":1}` || err != nil {
					t.Errorf("got %s, %v", got, err)
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			}
			if log := e.methods(); log != tc.log {
				t.Errorf("the server got %s", log)
			}
			for _, r := range e.got {
				if r.Header.Get("X-Key") != "k" || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s has %v", r.Body, r.Header)
				}
			}
		})
	}
}

// The server says where to post to, within its origin.
func TestSSE_Endpoint(t *testing.T) {
	for first, wantErr := range map[string]string{
		"event: endpoint\ndata: /post":                          "",
		"event: endpoint\ndata: post?a=b#c":                     "",
		"event: endpoint\ndata: http://server:80/post":          "",
		"event: endpoint\ndata:  //server/post ":                "",
		"event: endpoint\ndata: http://evil/post":               "another origin",
		"event: endpoint\ndata: https://server/post":            "another origin",
		"event: endpoint\ndata: javascript:alert(1)":            "another origin",
		"event: endpoint\ndata: http://a b/":                    "endpoint",
		"data: /post":                                           "where to post to",
		"event: message\ndata: {}":                              "where to post to",
		": nothing yet":                                         "where to post to",
		"event: endpoint\ndata: " + strings.Repeat("x", 70_000): "where to post to",
	} {
		bubble(t, fmt.Sprintf("%.60s", first), func(t *testing.T) {
			e := newEvents(answering)
			e.endpoint = first
			client := serve(t, e)
			client.SSE, client.Options.MaxMessage = true, 65_536
			conn, err := client.Connect(t.Context(), &newHost("").Host)
			if wantErr == "" && err != nil || wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)) {
				t.Errorf("connecting: %v", err)
			}
			if err == nil {
				_ = conn.Close()
			}
		})
	}
	bubble(t, "nowhere, and the caller gives up", func(t *testing.T) {
		e := newEvents(nil)
		e.endpoint = ":"
		client := serve(t, e)
		client.SSE = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := client.Connect(ctx, &newHost("").Host); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("connecting: %v", err)
		}
	})
}

// The cases are messages that the server accepts late or not at all.
func TestSSE_Messages(t *testing.T) {
	for name, tc := range map[string]struct {
		accept  func(w *reply, r *request, say func(string))
		want    string
		wantErr string
		ends    bool
	}{
		"a server that serves before it accepts": {accept: func(w *reply, r *request, say func(string)) {
			if r.Method == "slow" {
				time.Sleep(time.Hour)
			}
			answering(w, r, say)
		}, want: `{}`},
		"a refusal":      {accept: func(w *reply, r *request, _ func(string)) { w.body(413, "text/plain", "too large") }, wantErr: "413"},
		"a broken POST":  {accept: func(w *reply, _ *request, _ func(string)) { hangUp(w) }, wantErr: "broke"},
		"a session gone": {accept: func(w *reply, r *request, _ func(string)) { w.WriteHeader(404) }, wantErr: "closed", ends: true},
		"an error": {accept: func(w *reply, r *request, say func(string)) {
			w.WriteHeader(202)
			say(w.response(`"error":{"code":7,"message":"no"}`))
		}, wantErr: "no"},
		"a stream of a POST": {accept: func(w *reply, r *request, say func(string)) { w.event(":"); say(w.response(`"result":{}`)); <-r.gone }, want: `{}`},
	} {
		bubble(t, name, func(t *testing.T) {
			e := newEvents(func(w *reply, r *request, say func(string)) {
				if r.Method == "notifications/initialized" {
					w.WriteHeader(202)
					return
				}
				tc.accept(w, r, say)
			})
			client := serve(t, e)
			client.SSE = true
			conn, err := client.Connect(t.Context(), &newHost("").Host)
			if err != nil {
				t.Fatal(err)
			}
			slow := make(chan error, 1)
			if tc.want != "" {
				go func() {
					_, err := call(t.Context(), conn, "slow", `{}`)
					slow <- err
				}()
				synctest.Wait()
			}
			began := time.Now()
			got, err := call(t.Context(), conn, "x", `{}`)
			if got != tc.want || tc.wantErr == "" && err != nil || tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("got %s, %v", got, err)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("a slow message held up the next for %v", took)
			}
			if tc.want != "" {
				if err := <-slow; err != nil {
					t.Error(err)
				}
			}
			if tc.ends {
				<-conn.Done()
			}
			if err := conn.Close(); err != nil && !tc.ends {
				t.Error(err)
			}
		})
	}
	bubble(t, "questions, notifications, and the end", func(t *testing.T) {
		var e *events
		answers := make(chan string, 1)
		e = newEvents(func(w *reply, r *request, say func(string)) {
			w.WriteHeader(202)
			switch r.Method {
			case "":
				answers <- r.Body
			case "x":
				say(question("5", "roots/list", `{}`))
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				e.say(w.response(`"result":` + <-answers))
			}
		})
		client := serve(t, e)
		client.SSE = true
		h := newHost("")
		h.Answer = func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
			return json.RawMessage(`{"roots":[]}`), nil
		}
		conn := connect(t, client, &h.Host)
		if got, err := call(t.Context(), conn, "x", ""); got != `{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}` || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
		if err := conn.(protocol.Notifier).Notify(t.Context(), &protocol.RawNotification{Name: "notifications/x"}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if h.notified() != "notifications/tools/list_changed" || !strings.HasSuffix(e.methods(), "/post notifications/x") {
			t.Errorf("the host got %s, the server %s", h.notified(), e.methods())
		}
		close(e.cut)
		<-conn.Done()
		if _, err := call(t.Context(), conn, "x", ""); err == nil {
			t.Error("a request was sent after the end")
		}
	})
}
