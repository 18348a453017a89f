package github_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// inTime runs a test with a fake clock and without a network.
func inTime(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := githubtest.New()
		w := &world{Server: s, demo: s.Add("octo/demo")}
		w.populate()
		hub, err := github.New(github.Options{Token: token, Owner: "octo", Repo: "demo", Transport: s.Transport(), BaseURL: "https://github.invalid/api/v3/"})
		if err != nil {
			t.Fatal(err)
		}
		w.hub = hub
		defer func() {
			if err := hub.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		f(t, w)
	})
}

func ask(w *world, ctx context.Context, text string) error {
	_, err := w.hub.SearchIssues(ctx, plugin.IssueQuery{Text: text, Limit: 5})
	return err
}

// wantLimit checks the name and duration of the limit in an error.
func wantLimit(t *testing.T, err error, name string, after time.Duration) {
	t.Helper()
	wantError(t, err, "RATE_LIMITED", "GitHub", "Call again in")
	var limit *github.LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("%v has no limit", err)
	}
	details := limit.ErrorDetails()
	if limit.Limit != name || limit.RetryAfter() != after || details["limit"] != "github:"+name || details["retryAfter"] != int(after/time.Second) {
		t.Errorf("%+v lasts %v, shown as %v; want %s and %v", limit, limit.RetryAfter(), details, name, after)
	}
}

// TestLimits_Headers checks that limits in responses are followed, before and after they are reached.
func TestLimits_Headers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		set    func(w *world)
		waited time.Duration // by the second request
		limit  string        // reason of the rejection
		after  time.Duration
		sent   int // searches
	}{
		{"none", func(*world) {}, 0, "", 0, 2},
		{"searches, soon anew", func(w *world) { w.SetLimit("search", 1, time.Now().Add(4*time.Second)) }, 4 * time.Second, "", 0, 2},
		{"searches, later anew", func(w *world) { w.SetLimit("search", 1, time.Now().Add(42*time.Second)) }, 0, "search", 42 * time.Second, 1},
		{"those of the other kind", func(w *world) { w.SetLimit("core", 0, time.Now().Add(42*time.Second)) }, 0, "", 0, 2},
		{"refused, soon anew", func(w *world) {
			w.On("GET /api/v3/search/issues", githubtest.OK(), githubtest.SecondaryLimit(403, 3))
		}, 3 * time.Second, "", 0, 3},
		{"refused with 429", func(w *world) {
			w.On("GET /api/v3/search/issues", githubtest.OK(), githubtest.SecondaryLimit(429, 30))
		}, 0, "secondary", 30 * time.Second, 2},
		{"refused without a time", func(w *world) {
			w.On("GET /api/v3/search/issues", githubtest.OK(), githubtest.SecondaryLimit(403, -1))
		}, 0, "secondary", time.Minute, 2},
		{"refused for ever", func(w *world) {
			w.On("GET /api/v3/search/issues", githubtest.OK(), githubtest.SecondaryLimit(403, 1<<40))
		}, 0, "secondary", time.Hour, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inTime(t, func(t *testing.T, w *world) {
				tc.set(w)
				if err := ask(w, t.Context(), "login"); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				err := ask(w, t.Context(), "dark")
				if waited := time.Since(start); waited != tc.waited {
					t.Errorf("waited for %v", waited)
				}
				if tc.limit != "" {
					wantLimit(t, err, tc.limit, tc.after)
					wantError(t, w.hub.Health(t.Context()), "RATE_LIMITED")
					time.Sleep(tc.after)
					if err := w.hub.Health(t.Context()); err != nil {
						t.Error(err)
					}
					err = ask(w, t.Context(), "mode") // the limit has ended
					tc.sent++
				}
				if err != nil || w.Count("GET", "/api/v3/search") != tc.sent {
					t.Errorf("%v; %d searches", err, w.Count("GET", "/api/v3/search"))
				}
			})
		})
	}
}

// TestLimits_NoRequests checks that no request is sent during a limit, and that a pause does not exceed the call's deadline.
func TestLimits_NoRequests(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		w.SetLimit("search", 1, time.Now().Add(4*time.Second))
		if err := ask(w, t.Context(), "login"); err != nil {
			t.Fatal(err)
		}
		hurried, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		wantLimit(t, ask(w, hurried, "dark"), "search", 4*time.Second)
		if w.Count("GET", "/api/v3/search") != 1 || time.Since(start) != 0 {
			t.Error("it was asked, or waited for")
		}
	})
}

// TestCreateIssue_RateLimit checks that a limit during a creation proves that no issue was created, and that the request is not
// retried.
func TestCreateIssue_RateLimit(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		w.On("POST /api/v3"+issues, githubtest.SecondaryLimit(403, 2))
		_, err := w.hub.CreateIssue(t.Context(), wanted)
		wantLimit(t, err, "secondary", 2*time.Second)
		if created := w.create(t, wanted); created.Issue == nil || created.Existing || w.Count("POST", "/") != 2 {
			t.Errorf("%+v of %d", created, w.Count("POST", "/"))
		}
	})
}

// TestLimits_ServerClock checks that the clock of GitHub decides.
func TestLimits_ServerClock(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		w.On("*", githubtest.WithDate(-10*time.Hour, githubtest.LimitReached("search", -10*time.Hour+20*time.Second)))
		wantLimit(t, ask(w, t.Context(), "login"), "search", 20*time.Second)
	})
}

// TestSearchIssues_StaleResult checks that a cached result with its age replaces a failed request for a limited time, but not a
// rejected one.
func TestSearchIssues_StaleResult(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		q := plugin.IssueQuery{Text: "login", Limit: 5}
		first := w.search(t, q)
		time.Sleep(5 * time.Minute)
		for _, faults := range [][]githubtest.Fault{
			{githubtest.Fail(false), githubtest.Fail(false), githubtest.Fail(false)}, {githubtest.Drop(false), githubtest.Drop(false), githubtest.Drop(false)}, {githubtest.SecondaryLimit(429, 20)},
		} {
			w.On("GET /api/v3/search/issues", faults...)
			if list := w.search(t, q); list.Age < 5*time.Minute || list.Age > 6*time.Minute || len(list.Issues) != len(first.Issues) {
				t.Errorf("answered %+v", list)
			}
		}
		time.Sleep(20 * time.Second)
		if list := w.search(t, q); list.Age != 0 {
			t.Errorf("answered %+v", list)
		}
		w.On("GET /api/v3/search/issues", githubtest.Status(401, "Bad credentials"))
		wantError(t, ask(w, t.Context(), "login"), "NOT_AUTHORIZED")
		time.Sleep(11 * time.Minute)
		w.On("GET /api/v3/search/issues", githubtest.Fail(false), githubtest.Fail(false), githubtest.Fail(false))
		wantError(t, ask(w, t.Context(), "login"), "ISSUES_UNAVAILABLE")
	})
}

// TestTransport_Pauses checks the growing pauses between attempts, and Retry-After.
func TestTransport_Pauses(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		w.On("*", githubtest.Fail(false), githubtest.Fail(false))
		start := time.Now()
		if err := ask(w, t.Context(), "login"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 375*time.Millisecond || took > 1125*time.Millisecond {
			t.Errorf("took %v", took)
		}
		w.On("*", githubtest.RetryAfter(503, 4))
		start = time.Now()
		if err := ask(w, t.Context(), "dark"); err != nil || time.Since(start) != 4*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		w.On("*", githubtest.RetryAfter(503, 40))
		start = time.Now()
		if err := ask(w, t.Context(), "mode"); err == nil || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
