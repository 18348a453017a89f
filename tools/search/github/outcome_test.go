package github_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// duration parses a duration.
func duration(t testing.TB, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// newWorldOn returns another plugin for the GitHub of w.
func newWorldOn(t testing.TB, w *world) *world {
	t.Helper()
	other := newWorld(t, func(o *github.Options) { o.BaseURL = w.URL() })
	return &world{Server: w.Server, demo: w.demo, hub: other.hub, log: other.log}
}

var wanted = plugin.NewIssue{Title: "It breaks", Body: "badly"}

// TestCreateIssue_Outcomes checks that each fault leads to at most one issue and a correct result.
func TestCreateIssue_Outcomes(t *testing.T) {
	const made, unknown, none = "made", "UNKNOWN_OUTCOME", "none"
	for _, tc := range []struct {
		name  string
		fault githubtest.Fault
		want  string
	}{
		{"all is well", nil, made},
		{"broken off in the answer", githubtest.Truncate(), made},
		{"dropped after it was done", githubtest.Drop(true), made},
		{"dropped before", githubtest.Drop(false), unknown},
		{"a gateway after it was done", githubtest.Fail(true), made},
		{"a gateway before", githubtest.Fail(false), unknown},
		{"a page", githubtest.HTMLPage(201), unknown},
		{"nothing", githubtest.Respond(201, "application/json", ""), unknown},
		{"an empty answer", githubtest.Respond(201, "application/json", "{}"), unknown},
		{"no JSON", githubtest.Respond(201, "application/json", `{"number":`), unknown},
		{"500", githubtest.Status(500, "oops"), unknown},
		{"408", githubtest.Status(408, "slow"), unknown},
		{"refused", githubtest.Status(403, "Resource not accessible by personal access token"), "NOT_AUTHORIZED"},
		{"not valid", githubtest.Status(422, "Validation Failed"), "INVALID_PARAMS"},
		{"gone", githubtest.Status(410, "Issues are disabled"), "NOT_FOUND"},
		{"a limit", githubtest.SecondaryLimit(403, 60), "RATE_LIMITED"},
		{"moved for good", githubtest.Redirect(301, issues), "ISSUES_UNAVAILABLE"},
		{"moved elsewhere", githubtest.Redirect(307, "https://example.com/"), "ISSUES_UNAVAILABLE"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			if tc.fault != nil {
				w.On("POST "+issues, tc.fault)
			}
			created, err := w.hub.CreateIssue(t.Context(), wanted)
			switch {
			case tc.want == made:
				if err != nil || created.Issue == nil || created.Issue.Number != 1 || created.Issue.Title != "It breaks" {
					t.Fatalf("%+v, %v", created, err)
				}
			default:
				wantError(t, err, tc.want)
			}
			if n := w.Count("POST", "/"); n != 1 {
				t.Errorf("%d were sent", n)
			}
			if tc.want == "RATE_LIMITED" {
				return
			}
			// A later call of another plugin leads to exactly one issue.
			if again, err := newWorldOn(t, w).hub.CreateIssue(t.Context(), wanted); err != nil || again.Issue == nil || again.Existing != (tc.want == made) || len(w.demo.Issues()) != 1 {
				t.Errorf("again: %+v, %v; there are %d", again, err, len(w.demo.Issues()))
			}
		})
	}
}

// TestCreateIssue_Timeout checks that a request that takes too long has an unknown outcome.
func TestCreateIssue_Timeout(t *testing.T) {
	for _, done := range []bool{true, false} {
		inTime(t, func(t *testing.T, w *world) {
			w.On("POST /api/v3"+issues, githubtest.Hang(done, nil))
			start := time.Now()
			created, err := w.hub.CreateIssue(t.Context(), wanted)
			if done && (err != nil || created.Issue == nil || created.Issue.Number != 7) {
				t.Errorf("%+v, %v", created, err)
			}
			if !done {
				wantError(t, err, "UNKNOWN_OUTCOME", "it is unknown whether")
			}
			if took := time.Since(start); took < 10*time.Second || took > 16*time.Second || w.Count("POST", "/") != 1 {
				t.Errorf("took %v, and %d were sent", took, w.Count("POST", "/"))
			}
		})
	}
}

