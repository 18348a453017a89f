package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// guarded serves requests with a token only.
type guarded struct {
	http.Handler
	token  string
	status int
}

func (g guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+g.token {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://h/x"`)
		w.WriteHeader(g.status)
		return
	}
	g.Handler.ServeHTTP(w, r)
}

// Every request carries a token, and a refusal is a reason to get another
// (2026-07-28, basic/authorization).
func TestClient_Token(t *testing.T) {
	for name, tc := range map[string]struct {
		status  int
		tokens  []string // one a refusal; the last again and again
		wantErr string
		refused int
	}{
		"the right one":                {401, []string{"good"}, "", 0},
		"the right one, the next time": {401, []string{"old", "good"}, "", 1},
		"after two refusals":           {403, []string{"", "old", "good"}, "", 2},
		"too late":                     {401, []string{"a", "b", "c", "good"}, "401", 2},
		"the same again":               {401, []string{"old"}, "401", 1},
		"none at all":                  {401, []string{"error"}, "getting a token: no keyring", 0},
		"no other":                     {401, []string{"old", "error"}, "401 Unauthorized; getting a token: no keyring", 1},
	} {
		bubble(t, name, func(t *testing.T) {
			var mu sync.Mutex
			at, refusals := 0, 0
			client := serve(t, guarded{modern(nil), "good", tc.status})
			client.Token = func(_ context.Context, refused *httpclient.StatusError) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				if refused != nil {
					refusals++
					at = min(at+1, len(tc.tokens)-1)
					if !strings.Contains(refused.Header.Get("WWW-Authenticate"), "resource_metadata") {
						t.Errorf("refused with %v", refused.Header)
					}
				}
				if tc.tokens[at] == "error" {
					return "", errors.New("no keyring")
				}
				return tc.tokens[at], nil
			}
			conn, err := client.Connect(t.Context(), &newHost("").Host)
			if tc.wantErr == "" && err != nil || tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("connecting: %v", err)
			}
			if refusals != tc.refused {
				t.Errorf("refused %d times", refusals)
			}
			if err == nil {
				_ = conn.Close()
			}
		})
	}
	bubble(t, "in a session", func(t *testing.T) {
		f := session(protocol.Rev20250618, handlers{"GET": func(w *reply, r *request) { w.event(":"); <-r.gone }})
		client := serve(t, guarded{f, "good", 401})
		client.Header = http.Header{"Authorization": {"Basic x"}, "Host": {"example.com"}}
		client.Token = func(context.Context, *httpclient.StatusError) (string, error) { return "good", nil }
		conn := connect(t, client, &newHost("").Host)
		_, _ = call(t.Context(), conn, "x", "")
		_ = conn.Close()
		if log := f.log(); !strings.Contains(log, "initialize notifications/initialized") || !strings.Contains(log, "GET") || !strings.HasSuffix(log, "DELETE") {
			t.Errorf("the server got %s", log)
		}
	})
}

// unauthorized is a transport that has no token, as security/oauth has.
type unauthorized struct {
	base  http.RoundTripper
	tried int
}

func (u *unauthorized) RoundTrip(r *http.Request) (*http.Response, error) {
	u.tried++
	resp, err := u.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	return nil, noToken{}
}

type noToken struct{}

func (noToken) Error() string      { return "nobody has logged in" }
func (noToken) Unauthorized() bool { return true }

// A transport that finds no token has lost no request: nothing is sent again.
func TestClient_UnauthorizedTransport(t *testing.T) {
	bubble(t, "at once", func(t *testing.T) {
		client := serve(t, guarded{modern(nil), "good", 401})
		without := &unauthorized{base: client.HTTPClient.Transport}
		client.HTTPClient = &http.Client{Transport: without}
		_, err := client.Connect(t.Context(), &newHost("").Host)
		if !errors.As(err, new(noToken)) || errors.Is(err, httpclient.ErrRequestLost) || without.tried != 1 {
			t.Errorf("%v after %d attempts", err, without.tried)
		}
	})
}

// Credentials and messages for one server are not sent to another.
func TestClient_Redirects(t *testing.T) {
	var elsewhere []http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { elsewhere = append(elsewhere, r.Header) }))
	defer other.Close()
	for _, tc := range []struct {
		name, to string
		status   int
		wantErr  string
	}{
		{"to another origin", other.URL + "/mcp", 307, "another origin"},
		{"to another scheme", "https://server/mcp", 308, "another origin"},
		{"to another port", "http://server:8080/mcp", 307, "another origin"},
		{"within the origin", "http://SERVER:80/new", 307, ""},
		{"within the origin, without the body", "/new", 303, "303 See Other, to /new"},
		{"round and round", "/mcp", 307, "more than 5 times"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := modern(nil)
			client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/new" {
					f.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Location", tc.to)
				w.WriteHeader(tc.status)
			}))
			client.Header = http.Header{"X-Key": {"secret"}}
			conn, err := client.Connect(t.Context(), &newHost(protocol.Latest).Host)
			if tc.wantErr == "" && err != nil || tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("connecting: %v", err)
			}
			if err == nil {
				_ = conn.Close()
			}
		})
	}
	if len(elsewhere) != 0 {
		t.Errorf("sent elsewhere: %v", elsewhere)
	}
}

// One connection of HTTP/2 carries everything.
func TestClient_HTTP2(t *testing.T) {
	for _, f := range []*fake{
		modern(handlers{"wait": func(w *reply, r *request) { w.event(":"); <-r.gone }}),
		session(protocol.Rev20251125, handlers{"GET": func(w *reply, r *request) { w.event(":"); <-r.gone }, "wait": func(w *reply, r *request) { w.event(":"); <-r.gone }}),
	} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor != 2 {
				t.Errorf("a request of %s", r.Proto)
			}
			f.ServeHTTP(w, r)
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		conn, err := (&httpclient.Client{URL: server.URL, HTTPClient: server.Client()}).Connect(t.Context(), &newHost("").Host)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := call(ctx, conn, "wait", ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		cancel()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}

// Without anything set, the connection has an HTTP client of its own, and
// nothing of it is left when it is closed.
func TestClient_DefaultHTTPClient(t *testing.T) {
	for _, f := range []*fake{modern(handlers{"x": func(w *reply, _ *request) { w.message(w.response(`"result":1`)) }}), session(protocol.Rev20251125, handlers{"x": func(w *reply, _ *request) { w.result("1") }})} {
		server := httptest.NewServer(f)
		conn, err := (&httpclient.Client{URL: server.URL + "/mcp#fragment"}).Connect(t.Context(), &newHost("").Host)
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error)
		for range 100 {
			go func() {
				got, err := call(t.Context(), conn, "x", "")
				if got != "1" && err == nil {
					err = fmt.Errorf("got %s", got)
				}
				failed <- err
			}()
		}
		for range 100 {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}
