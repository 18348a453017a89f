package plugintest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testfault"
	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
)

// faulty is a tracker that breaks one rule of plugin.Issues.
type faulty struct {
	plugin.Issues
	fault string
}

func (f faulty) Name() string {
	if f.fault == "name" {
		return "two words"
	}
	return f.Issues.Name()
}

func (f faulty) SearchIssues(ctx context.Context, q plugin.IssueQuery) (plugin.IssueList, error) {
	limit := q.Limit
	switch f.fault {
	case "words":
		q.Text = ""
	case "state":
		q.State = "all"
	case "labels":
		q.Labels = nil
	case "limit":
		q.Limit = 50
	case "canceled":
		ctx = context.WithoutCancel(ctx)
	}
	list, err := f.Issues.SearchIssues(ctx, q)
	for i := range list.Issues {
		issue := &list.Issues[i]
		switch f.fault {
		case "key":
			issue.Key = "two words"
		case "no key":
			issue.Key, issue.Number = "", 0
		case "keys":
			issue.Key, issue.Number = "A-1", 1
		case "title":
			issue.Title += "\n"
		case "issue state":
			issue.State = "new"
		case "body":
			issue.Body = strings.Repeat("x", 301)
		case "URL":
			issue.URL = "javascript:alert(1)"
		}
	}
	switch f.fault {
	case "total":
		list.Total = 0
	case "few":
		list.Issues = list.Issues[:min(len(list.Issues), limit-1)]
	}
	return list, err
}

func (f faulty) CreateIssue(ctx context.Context, n plugin.NewIssue) (plugin.Created, error) {
	switch f.fault {
	case "dry run":
		n.DryRun = false
	case "idempotency":
		n.IdempotencyKey = n.Title
	case "duplicate":
		n.AllowDuplicate = true
	case "invalid":
		n.Title = strings.ToValidUTF8(n.Title, "?") + "x"
	case "canceled":
		ctx = context.WithoutCancel(ctx)
	}
	return f.Issues.CreateIssue(ctx, n)
}

// TestFault runs in the processes of TestRunIssues_Faults.
func TestFault(t *testing.T) {
	fault := testfault.Selected(t)
	plugintest.RunIssues(t, func(t *testing.T, issues []plugin.Issue) plugin.Issues {
		server := githubtest.New()
		t.Cleanup(server.Close)
		demo := server.Add("octo/demo")
		for _, i := range issues {
			demo.AddIssue(githubtest.Issue{Title: i.Title, Body: i.Body, State: i.State, Labels: i.Labels, Assignees: i.Assignees})
		}
		tracker, err := github.New(github.Options{Token: "ghp_example", Owner: "octo", Repo: "demo", BaseURL: server.URL()})
		if err != nil {
			t.Fatal(err)
		}
		return faulty{tracker, fault}
	})
}

// RunIssues detects each of these faults. The value is a test that fails, and a part of its message.
func TestRunIssues_Faults(t *testing.T) {
	t.Parallel()
	for fault, expected := range map[string]struct{ test, message string }{
		"name": {"Name", "want a constant word"}, "words": {"Words", "the issues are"}, "state": {"State", "the issues are"},
		"labels": {"Filters", "the issues are"}, "limit": {"Limit", "more than Limit"}, "few": {"Limit", "Limit 3: 2 issues"},
		"total": {"Newest", "Total is 0"}, "key": {"Keys", "is not one word"}, "no key": {"Keys", "neither a Key nor a Number"},
		"keys": {"Keys", "twice"}, "title": {"Newest", "is not one line"}, "issue state": {"Newest", "not open or closed"},
		"body": {"Newest", "more than 300"}, "URL": {"Newest", "not that of a web page"}, "dry run": {"DryRun", "a dry run"},
		"idempotency": {"IdempotencyKey", "the same IdempotencyKey"}, "duplicate": {"Duplicate", "a duplicate was created"}, "invalid": {"CreateInvalid", "CreateIssue with"},
		"canceled": {"Canceled", "returns no error"},
	} {
		t.Run(fault, func(t *testing.T) { testfault.Expect(t, fault, "^TestFault$/^"+expected.test+"$", expected.message) })
	}
}
