package plugin_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestIssue_Label(t *testing.T) {
	for _, test := range []struct {
		issue plugin.Issue
		want  string
	}{
		{plugin.Issue{Key: "ABC-12", Repo: "ABC"}, "ABC-12"},
		{plugin.Issue{Key: "#12", Repo: "octocat/hello", Number: 12}, "octocat/hello#12"},
		{plugin.Issue{Repo: "octocat/hello", Number: 12}, "octocat/hello#12"},
		{plugin.Issue{Key: "#12"}, "#12"},
	} {
		if got := test.issue.Label(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.issue, got, test.want)
		}
	}
}
