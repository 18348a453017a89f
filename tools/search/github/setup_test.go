package github_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "ghp_S3cretS3cretS3cretS3cret"

// world is a GitHub with the repository octo/demo, and a plugin for it.
type world struct {
	*githubtest.Server
	demo *githubtest.Repo
	hub  *github.Plugin
	log  *waittest.Log
}

// newWorld returns a world that uses real HTTP. change modifies the options.
func newWorld(t testing.TB, change ...func(*github.Options)) *world {
	t.Helper()
	s := githubtest.New()
	t.Cleanup(s.Close)
	w := &world{Server: s, demo: s.Add("octo/demo"), log: new(waittest.Log)}
	s.RequireToken(token)
	o := github.Options{Token: token, Owner: "octo", Repo: "demo", Backoff: time.Millisecond, Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, f := range change {
		f(&o)
	}
	if o.Transport == nil && o.BaseURL == "" {
		o.BaseURL = s.URL()
	}
	hub, err := github.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.hub = hub
	t.Cleanup(func() {
		if err := hub.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if text := w.log.String(); strings.Contains(text, token) {
			t.Errorf("the log has the token: %s", text)
		}
	})
	return w
}

func (w *world) search(t testing.TB, q plugin.IssueQuery) plugin.IssueList {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	list, err := w.hub.SearchIssues(t.Context(), q)
	if err != nil {
		t.Fatalf("searching %+v: %v", q, err)
	}
	return list
}

func (w *world) create(t testing.TB, n plugin.NewIssue) plugin.Created {
	t.Helper()
	created, err := w.hub.CreateIssue(t.Context(), n)
	if err != nil {
		t.Fatalf("creating %+v: %v", n, err)
	}
	return created
}

func numbers(list []plugin.Issue) []int {
	all := []int{}
	for _, i := range list {
		all = append(all, i.Number)
	}
	return all
}

// wantError checks the code of an error, and that it contains words in its message or next step. No error may contain the
// token.
func wantError(t testing.TB, err error, code string, words ...string) {
	t.Helper()
	toolsettest.WantError(t, err, code, words...)
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(e.Error(), token) {
			t.Errorf("the error shows the token: %v", e)
		}
	}
}
