package plugintest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
)

func ExampleRunIssues() {
	// The test of a package with a tracker of its own:
	test := func(t *testing.T) {
		plugintest.RunIssues(t, func(t *testing.T, issues []plugin.Issue) plugin.Issues {
			server := githubtest.New() // or a test instance of the tracker
			t.Cleanup(server.Close)
			demo := server.Add("octo/demo")
			for _, i := range issues {
				demo.AddIssue(githubtest.Issue{Title: i.Title, Body: i.Body, State: i.State, Labels: i.Labels, Assignees: i.Assignees})
			}
			tested, err := github.New(github.Options{Token: "ghp_example", Owner: "octo", Repo: "demo", BaseURL: server.URL()})
			if err != nil {
				t.Fatal(err)
			}
			return tested
		})
	}
	_ = test
	// Output:
}
