package notify_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/notify"
)

// Only temporary failures are retried.
func TestSend_Retries(t *testing.T) {
	for _, tc := range []struct {
		name    string
		answers []http.HandlerFunc
		want    int // requests
		log     string
	}{
		{"accepted", []http.HandlerFunc{answer(204, "", "")}, 1, ""},
		{"busy", []http.HandlerFunc{answer(503, "", ""), answer(500, "", "oops"), answer(408, "", "")}, 4, ""},
		{"too many", []http.HandlerFunc{answer(429, "Retry-After: 0", ""), answer(429, "", `{"message":"slow","retry_after":0.002,"global":false}`)}, 3, ""},
		{"always busy", slices.Repeat([]http.HandlerFunc{answer(502, "", "<html>")}, 9), 5, "502 Bad Gateway"},
		{"broken off", []http.HandlerFunc{func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}, 2, ""},
		{"too long a pause", []http.HandlerFunc{answer(429, "Retry-After: 86400", "")}, 1, "429 Too Many Requests"},
		{"wrong", []http.HandlerFunc{answer(400, "", "invalid_payload")}, 1, "400 Bad Request (invalid_payload)"},
		{"removed", []http.HandlerFunc{answer(404, "", `{"message": "Unknown Webhook", "code": 10015}`)}, 1, "404 Not Found (code 10015): the webhook may have been removed"},
		{"elsewhere", []http.HandlerFunc{answer(307, "Location: /elsewhere", "")}, 1, "redirects are not followed"},
		{"much to say", []http.HandlerFunc{answer(400, "", strings.Repeat("long ", 1<<20))}, 1, "400 Bad Request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, tc.answers...)
			log := sendAll(t, notify.Options{Targets: []notify.Target{target(t, "webhook="+s.URL+"/services/T0SECRET#k3y")}}, news)
			got := s.got()
			if len(got) != tc.want || (log == "") != (tc.log == "") || !strings.Contains(log, tc.log) {
				t.Errorf("%d requests, want %d; the log says %s", len(got), tc.want, log)
			}
			for _, r := range got {
				if r.header.Get("webhook-id") != got[0].header.Get("webhook-id") || r.body != got[0].body {
					t.Error("another message was sent")
				}
			}
			if strings.Contains(log, "SECRET") || strings.Contains(log, "k3y") || strings.Contains(log, "<html>") {
				t.Errorf("the log says %s", log)
			}
		})
	}
}

// Errors and logs never contain the address of a target.
func TestTarget_AddressRedaction(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed := listener.Addr().String()
	must(t, listener.Close())
	plain := serve(t)
	for name, address := range map[string]string{
		"nobody there":  "http://" + closed + "/hidden/T0KEN?q=T0KEN",
		"no such host":  "https://no-such-host-T0KEN.invalid/T0KEN",
		"no TLS":        strings.Replace(plain.URL, "http:", "https:", 1) + "/T0KEN",
		"no such port":  "http://127.0.0.1:99999/T0KEN",
		"with password": "http://user:T0KEN@" + closed + "/",
	} {
		for _, kind := range []string{"slack", "discord", "webhook"} {
			to := target(t, kind+"="+address+"#T0KEN")
			log := sendAll(t, notify.Options{Targets: []notify.Target{to}, Attempts: 2}, news)
			if !strings.Contains(log, "cannot be reached") || strings.Contains(log, "T0KEN") || strings.Contains(log, closed) {
				t.Errorf("%s: the log says %s", name, log)
			}
			if shown := fmt.Sprintf("%v %+v %#v %s", to, to, to, []any{to, &to, notify.Options{Targets: []notify.Target{to}}}); strings.Contains(shown, "T0KEN") {
				t.Errorf("it shows as %s", shown)
			}
		}
	}
}

// roundTripFunc is an http.RoundTripper without a network.
type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(status int, retryAfter string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {retryAfter}}, Body: http.NoBody}
}

