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

// The limits of GitHub ("Rate limits for the REST API").
const (
	limitCore      = "core"
	limitSearch    = "search"
	limitSecondary = "secondary"
)

const (
	// mostPause is how long a pause may be that is simply waited for.
	mostPause = 5 * time.Second
	// longestPause is how long an answer can make the plugin silent: no limit of
	// GitHub's lasts longer than an hour.
	longestPause = time.Hour
	// usualPause is how long to be silent when GitHub does not say it.
	usualPause = time.Minute
)

// limits are those that are known to be reached.
type limits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// limitOf is the limit that requests of an address count for.
func limitOf(path string) string {
	if strings.Contains(path, "/search/") {
		return limitSearch
	}
	return limitCore
}

// reached is the limit that a request would run into, or nil.
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

// wait returns when a request may be sent. A pause that is too long to wait for is
// an error.
func (l *limits) wait(ctx context.Context, name string) error {
	for {
		limit := l.reached(name)
		if limit == nil {
			return nil
		}
		left := time.Until(limit.Until)
		if deadline, ok := ctx.Deadline(); left > mostPause || ok && time.Until(deadline) < left {
			return limit
		}
		if err := wait.Sleep(ctx, left); err != nil {
			return err
		}
	}
}

// note keeps what an answer tells of the limits, and reports whether it refuses the
// request for one.
func (l *limits) note(name string, r *http.Response, body []byte) bool {
	used := r.Header.Get("X-Ratelimit-Remaining") == "0"
	says := r.Header.Get("Retry-After") != ""
	refused := r.StatusCode == http.StatusTooManyRequests ||
		r.StatusCode == http.StatusForbidden && (used || says || secondary(body))
	switch {
	case refused && says:
		l.set(limitSecondary, askedPause(r.Header))
	case used:
		pause := reset(r.Header)
		if refused {
			pause = max(pause, time.Second) // it was refused: not at once again
		}
		l.set(name, pause)
	case refused:
		l.set(limitSecondary, usualPause)
	}
	return refused
}

func (l *limits) set(name string, pause time.Duration) {
	if pause <= 0 {
		return
	}
	at := time.Now().Add(min(pause, longestPause))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = make(map[string]time.Time)
	}
	if at.After(l.until[name]) {
		l.until[name] = at
	}
}

// secondary reports whether an answer speaks of a secondary limit.
func secondary(body []byte) bool {
	return bytes.Contains(body, []byte("secondary rate limit")) || bytes.Contains(body, []byte("secondary-rate-limits")) || bytes.Contains(body, []byte("abuse detection"))
}

// reset is how long it is until a limit begins anew. GitHub says it by its own
// clock, so it is compared with that where the answer tells it.
func reset(h http.Header) time.Duration {
	at, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return usualPause
	}
	return max(time.Unix(at, 0).Sub(retryafter.Clock(h)), 0)
}

// askedPause is the pause that Retry-After asks for.
func askedPause(h http.Header) time.Duration {
	if pause, ok := retryafter.After(h); ok {
		return max(pause, time.Second)
	}
	return usualPause
}
