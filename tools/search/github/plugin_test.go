package github_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
)

func TestPlugin_Contract(t *testing.T) {
	plugintest.RunIssues(t, func(t *testing.T, issues []plugin.Issue) plugin.Issues {
		server := githubtest.New()
		t.Cleanup(server.Close)
		demo := server.Add("octo/demo")
		for _, i := range issues {
			demo.AddIssue(githubtest.Issue{Title: i.Title, Body: i.Body, State: i.State, Labels: i.Labels, Assignees: i.Assignees})
		}
		hub, err := github.New(github.Options{Token: token, Owner: "octo", Repo: "demo", BaseURL: server.URL()})
		if err != nil {
			t.Fatal(err)
		}
		return hub
	})
}
