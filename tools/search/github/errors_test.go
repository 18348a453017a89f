package github_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// TestSearchIssues_Errors checks the tool errors for faulty responses.
func TestSearchIssues_Errors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fault  githubtest.Fault
		code   string
		words  []string
		sent   int
		health bool
	}{
		{"a token that has ended", githubtest.Status(401, "Bad credentials "+token), "NOT_AUTHORIZED", []string{"Bad credentials [redacted]", "new one", "octo/demo"}, 1, false},
		{"a token with too little", githubtest.Status(403, "Resource not accessible by personal access token"), "NOT_AUTHORIZED", []string{"not accessible", "permission"}, 1, false},
		{"no such repository", githubtest.Status(404, "Not Found"), "NOT_FOUND", []string{"octo/demo", "private"}, 1, true},
		{"switched off", githubtest.Status(410, "Issues has been disabled in this repository."), "NOT_FOUND", []string{"disabled"}, 1, true},
		{"for legal reasons", githubtest.Status(451, "DMCA"), "NOT_FOUND", []string{"legal"}, 1, true},
		{"not valid", githubtest.Respond(422, "application/json", `{"message":"Validation Failed","errors":[{"resource":"Search","field":"q","code":"invalid"},"too\u0007 long"]}`), "INVALID_PARAMS", []string{"Search q invalid", "too long"}, 1, true},
		{"cannot be searched", githubtest.Respond(422, "application/json", `{"message":"Validation Failed","errors":[{"message":"The listed users and repositories cannot be searched either because …"}]}`), "NOT_FOUND", []string{"octo/demo"}, 1, true},
		{"something else", githubtest.Status(418, "teapot"), "ISSUES_UNAVAILABLE", []string{"418", "teapot"}, 1, false},
		{"much to say", githubtest.Status(400, strings.Repeat("long ", 10_000)), "ISSUES_UNAVAILABLE", []string{"400 Bad Request"}, 1, false},
		{"a failure", githubtest.Status(500, "oops"), "ISSUES_UNAVAILABLE", []string{"500", "oops", "tell the user"}, 3, false},
		{"a page of a failure", githubtest.HTMLPage(502), "ISSUES_UNAVAILABLE", []string{"502 Bad Gateway"}, 3, false},
		{"a page", githubtest.HTMLPage(200), "ISSUES_UNAVAILABLE", []string{"text/html", "check the base URL"}, 1, false},
		{"no JSON", githubtest.Respond(200, "application/json", `[{"number":1`), "ISSUES_UNAVAILABLE", []string{"unexpected EOF"}, 1, false},
		{"another shape", githubtest.Respond(200, "application/json", `"text"`), "ISSUES_UNAVAILABLE", []string{"cannot unmarshal"}, 1, false},
		{"nothing", githubtest.Respond(200, "application/json", ""), "ISSUES_UNAVAILABLE", []string{"empty"}, 1, false},
		{"broken off", githubtest.Truncate(), "ISSUES_UNAVAILABLE", []string{"reading the response"}, 3, false},
		{"dropped", githubtest.Drop(false), "ISSUES_UNAVAILABLE", []string{"EOF"}, 3, false},
		{"without an end", githubtest.Endless(), "ISSUES_UNAVAILABLE", []string{"longer than 16777216 bytes"}, 1, false},
		{"to another host", githubtest.Redirect(301, "https://example.com/repos/octo/demo/issues"), "ISSUES_UNAVAILABLE", []string{"redirect"}, 1, false},
		{"to another port", githubtest.Redirect(302, "http://127.0.0.1:1/"+token), "ISSUES_UNAVAILABLE", []string{"redirect"}, 1, false},
		{"to nowhere", githubtest.Redirect(301, "http://[::1"), "ISSUES_UNAVAILABLE", nil, 3, false},
		{"in a circle", githubtest.Redirect(301, issues), "ISSUES_UNAVAILABLE", []string{"redirect"}, 4, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.On("*", tc.fault, tc.fault, tc.fault, tc.fault, tc.fault)
			_, err := w.hub.SearchIssues(t.Context(), plugin.IssueQuery{Limit: 3})
			wantError(t, err, tc.code, tc.words...)
			if len(err.Error()) > 600 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if n := len(w.Requests()); n != tc.sent && tc.name != "to nowhere" {
				t.Errorf("%d requests were made", n)
			}
			if healthy := w.hub.Health(t.Context()) == nil; healthy != tc.health {
				t.Errorf("healthy is %v", healthy)
			}
		})
	}
}

// TestTransport_Retry checks that a temporary failure is retried.
func TestTransport_Retry(t *testing.T) {
	for name, fault := range map[string]githubtest.Fault{"failure": githubtest.Status(503, ""), "break": githubtest.Truncate(), "drop": githubtest.Drop(false)} {
		w := newWorld(t)
		w.populate()
		w.On("GET "+issues, fault, fault)
		if list := w.search(t, plugin.IssueQuery{}); len(list.Issues) != 4 || list.Age != 0 || len(w.Requests()) != 3 {
			t.Errorf("%s: %+v after %d requests", name, list, len(w.Requests()))
		}
	}
}