// The delay between attempts doubles, or is the one that the target requests.
func TestSend_RetryDelays(t *testing.T) {
	for _, tc := range []struct {
		name, after string
		status      int
		want        []time.Duration
	}{
		{"backing off", "", 500, []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183}},
		{"as asked", "7", 429, []time.Duration{0, 7, 14, 21, 28, 35, 42, 49, 56}},
		{"parts of a second", "0.5", 503, []time.Duration{0, 0, 1, 1, 2, 2, 3, 3, 4}},
		{"nonsense", "soon", 429, []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183}},
		{"never", "NaN", 429, []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183}},
		{"in the past", "-5", 429, []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183}},
		{"tomorrow", "86400", 503, []time.Duration{0}},
		{"without end", "1e300", 503, []time.Duration{0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var at []time.Duration
				n := notify.New(notify.Options{Attempts: 9, Targets: []notify.Target{target(t, "slack=https://slack.invalid/x")}, Transport: roundTripFunc(func(*http.Request) (*http.Response, error) {
					at = append(at, time.Since(start).Truncate(time.Second)/time.Second)
					return response(tc.status, tc.after), nil
				})})
				n.Send(news)
				must(t, n.Close(t.Context()))
				if !slices.Equal(at, tc.want) {
					t.Errorf("tried after %d, want %d seconds", at, tc.want)
				}
			})
		})
	}
	t.Run("until a date", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start, calls := time.Now(), 0
			n := notify.New(notify.Options{Targets: []notify.Target{target(t, "slack=https://slack.invalid/x")}, Transport: roundTripFunc(func(*http.Request) (*http.Response, error) {
				if calls++; calls == 1 {
					return response(503, start.Add(time.Minute).UTC().Format(http.TimeFormat)), nil
				}
				return response(200, ""), nil
			})})
			n.Send(news)
			must(t, n.Close(t.Context()))
			if took := time.Since(start); calls != 2 || took < 59*time.Second || took > 61*time.Second {
				t.Errorf("%d calls in %v", calls, took)
			}
		})
	})
}

// A target that does not respond blocks neither Send nor other targets, and Close drops its
// messages.
func TestSend_SlowTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(waittest.Log)
		var fast, slow atomic.Int64
		n := notify.New(notify.Options{
			Targets: []notify.Target{target(t, "slack=https://slow.invalid/x"), target(t, "slack=https://fast.invalid/x")}, Queue: 10, Attempts: 2, Log: slog.New(slog.NewTextHandler(log, nil)),
			Transport: roundTripFunc(func(r *http.Request) (*http.Response, error) {
				if r.URL.Host == "fast.invalid" {
					fast.Add(1)
					return response(200, ""), nil
				}
				slow.Add(1)
				<-r.Context().Done()
				return nil, r.Context().Err()
			}),
		})
		start := time.Now()
		for range 100 {
			n.Send(news)
			synctest.Wait()
		}
		if time.Since(start) > 0 || fast.Load() != 100 || slow.Load() != 1 {
			t.Errorf("after %v %d and %d requests were made", time.Since(start), fast.Load(), slow.Load())
		}
		if strings.Count(log.String(), "queue of a notification target is full") != 1 {
			t.Errorf("the log says %s", log)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := n.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "10 notifications") {
			t.Errorf("closing: %v", err)
		}
		if took := time.Since(start); took != 30*time.Second || slow.Load() != 3 {
			t.Errorf("closing took %v and %d requests", took, slow.Load())
		}
		n.Send(news) // ignored after Close
		must(t, n.Close(t.Context()))
	})
}

// An endless response body is not read to its end.
func TestSend_EndlessResponse(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "more and "); err != nil {
				return
			}
		}
	})
	if log := sendAll(t, notify.Options{Targets: []notify.Target{target(t, "webhook="+s.URL)}}, news); !strings.Contains(log, "400") {
		t.Errorf("the log says %s", log)
	}
}

func TestSend_InvalidTargets(t *testing.T) {
	if log := sendAll(t, notify.Options{}, news); log != "" {
		t.Errorf("the log says %s", log)
	}
	if log := sendAll(t, notify.Options{Targets: []notify.Target{{}}}, news); !strings.Contains(log, "ParseTarget") {
		t.Errorf("of no target the log says %s", log)
	}
}
