package oauth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// Bodies are sent again as they were.
func TestTransport_BodySentAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		size, want int
		body       func(string) func(*http.Request)
	}{
		"by the caller": {5, 200, func(string) func(*http.Request) { return func(*http.Request) {} }},
		"from memory": {1 << 20, 200, func(text string) func(*http.Request) {
			return func(r *http.Request) { r.Body, r.GetBody, r.ContentLength = closer{strings.NewReader(text)}, nil, -1 }
		}},
		"not when they are too large": {5 << 20, 401, func(text string) func(*http.Request) {
			return func(r *http.Request) { r.Body, r.GetBody, r.ContentLength = closer{strings.NewReader(text)}, nil, -1 }
		}},
		"none": {0, 200, func(string) func(*http.Request) {
			return func(r *http.Request) { r.Body, r.GetBody, r.ContentLength = nil, nil, 0 }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, _ := standard(t)
			text := strings.Repeat("x", tc.size)
			status, body := get(t, w.client().Transport(resourceURL, w), tc.body(text))
			if name == "by the caller" {
				text = "the body"
			}
			if status != tc.want || status == 200 && body != text+" with " {
				t.Errorf("%d with %d bytes", status, len(body))
			}
		})
	}
	w, _, _ := standard(t)
	_, said := get(t, w.client().Transport(resourceURL, w), func(r *http.Request) { r.Body, r.GetBody = closer{failing{}}, nil })
	if !strings.Contains(said, "no body") {
		t.Error(said)
	}
}

type closer struct {
	r interface{ Read([]byte) (int, error) }
}

func (c closer) Read(p []byte) (int, error) { return c.r.Read(p) }
func (closer) Close() error                 { return nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no body") }

// A program may log in before anything waits for it.
func TestClient_AuthorizeAndDiscover(t *testing.T) {
	w, rs, as := standard(t)
	rs.challenge, rs.place = `resource_metadata="https://mcp.example.com/about"`, "/about"
	old := http.DefaultTransport
	http.DefaultTransport = w
	t.Cleanup(func() { http.DefaultTransport = old })
	client := w.client()
	about, at, err := client.Discover(t.Context(), resourceURL)
	if err != nil || about.Resource != resourceURL || at.Issuer != issuerURL || at.TokenEndpoint != issuerURL+"/token" {
		t.Errorf("%+v, %+v, %v", about, at, err)
	}
	if len(as.forms) != 0 {
		t.Error("looking needs a token")
	}
	for range 2 {
		if err := client.Authorize(t.Context(), resourceURL); err != nil {
			t.Error(err)
		}
	}
	if len(as.authorized) != 1 {
		t.Errorf("%d logins", len(as.authorized))
	}
	if err := client.Forget(t.Context(), resourceURL); err != nil {
		t.Error(err)
	}
	if err := client.Authorize(t.Context(), resourceURL); err != nil || len(as.authorized) != 2 {
		t.Errorf("%d logins, %v", len(as.authorized), err)
	}
	rs.extra = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.WriteHeader(403)
		return true
	}
	if err := client.Authorize(t.Context(), resourceURL); err == nil || !strings.Contains(err.Error(), "403") {
		t.Error(err)
	}
	for _, at := range []string{"mcp", "https://nobody.example.com/mcp"} {
		if err := client.Authorize(t.Context(), at); err == nil {
			t.Errorf("%s is authorized", at)
		}
		if _, _, err := client.Discover(t.Context(), at); err == nil {
			t.Errorf("%s is found", at)
		}
	}
	if err := client.Forget(t.Context(), "mcp"); err == nil {
		t.Error("nothing is forgotten")
	}
}