// TestSearchIssues_Cancel checks that a cancelled call ends at once with its cause.
func TestSearchIssues_Cancel(t *testing.T) {
	w := newWorld(t)
	held, release := make(chan struct{}, 1), make(chan struct{})
	defer close(release)
	w.On("*", githubtest.Hold(held, release))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := fmt.Errorf("the user has left")
	go func() {
		<-held
		cancel(why)
	}()
	_, err := w.hub.SearchIssues(ctx, plugin.IssueQuery{Limit: 1})
	if err == nil || !strings.Contains(err.Error(), "the user has left") || w.hub.Health(t.Context()) != nil {
		t.Errorf("ended with %v", err)
	}
}

// TestTransport_NotModified checks that unchanged responses are requested with their ETag.
func TestTransport_NotModified(t *testing.T) {
	w := newWorld(t)
	w.populate()
	q := plugin.IssueQuery{Text: "login"}
	for range 3 {
		if list := w.search(t, q); len(list.Issues) != 2 || list.Age != 0 {
			t.Errorf("found %+v", list)
		}
	}
	asked := w.Requests()
	if len(asked) != 3 || asked[0].Status != 200 || asked[1].Status != 304 || asked[2].Status != 304 || asked[2].IfNoneMatch == "" {
		t.Errorf("asked %+v", asked)
	}
	w.demo.Close(1)
	if list := w.search(t, q); len(list.Issues) != 1 {
		t.Errorf("found %+v", list)
	}
}

// TestTransport_CacheSize checks the limits of the cache.
func TestTransport_CacheSize(t *testing.T) {
	w := newWorld(t)
	w.demo.AddIssue(githubtest.Issue{Title: "long", Body: strings.Repeat("x", 900_000)})
	for n := range 15 {
		w.search(t, plugin.IssueQuery{Text: fmt.Sprintf("long in:title created:>19%02d", n)})
	}
	before := len(w.Requests())
	w.search(t, plugin.IssueQuery{Text: "long in:title created:>1914"}) // cached
	w.search(t, plugin.IssueQuery{Text: "long in:title created:>1900"}) // too large for the cache
	for n := range 80 {
		w.search(t, plugin.IssueQuery{Assignee: fmt.Sprint("u", n)})
	}
	w.search(t, plugin.IssueQuery{Assignee: "u79"})
	w.search(t, plugin.IssueQuery{Assignee: "u0"}) // evicted
	asked := w.Requests()[before:]
	if last := asked[82:]; asked[0].Status != 304 || asked[1].Status != 200 || last[0].Status != 304 || last[1].Status != 200 {
		t.Errorf("asked %+v, %+v", asked[:2], last)
	}
}

func TestNew_Options(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    github.Options
		want string
	}{
		{"no scheme", github.Options{BaseURL: "api.github.com"}, "absolute"},
		{"another scheme", github.Options{BaseURL: "ftp://x/"}, "https"},
		{"a token in the open", github.Options{BaseURL: "http://ghe.example.com/api/v3", Token: token}, "use https"},
		{"a password", github.Options{BaseURL: "https://u:p@ghe.example.com/"}, "user"},
		{"half a repository", github.Options{Owner: "octo"}, "owner/name"},
		{"no repository", github.Options{Owner: "octo", Repo: "a/b"}, "owner/name"},
		{"an odd token", github.Options{Token: "\"" + token + "\" "}, "token"},
		{"an odd repository", github.Options{Repos: []string{"octo/*", "x"}}, "owner/name"},
	} {
		_, err := github.New(tc.o)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	hub, err := github.New(github.Options{Token: token, BaseURL: "https://ghe.example.com/api/v3"})
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", hub, hub, hub); strings.Contains(shown, token) || hub.Name() != "github" {
		t.Error("it shows the token")
	}
	_, err = hub.SearchIssues(t.Context(), plugin.IssueQuery{Limit: 1})
	wantError(t, err, "INVALID_PARAMS", "no repository is configured")
	if err := hub.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSearchIssues_NoToken checks that errors caused by a missing token ask for one, and other errors do not.
func TestSearchIssues_NoToken(t *testing.T) {
	const want = "a GitHub token is required, and none is set"
	for name, fault := range map[string]githubtest.Fault{
		"unauthorized": githubtest.Status(401, "Requires authentication"), "forbidden": githubtest.Status(403, "Must have admin rights"), "hidden": githubtest.Status(404, "Not Found"),
		"not searched": githubtest.Respond(422, "application/json", `{"message":"Validation Failed","errors":[{"message":"The listed users and repositories cannot be searched either because …"}]}`),
	} {
		w := newWorld(t, func(o *github.Options) { o.Token = "" })
		w.On("*", fault, fault)
		_, err := w.hub.SearchIssues(t.Context(), plugin.IssueQuery{Text: "crash", Limit: 3})
		wantError(t, err, "NO_TOKEN", want, "GITHUB_TOKEN")
		for _, guess := range []string{"not found", "Check the name", "other words", "permission", "ended", "revoked"} {
			if strings.Contains(err.Error(), guess) {
				t.Errorf("%s: %q is a second guess in %v", name, guess, err)
			}
		}
		if w.hub.Health(t.Context()) == nil {
			t.Errorf("%s: the plugin is healthy", name)
		}
	}
	w := newWorld(t, func(o *github.Options) { o.Token = "" })
	_, err := w.hub.CreateIssue(t.Context(), plugin.NewIssue{Title: "crash"})
	wantError(t, err, "NO_TOKEN", want, "GITHUB_TOKEN")
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}
