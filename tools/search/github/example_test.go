package github_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func Example() {
	ctx := context.Background()
	server := githubtest.New() // replaces GitHub
	defer server.Close()
	server.Add("octocat/hello").AddIssue(githubtest.Issue{Title: "Login fails"})

	hub, err := github.New(github.Options{Token: "ghp_example", Owner: "octocat", Repo: "hello", BaseURL: server.URL()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hub.Close(ctx)

	found, err := hub.SearchIssues(ctx, plugin.IssueQuery{Text: "login", Limit: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, issue := range found.Issues {
		fmt.Println(issue.Number, issue.Title)
	}
	created, err := hub.CreateIssue(ctx, plugin.NewIssue{Title: "login fails"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("made:", created.Issue != nil, "like it:", created.Duplicates[0].URL)
	// Output:
	// 1 Login fails
	// made: false like it: https://github.com/octocat/hello/issues/1
}
