package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
)

const (
	// mostAnswer is how much of an answer is read, in bytes: a hundred issues with
	// the longest texts that GitHub takes.
	mostAnswer = 16 << 20
	// mostRedirects is how many redirections of one request are followed.
	mostRedirects = 3
)

// transport carries requests to the one host that the token is for. It keeps to
// the limits, remembers answers, tries again what only reads, and reads every
// answer to its end, so that one that breaks off is an error like others.
type transport struct {
	carrier  http.RoundTripper
	base     *url.URL
	token    func() string // a function, so that no printed value shows it
	log      *slog.Logger
	timeout  time.Duration
	attempts int
	backoff  time.Duration

	limits limits
	cache  *cache
}

func newTransport(o Options, carrier http.RoundTripper, base *url.URL, log *slog.Logger) *transport {
	t := &transport{carrier: carrier, base: base, log: log, timeout: o.Timeout, attempts: o.Attempts, backoff: o.Backoff, cache: newCache()}
	t.token = func() string { return o.Token }
	if t.timeout <= 0 {
		t.timeout = 10 * time.Second
	}
	if t.attempts <= 0 {
		t.attempts = 3
	}
	if t.backoff <= 0 {
		t.backoff = 250 * time.Millisecond
	}
	return t
}

// redirect follows a redirection, as of a repository that was renamed, on the same
// host only, and only when the request stays what it is: the one to make an issue
// must not become one to list some.
func (t *transport) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects || !t.ours(req.URL) || req.Method != via[0].Method {
		return http.ErrUseLastResponse
	}
	return nil
}

func (t *transport) ours(u *url.URL) bool {
	return u.Scheme == t.base.Scheme && strings.EqualFold(u.Host, t.base.Host) && u.User == nil
}

// errElsewhere is the error of a request to another host, which is not made.
var errElsewhere = errors.New("the request would go to another host than that of GitHub")

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.ours(req.URL) {
		return nil, errElsewhere
	}
	key := ""
	if req.Method == http.MethodGet {
		key = req.URL.String() + "\n" + req.Header.Get("Accept")
	}
	a, err := t.perform(req, key)
	if key != "" && req.Context().Err() == nil && (err != nil || a.status >= 500) {
		if old := t.cache.instead(req.Context(), key); old != nil {
			t.log.Warn("GitHub cannot be asked; an older answer stands in", "error", err)
			a, err = old, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return a.response(req), nil
}

// perform makes a request, several times if it only reads and there is hope.
func (t *transport) perform(req *http.Request, key string) (*answer, error) {
	ctx, pause, limit := req.Context(), t.backoff, limitOf(req.URL.Path)
	for attempt := 1; ; attempt++ {
		if err := t.limits.wait(ctx, limit); err != nil {
			return nil, err
		}
		a, err := t.attempt(req, key)
		last := key == "" || attempt >= t.attempts
		switch {
		case err == nil && t.limits.note(limit, a.response(nil), a.body):
			if reached := t.limits.reached(limit); last && reached != nil {
				return nil, reached
			}
			if last {
				return a, nil
			}
			continue // the wait of the next round
		case err == nil && a.status < 500:
			return a, nil
		case last || ctx.Err() != nil || errors.Is(err, errAnswer):
			return a, err
		}
		next := pause/2 + rand.N(pause)
		if err == nil && a.header.Get("Retry-After") != "" {
			if next = askedPause(a.header); next > mostPause {
				return a, nil
			}
		}
		if err := wait.Sleep(ctx, next); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// errAnswer is the error of an answer that another attempt would not make better.
var errAnswer = errors.New("the answer is not one of GitHub's")

// attempt makes one request and reads the answer.
func (t *transport) attempt(req *http.Request, key string) (*answer, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.timeout)
	defer cancel()
	sent := req.Clone(ctx)
	if token := t.token(); token != "" {
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	var known *answer
	if key != "" {
		if known = t.cache.get(key); known != nil {
			sent.Header.Set("If-None-Match", known.header.Get("Etag"))
		}
	}
	start := time.Now()
	response, err := t.carrier.RoundTrip(sent)
	if err != nil {
		t.log.Debug("asking GitHub has failed", "method", req.Method, "path", req.URL.Path, "took", time.Since(start))
		return nil, err
	}
	defer response.Body.Close()
	a := &answer{status: response.StatusCode, header: response.Header, at: start}
	a.body, err = io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	t.log.Debug("asked GitHub", "method", req.Method, "path", req.URL.Path, "status", a.status, "took", time.Since(start), "remaining", a.header.Get("X-Ratelimit-Remaining"))
	if err != nil {
		return nil, fmt.Errorf("the answer breaks off: %w", err)
	}
	if known != nil && a.status == http.StatusNotModified {
		current := known.confirmed(response.Header, start)
		t.cache.put(key, current)
		return current, nil
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if key != "" && a.status == http.StatusOK {
		t.cache.put(key, a)
	}
	return a, nil
}

// check says what is wrong with the form of an answer.
func (a *answer) check() error {
	if len(a.body) > mostAnswer {
		return fmt.Errorf("%w: it has more than %d bytes", errAnswer, mostAnswer)
	}
	if a.status != http.StatusOK && a.status != http.StatusCreated {
		return nil
	}
	if kind := a.header.Get("Content-Type"); !strings.Contains(kind, "json") {
		return fmt.Errorf("%w: it is %q and no JSON; check the address of the interface", errAnswer, kind)
	}
	if body := bytes.TrimSpace(a.body); len(body) == 0 || string(body) == "null" {
		return fmt.Errorf("%w: it is empty", errAnswer)
	}
	return nil
}
