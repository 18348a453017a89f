package githubtest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// Fault handles one request in place of the server. serve handles it normally.
type Fault func(w http.ResponseWriter, r *http.Request, serve http.Handler)

// Status returns a Fault that responds with an error status and message.
func Status(status int, message string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		writeError(w, status, message, "https://docs.github.com/rest")
	}
}

// SecondaryLimit returns a Fault that reports a secondary rate limit. after is the Retry-After header in seconds; negative
// omits it.
func SecondaryLimit(status, after int) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if after >= 0 {
			w.Header().Set("Retry-After", strconv.Itoa(after))
		}
		w.Header().Set("X-Ratelimit-Remaining", "4990")
		w.Header().Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(50*time.Minute).Unix(), 10))
		writeError(w, status, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
			"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits")
	}
}

// Respond returns a Fault that responds with a body of content type kind.
func Respond(status int, kind, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// HTMLPage returns a Fault that responds with an HTML page, like a proxy in front of GitHub.
func HTMLPage(status int) Fault {
	return Respond(status, "text/html; charset=utf-8", "<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>")
}

// Truncate returns a Fault that serves the request and closes the connection in the middle of the response.
func Truncate() Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		full := httptest.NewRecorder()
		serve.ServeHTTP(full, r)
		for name, values := range full.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(full.Body.Len()))
		w.WriteHeader(full.Code)
		_, _ = w.Write(full.Body.Bytes()[:full.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Drop returns a Fault that closes the connection without a response. If done is true it serves the request first.
func Drop(done bool) Fault {
	return func(_ http.ResponseWriter, r *http.Request, serve http.Handler) {
		if done {
			serve.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	}
}

// Fail returns a Fault that responds 502. If done is true it serves the request first.
func Fail(done bool) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		if done {
			serve.ServeHTTP(httptest.NewRecorder(), r)
		}
		HTMLPage(http.StatusBadGateway)(w, r, serve)
	}
}

// Hang returns a Fault that does not respond until the client disconnects or release is closed. If done is true it serves the
// request first.
func Hang(done bool, release <-chan struct{}) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		if done {
			serve.ServeHTTP(httptest.NewRecorder(), r)
		}
		select {
		case <-r.Context().Done():
		case <-release:
		}
		panic(http.ErrAbortHandler)
	}
}

// Hold returns a Fault that serves the request after release is closed. It sends to held when the request arrives.
func Hold(held chan<- struct{}, release <-chan struct{}) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		held <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
		serve.ServeHTTP(w, r)
	}
}

// Redirect returns a Fault that redirects to another URL.
func Redirect(status int, to string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Location", to)
		writeError(w, status, "Moved Permanently", "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects")
	}
}

// Endless returns a Fault that responds with a list without an end.
func Endless() Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		piece := []byte("[" + strings.Repeat(`{"number":1,"title":"more"},`, 1000))
		for r.Context().Err() == nil {
			if _, err := w.Write(piece); err != nil {
				return
			}
			piece = piece[1:]
			piece = append([]byte(" "), piece...)
		}
	}
}

// OK returns a Fault that serves the request normally, as an element of a sequence of faults.
func OK() Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) { serve.ServeHTTP(w, r) }
}

// RetryAfter returns a Fault that responds with an error status and a Retry-After header in seconds.
func RetryAfter(status, after int) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		w.Header().Set("Retry-After", strconv.Itoa(after))
		HTMLPage(status)(w, r, serve)
	}
}

// LimitReached returns a Fault that reports a reached limit, which is reset after the duration left.
func LimitReached(limit string, left time.Duration) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		h := w.Header()
		h.Set("X-Ratelimit-Resource", limit)
		h.Set("X-Ratelimit-Remaining", "0")
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(left).Unix(), 10))
		writeError(w, http.StatusForbidden, "API rate limit exceeded for user ID 1.", "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api")
	}
}

// WithDate returns a Fault whose Date header differs from the current time by the duration by.
func WithDate(by time.Duration, f Fault) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
		f(w, r, serve)
	}
}