// TestCreateIssue_FailingLists checks that the search for an uncertain issue is repeated.
func TestCreateIssue_FailingLists(t *testing.T) {
	w := newWorld(t, func(o *github.Options) { o.Attempts = 1 })
	w.On("POST "+issues, githubtest.Drop(true))
	w.On("GET "+issues, githubtest.OK(), githubtest.Fail(false), githubtest.HTMLPage(200))
	if created := w.create(t, wanted); created.Issue == nil || w.Count("GET", issues) != 4 {
		t.Errorf("%+v after %d lists", created, w.Count("GET", issues))
	}
}

// TestCreateIssue_ConnectionRefused checks that a refused connection proves that no issue was created.
func TestCreateIssue_ConnectionRefused(t *testing.T) {
	w := newWorld(t)
	w.Close()
	_, err := w.hub.CreateIssue(t.Context(), wanted)
	wantError(t, err, "ISSUES_UNAVAILABLE", "creating an issue in octo/demo")
	wantError(t, w.hub.Health(t.Context()), "ISSUES_UNAVAILABLE")
}

// TestCreateIssue_Concurrent checks that concurrent calls for the same issue create one.
func TestCreateIssue_Concurrent(t *testing.T) {
	w := newWorld(t)
	held, release := make(chan struct{}, 1), make(chan struct{})
	w.On("POST "+issues, githubtest.Hold(held, release))
	const calls = 8
	results := make(chan plugin.Created, calls)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			created, err := w.hub.CreateIssue(t.Context(), wanted)
			if err != nil {
				t.Error(err)
			}
			results <- created
		})
	}
	<-held
	close(release)
	all.Wait()
	close(results)
	first := 0
	for created := range results {
		if created.Issue == nil || created.Issue.Number != 1 {
			t.Errorf("answered %+v", created)
		} else if !created.Existing {
			first++
		}
	}
	if first != 1 || w.Count("POST", issues) != 1 {
		t.Errorf("%d have made it; %d were sent", first, w.Count("POST", issues))
	}
}

// TestCreateIssue_CancelledCalls checks that a creation that was sent continues after its call, and that an earlier
// cancellation creates no issue.
func TestCreateIssue_CancelledCalls(t *testing.T) {
	for _, tc := range []struct {
		name, held string
		made       int
	}{{"before it was sent", "GET " + issues, 0}, {"after", "POST " + issues, 1}} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			held, release := make(chan struct{}, 1), make(chan struct{})
			w.On(tc.held, githubtest.Hold(held, release))
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			var calls sync.WaitGroup
			calls.Go(func() {
				_, err := w.hub.CreateIssue(ctx, wanted)
				ended <- err
			})
			<-held
			cancel()
			err := <-ended
			if tc.made == 1 {
				wantError(t, err, "UNKNOWN_OUTCOME", "the call ended during the creation", "again")
			} else {
				wantError(t, err, "CANCELLED", "No issue was created")
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			close(release)
			calls.Wait()
			if err := w.hub.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if n := len(w.demo.Issues()); n != tc.made {
				t.Errorf("%d were made", n)
			}
		})
	}
}

// TestClose_WaitsForCreation checks that Close waits for creations that were sent, until its context ends.
func TestClose_WaitsForCreation(t *testing.T) {
	w := newWorld(t)
	held, release := make(chan struct{}, 1), make(chan struct{})
	defer close(release)
	w.On("POST "+issues, githubtest.Hold(held, release))
	ended := make(chan error, 1)
	var calls sync.WaitGroup
	calls.Go(func() {
		_, err := w.hub.CreateIssue(t.Context(), wanted)
		ended <- err
	})
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := w.hub.Close(ctx); err != nil {
		t.Error(err)
	}
	wantError(t, <-ended, "UNKNOWN_OUTCOME")
	calls.Wait()
	_, err := w.hub.CreateIssue(t.Context(), wanted)
	wantError(t, err, "ISSUES_UNAVAILABLE", "closed")
	_, err = w.hub.SearchIssues(t.Context(), plugin.IssueQuery{Limit: 1})
	wantError(t, err, "ISSUES_UNAVAILABLE", "closed")
	wantError(t, w.hub.Health(t.Context()), "ISSUES_UNAVAILABLE", "closed")
}
