package githubtest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// Fault is a way in which a request can end. serve answers it as if all were well.
type Fault func(w http.ResponseWriter, r *http.Request, serve http.Handler)

// Status answers an error.
func Status(status int, message string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		refuse(w, status, message, "https://docs.github.com/rest")
	}
}

// Secondary answers that much was asked at once. after is the pause in seconds;
// none is named if it is negative.
func Secondary(status, after int) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if after >= 0 {
			w.Header().Set("Retry-After", strconv.Itoa(after))
		}
		w.Header().Set("X-Ratelimit-Remaining", "4990")
		w.Header().Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(50*time.Minute).Unix(), 10))
		refuse(w, status, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
			"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits")
	}
}

// Answer answers with a body of a kind.
func Answer(status int, kind, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// Page answers with a page in HTML, as what stands before GitHub does.
func Page(status int) Fault {
	return Answer(status, "text/html; charset=utf-8", "<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>")
}

// Break does as it is asked, and breaks off in the middle of the answer.
func Break() Fault {
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

// Drop ends the connection without an answer, after it has done as it was asked if
// done is true.
func Drop(done bool) Fault {
	return func(_ http.ResponseWriter, r *http.Request, serve http.Handler) {
		if done {
			serve.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	}
}

// Fail answers 502 after it has done as it was asked if done is true.
func Fail(done bool) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		if done {
			serve.ServeHTTP(httptest.NewRecorder(), r)
		}
		Page(http.StatusBadGateway)(w, r, serve)
	}
}

// Hang does not answer before the client gives up or release is closed, after it
// has done as it was asked if done is true.
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

// Hold answers as it is asked once release is closed. held is told when it begins.
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

// Redirect leads elsewhere.
func Redirect(status int, to string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Location", to)
		refuse(w, status, "Moved Permanently", "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects")
	}
}

// Endless answers a list without an end.
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

// Well is no fault: it answers as if all were well, for a place among others.
func Well() Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) { serve.ServeHTTP(w, r) }
}

// Later answers an error and asks for a pause in seconds.
func Later(status, after int) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		w.Header().Set("Retry-After", strconv.Itoa(after))
		Page(status)(w, r, serve)
	}
}

// Used answers that a limit is used up, until some time from now.
func Used(limit string, left time.Duration) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		h := w.Header()
		h.Set("X-Ratelimit-Resource", limit)
		h.Set("X-Ratelimit-Remaining", "0")
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(left).Unix(), 10))
		refuse(w, http.StatusForbidden, "API rate limit exceeded for user ID 1.", "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api")
	}
}

// Dated has an answer say another time than it is, by so much.
func Dated(by time.Duration, f Fault) Fault {
	return func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
		f(w, r, serve)
	}
}
