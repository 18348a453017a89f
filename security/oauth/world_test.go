package oauth_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/security/oauth"
)

func TestMain(m *testing.M) { testleak.Main(m) }

const (
	resourceURL = "https://mcp.example.com/mcp"
	issuerURL   = "https://as.example.com"
	redirectURL = "http://127.0.0.1:4711/callback"
)

// world is a network without wires: it answers for every host that it has.
type world struct {
	t testing.TB

	mu    sync.Mutex
	hosts map[string]http.Handler
	asked []string // METHOD URL, without queries
	seen  bytes.Buffer
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{t: t, hosts: make(map[string]http.Handler)}
}

// RoundTrip implements http.RoundTripper.
func (w *world) RoundTrip(req *http.Request) (*http.Response, error) {
	bare := *req.URL
	bare.RawQuery = ""
	w.mu.Lock()
	w.asked = append(w.asked, req.Method+" "+bare.String())
	handler := w.hosts[req.URL.Scheme+"://"+req.URL.Host]
	w.mu.Unlock()
	if handler == nil {
		return nil, fmt.Errorf("nobody is at %s", req.URL.Host)
	}
	served := req.Clone(req.Context())
	served.RequestURI, served.Host = req.URL.RequestURI(), req.URL.Host
	if served.Body == nil {
		served.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, served)
	if req.Body != nil {
		_ = req.Body.Close()
	}
	if err := context.Cause(req.Context()); err != nil {
		return nil, err
	}
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}

// requests returns the requests since the last call.
func (w *world) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.asked
	w.asked = nil
	return all
}

// count is how many requests went to something.
func (w *world) count(request string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, asked := range w.asked {
		if asked == request {
			n++
		}
	}
	return n
}

// Write takes the log.
func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.Write(p)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

// client is one whose user consents to everything. The test ends it, and looks whether it has logged a secret.
func (w *world) client(change ...func(*oauth.Client)) *oauth.Client {
	c := &oauth.Client{
		Name: "A test", HTTP: w, Authorizer: &person{world: w},
		Log: slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(c)
	}
	w.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			w.t.Error(err)
		}
		if strings.Contains(w.logged(), "secret-") {
			w.t.Errorf("the log shows a secret:\n%s", w.logged())
		}
	})
	return c
}

// get sends a request and returns its status, and the body or the error.
func get(t testing.TB, transport http.RoundTripper, change ...func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, resourceURL, strings.NewReader("the body"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(req)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		if strings.Contains(err.Error(), "secret-") {
			t.Errorf("the error shows a secret: %v", err)
		}
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// person is a user that consents to each request.
type person struct {
	*world
	redirect string                                        // default redirectURL
	answer   func(ctx context.Context, v url.Values) error // changes the response
	wishes   []string
}

func (p *person) Begin(_ context.Context, wish string) (oauth.Login, error) {
	p.wishes = append(p.wishes, wish)
	return p, nil
}
func (p *person) Close() error { return nil }

func (p *person) RedirectURL() string {
	if p.redirect != "" {
		return p.redirect
	}
	return redirectURL
}

func (p *person) Authorize(ctx context.Context, page string) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	back, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("%d: %w", resp.StatusCode, err)
	}
	if !strings.HasPrefix(back.String(), p.RedirectURL()+"?") {
		return nil, fmt.Errorf("sent back to %s", back)
	}
	values := back.Query()
	if p.answer != nil {
		err = p.answer(ctx, values)
	}
	return values, err
}
