package search_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
)

// TestSearchIssues_GitHub searches and creates issues with the GitHub plugin.
func TestSearchIssues_GitHub(t *testing.T) {
	server := githubtest.New()
	t.Cleanup(server.Close)
	repo := server.Add("octo/demo")
	repo.AddIssue(githubtest.Issue{Title: "Login fails", Body: "Since yesterday."})
	repo.AddIssue(githubtest.Issue{Title: "Login is slow", State: "closed"})
	milestone := repo.AddMilestone("v1.0", "open")
	hub, err := github.New(github.Options{Token: "ghp_secret", Owner: "octo", Repo: "demo", BaseURL: server.URL(), Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := newProject(t, nil, search.Options{}, hub)

	r, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: "login"})
	if err != nil || len(r.Issues) != 1 || r.Issues[0].Title != "Login fails" {
		t.Fatalf("%+v, %v", r, err)
	}
	made, err := p.CreateIssue(t.Context(), search.CreateArgs{Title: "Logout fails", Body: "Always.", Milestone: "v1.0"})
	if err != nil || !made.Created || made.MilestoneNumber != milestone {
		t.Fatalf("%+v, %v", made, err)
	}
	again, err := p.CreateIssue(t.Context(), search.CreateArgs{Title: "Logout fails", Body: "Always.", Milestone: "v1.0"})
	if err != nil || again.Created || !again.Existing || again.Issue.Number != made.Issue.Number {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	like, err := p.CreateIssue(t.Context(), search.CreateArgs{Title: "login FAILS"})
	if err != nil || like.Issue != nil || len(like.PossibleDuplicates) != 1 {
		t.Errorf("one like another: %+v, %v", like, err)
	}
	context, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeGitStatus: new(false)})
	if err != nil || len(context.Issues) != 2 || len(context.Warnings) != 0 {
		t.Errorf("%+v, %v", context, err)
	}

	server.On("*", githubtest.Status(http.StatusUnauthorized, "Bad credentials"))
	_, err = p.SearchIssues(t.Context(), search.IssuesArgs{Query: "other"})
	toolsettest.WantError(t, err, "NOT_AUTHORIZED")
	if strings.Contains(err.Error(), "ghp_secret") {
		t.Errorf("the token is in the output: %v", err)
	}
	_, err = p.SearchIssues(t.Context(), search.IssuesArgs{Query: strings.Repeat("long ", 100)})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "256")
	for range 5 {
		server.On("*", githubtest.Status(http.StatusBadGateway, "no"))
		_, err = p.SearchIssues(t.Context(), search.IssuesArgs{Query: "broken"})
		toolsettest.WantError(t, err, "ISSUES_UNAVAILABLE")
	}
	_, err = p.SearchIssues(t.Context(), search.IssuesArgs{Query: "broken"})
	toolsettest.WantError(t, err, "CIRCUIT_OPEN", "github")
}
