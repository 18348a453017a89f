package notify_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/notify"
)

func TestMain(m *testing.M) {
	if os.Getenv("DOUGU_TEST_SCREEN") != "" {
		os.Exit(screen())
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func target(t testing.TB, text string) notify.Target {
	t.Helper()
	to, err := notify.ParseTarget(text)
	must(t, err)
	return to
}

// request is a request that a target received.
type request struct {
	header http.Header
	path   string
	body   string
}

// service is an HTTP target that sends the given responses in order, then status 200.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

func serve(t testing.TB, answers ...http.HandlerFunc) *service {
	t.Helper()
	s := new(service)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, request{r.Header, r.URL.RequestURI(), string(body)})
		s.mu.Unlock()
		if n < len(answers) {
			answers[n](w, r)
			return
		}
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) got() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

func answer(status int, header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// sendAll sends messages, waits until they are delivered or dropped, and returns the log.
func sendAll(t testing.TB, o notify.Options, messages ...notify.Message) string {
	t.Helper()
	log := new(waittest.Log)
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	if o.Backoff == 0 {
		o.Backoff = time.Millisecond
	}
	n := notify.New(o)
	for _, m := range messages {
		n.Send(m)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	must(t, n.Close(ctx))
	return log.String()
}
