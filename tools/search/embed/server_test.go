package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/search/embed"
)

// fake is an embedding server whose vectors count the letters of a text.
type fake struct {
	*httptest.Server
	mu     sync.Mutex
	asked  [][]string                                     // texts of each request
	before func(n int, w http.ResponseWriter) (done bool) // replaces the nth response if it returns true
	keys   []string
}

const letters = "abcdefghijklmnop"

func vectorOf(text string) []float32 {
	v := make([]float32, len(letters))
	for i, c := range letters {
		v[i] = float32(strings.Count(strings.ToLower(text), string(c)))
	}
	return v
}

func newFake(t testing.TB) *fake {
	f := &fake{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		texts, ok := f.take(w, r)
		if !ok {
			return
		}
		type one struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var data []one
		for i, text := range texts {
			data = append(data, one{i, vectorOf(text)})
		}
		slices.Reverse(data) // the order is that of index
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
	})
	mux.HandleFunc("POST /api/embed", func(w http.ResponseWriter, r *http.Request) {
		if texts, ok := f.take(w, r); ok {
			var all [][]float32
			for _, text := range texts {
				all = append(all, vectorOf(text))
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": all})
		}
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	return f
}

// take records a request, and reports whether it must be answered.
func (f *fake) take(w http.ResponseWriter, r *http.Request) ([]string, bool) {
	var question struct{ Input []string }
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &question)
	f.mu.Lock()
	f.asked = append(f.asked, question.Input)
	f.keys = append(f.keys, r.Header.Get("Authorization"))
	n := len(f.asked)
	before := f.before
	f.mu.Unlock()
	return question.Input, before == nil || !before(n, w)
}

func (f *fake) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

const key = "sk-very-secret-0123456789"

func openAI(t testing.TB, f *fake, change func(*embed.Options)) *embed.Server {
	t.Helper()
	o := embed.Options{URL: f.URL + "/v1/", Key: key, Model: "letters"}
	if change != nil {
		change(&o)
	}
	s, err := embed.NewOpenAI(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestServer_Protocols(t *testing.T) {
	f := newFake(t)
	ollama, err := embed.NewOllama(embed.Options{URL: f.URL, Model: "letters", Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*embed.Server{"OpenAI": openAI(t, f, func(o *embed.Options) { o.Batch = 2 }), "Ollama": ollama} {
		t.Run(name, func(t *testing.T) {
			before := f.requests()
			if s.Dimensions() != 0 || s.Model() != "letters" {
				t.Errorf("%s has %d dimensions before anything was asked", s.Model(), s.Dimensions())
			}
			got, err := s.Embed(t.Context(), []string{"a", "bb", "", "日本a", "p"})
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 5 || got[0][0] != 1 || got[1][1] != 2 || got[3][0] != 1 || got[4][15] != 1 {
				t.Errorf("the vectors are %v", got)
			}
			if s.Dimensions() != len(letters) || f.requests()-before != 3 {
				t.Errorf("%d dimensions after %d requests", s.Dimensions(), f.requests()-before)
			}
		})
	}
	if !slices.Contains(f.keys, "Bearer "+key) || !slices.Contains(f.keys, "") {
		t.Errorf("the keys are %q", f.keys)
	}
}

func TestServer_LongTexts(t *testing.T) {
	f := newFake(t)
	s := openAI(t, f, func(o *embed.Options) { o.MaxText = 10 })
	if _, err := s.Embed(t.Context(), []string{"日本語日本語", "ab\xffc", " \n"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"日本語", "ab\uFFFDc", "-"}; !slices.Equal(f.asked[0], want) {
		t.Errorf("asked for %q, want %q", f.asked[0], want)
	}
}

// TestServer_Errors checks that temporary errors are retried, others are returned, and no error contains the key.
func TestServer_Errors(t *testing.T) {
	status := func(code int, header, body string) func(int, http.ResponseWriter) bool {
		return func(n int, w http.ResponseWriter) bool {
			if n > 1 && code != 400 && code != 401 {
				return false
			}
			if header != "" {
				w.Header().Set("Retry-After", header)
			}
			w.WriteHeader(code)
			fmt.Fprint(w, body)
			return true
		}
	}
	answer := func(body string) func(int, http.ResponseWriter) bool {
		return func(_ int, w http.ResponseWriter) bool {
			fmt.Fprint(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		before   func(int, http.ResponseWriter) bool
		requests int
		want     string // text of the error; empty for none
	}{
		"busy, says when":    {status(429, "0", "{}"), 2, ""},
		"broken for once":    {status(503, "", "<html>"), 2, ""},
		"busy for very long": {status(429, "3600", `{"error":{"message":"quota"}}`), 1, "429 Too Many Requests: quota"},
		"not allowed":        {status(401, "", `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), 1, "401 Unauthorized: Incorrect API key provided: [key]"},
		"a string as error":  {status(400, "", `{"error":"model \"x\" not found"}`), 1, `400 Bad Request: model "x" not found`},
		"control characters": {status(400, "", `{"error":"a\u001b[31m\nb"}`), 1, "a[31m b"},
		"breaks off": {func(n int, w http.ResponseWriter) bool {
			if n == 1 {
				w.Header().Set("Content-Length", "100")
			}
			return n == 1
		}, 2, ""},
		"no JSON":               {answer("<html>hello"), 1, "not JSON"},
		"too few vectors":       {answer(`{"data":[]}`), 1, "0 vectors for 2 texts"},
		"two of the same index": {answer(`{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`), 1, "order"},
		"an index beyond":       {answer(`{"data":[{"index":7,"embedding":[1]},{"index":0,"embedding":[1]}]}`), 1, "order"},
		"other dimensions":      {answer(`{"data":[{"embedding":[1,2]},{"embedding":[1]}]}`), 1, "1 dimensions, not 2"},
		"an empty vector":       {answer(`{"data":[{"embedding":[]},{"embedding":[]}]}`), 1, "0 dimensions"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.before = c.before
			_, err := openAI(t, f, nil).Embed(t.Context(), []string{"a", "b"})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), key) || strings.Contains(err.Error(), f.URL)) {
				t.Errorf("the error tells what it must not: %v", err)
			}
			if f.requests() != c.requests {
				t.Errorf("%d requests were made, want %d", f.requests(), c.requests)
			}
		})
	}
}

func TestServer_Unreachable(t *testing.T) {
	f := newFake(t)
	f.Close()
	_, err := openAI(t, f, func(o *embed.Options) { o.Attempts = 1 }).Embed(t.Context(), []string{"a"})
	if err == nil || strings.Contains(err.Error(), "/v1") {
		t.Errorf("the error is %v", err)
	}
}

// TestServer_Redirects checks that the key is not sent to another host.
func TestServer_Redirects(t *testing.T) {
	f, other := newFake(t), newFake(t)
	for name, c := range map[string]struct {
		to   string
		want bool
	}{
		"another path": {"/v1/embeddings", true},
		"another host": {other.URL + "/v1/embeddings", false},
	} {
		t.Run(name, func(t *testing.T) {
			front := http.NewServeMux()
			front.HandleFunc("POST /old/embeddings", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, c.to, http.StatusTemporaryRedirect)
			})
			front.Handle("/v1/", f.Config.Handler)
			server := httptest.NewServer(front)
			defer server.Close()
			s, err := embed.NewOpenAI(embed.Options{URL: server.URL + "/old", Key: key, Model: "letters"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Embed(t.Context(), []string{"a"}); (err == nil) != c.want {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if other.requests() != 0 {
		t.Errorf("the other host was asked with %q", other.keys)
	}
}

func TestNewOpenAI_InvalidOptions(t *testing.T) {
	for name, o := range map[string]embed.Options{
		"no URL":         {Model: "m"},
		"no scheme":      {URL: "localhost:11434", Model: "m"},
		"a file":         {URL: "file:///etc/passwd", Model: "m"},
		"a secret in it": {URL: "https://me:" + key + "@example.com", Model: "m"},
		"a query":        {URL: "https://example.com?key=" + key, Model: "m"},
		"no model":       {URL: "https://example.com"},
		"a broken key":   {URL: "https://example.com", Model: "m", Key: key + "\r\nX: y"},
		"invalid URL":    {URL: "https://exa mple.com/" + key, Model: "m"},
		"dimensions":     {URL: "https://example.com", Model: "m", Dimensions: 1 << 20},
	} {
		if _, err := embed.NewOpenAI(o); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestServer_Cancel(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.before = func(_ int, w http.ResponseWriter) bool {
		cancel()
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(429)
		return true
	}
	if _, err := openAI(t, f, nil).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
