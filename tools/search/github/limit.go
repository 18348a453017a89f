package github

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/retryafter"
	"github.com/dougu-go/dougu/internal/wait"
)

// Names of the limits; see "Rate limits for the REST API" in the documentation of GitHub.
const (
	limitCore      = "core"
	limitSearch    = "search"
	limitSecondary = "secondary"
)

const (
	// maxWait is the longest pause that a request waits for.
	maxWait = 5 * time.Second
	// maxPause limits a pause that a response requests: no limit of GitHub is longer.
	maxPause = time.Hour
	// defaultPause is the pause if GitHub does not specify one.
	defaultPause = time.Minute
)

// limits records the limits that are reached, with their ends. It is safe for concurrent use.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// limitOf returns the limit that applies to requests of a path.
func limitOf(path string) string {
	if strings.Contains(path, "/search/") {
		return limitSearch
	}
	return limitCore
}

// reached returns the limit that a request would exceed now, or nil.
func (l *limits) reached(name string) *LimitError {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, name := range []string{limitSecondary, name} {
		if at := l.until[name]; now.Before(at) {
			return &LimitError{Limit: name, Until: at}
		}
	}
	return nil
}

// wait waits until a request is permitted. It returns the limit if the pause exceeds maxWait or the deadline of ctx.
func (l *limits) wait(ctx context.Context, name string) error {
	for {
		limit := l.reached(name)
		if limit == nil {
			return nil
		}
		left := time.Until(limit.Until)
		if deadline, ok := ctx.Deadline(); left > maxWait || ok && time.Until(deadline) < left {
			return limit
		}
		if err := wait.Sleep(ctx, left); err != nil {
			return err
		}
	}
}

// update records the limits in a response, and reports whether the response rejects the request because of one.
func (l *limits) update(name string, r *http.Response, body []byte) bool {
	used := r.Header.Get("X-Ratelimit-Remaining") == "0"
	says := r.Header.Get("Retry-After") != ""
	refused := r.StatusCode == http.StatusTooManyRequests ||
		r.StatusCode == http.StatusForbidden && (used || says || isSecondaryLimit(body))
	switch {
	case refused && says:
		l.set(limitSecondary, retryAfterPause(r.Header))
	case used:
		pause := untilReset(r.Header)
		if refused {
			pause = max(pause, time.Second) // after a rejection the next request waits
		}
		l.set(name, pause)
	case refused:
		l.set(limitSecondary, defaultPause)
	}
	return refused
}

// set records a limit for the duration pause, unless a longer one is recorded.
func (l *limits) set(name string, pause time.Duration) {
	if pause <= 0 {
		return
	}
	at := time.Now().Add(min(pause, maxPause))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = make(map[string]time.Time)
	}
	if at.After(l.until[name]) {
		l.until[name] = at
	}
}

// isSecondaryLimit reports whether a response names a secondary limit.
func isSecondaryLimit(body []byte) bool {
	return bytes.Contains(body, []byte("secondary rate limit")) || bytes.Contains(body, []byte("secondary-rate-limits")) || bytes.Contains(body, []byte("abuse detection"))
}

// untilReset returns the time until a limit is reset, by the clock of GitHub if the response has a date.
func untilReset(h http.Header) time.Duration {
	at, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return defaultPause
	}
	return max(time.Unix(at, 0).Sub(retryafter.Clock(h)), 0)
}

// retryAfterPause returns the pause in Retry-After.
func retryAfterPause(h http.Header) time.Duration {
	if pause, ok := retryafter.After(h); ok {
		return max(pause, time.Second)
	}
	return defaultPause
}
