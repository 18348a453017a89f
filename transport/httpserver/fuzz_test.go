package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func newReader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// fuzzWriter keeps an answer, until its request is given up.
type fuzzWriter struct {
	left   bool // the client did not wait for the end
	mu     sync.Mutex
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *fuzzWriter) Header() http.Header { return w.header }

func (w *fuzzWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.status = status
	}
}

func (w *fuzzWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body.Write(p)
}

func (w *fuzzWriter) Flush() {}

// fuzzServe serves a request of a client that leaves at once.
func fuzzServe(t *testing.T, h http.Handler, method, body string, header http.Header) *fuzzWriter {
	ctx, leave := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer leave()
	r := (&http.Request{Method: method, URL: new(url.URL), Host: "localhost", Header: header, ContentLength: -1}).WithContext(ctx)
	r.Body = http.NoBody
	if body != "" {
		r.Body = closer{strings.NewReader(body)}
	}
	if header == nil {
		r.Header = make(http.Header)
	}
	w := &fuzzWriter{header: make(http.Header)}
	h.ServeHTTP(w, r)
	w.left = ctx.Err() != nil
	return w
}

type closer struct{ *strings.Reader }

func (closer) Close() error { return nil }

// panicLog fails a test when a panic is logged.
type panicLog struct {
	slog.Handler
	t *testing.T
}

func (l *panicLog) logger() *slog.Logger { return slog.New(l) }

func (l *panicLog) Enabled(context.Context, slog.Level) bool { return true }

func (l *panicLog) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "panic") {
		r.Attrs(func(a slog.Attr) bool {
			l.t.Errorf("%s: %v", r.Message, a)
			return true
		})
	}
	return nil
}
