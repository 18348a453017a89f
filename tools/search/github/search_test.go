package github_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// populate adds issues 1 to 6, of which 6 is a pull request, and a private repository that the token can read.
func (w *world) populate() {
	for _, i := range []githubtest.Issue{
		{Title: "Login fails with a long password", Body: "It says 500.", Labels: []string{"bug", "good first issue"}, Assignees: []string{"mona"}},
		{Title: "ログインできない", Body: "全角の入力で失敗する", Labels: []string{"bug"}},
		{Title: "Dark mode", Body: "Please.", Author: "hubot", Labels: []string{"wish"}},
		{Title: "Login page is slow", State: "closed", Labels: []string{"bug"}},
		{Title: "The OR operator of login rules", Body: "repo:octo/secret"},
		{Title: "Fix login", PullRequest: true, Labels: []string{"bug"}},
	} {
		w.demo.AddIssue(i)
	}
	w.Add("octo/secret").AddIssue(githubtest.Issue{Title: "login to the bank", Body: "hunter2", Labels: []string{"bug"}})
}

func TestSearchIssues_Queries(t *testing.T) {
	w := newWorld(t)
	w.populate()
	for _, tc := range []struct {
		name  string
		ask   plugin.IssueQuery
		sent  string
		found []int
	}{
		{"words", plugin.IssueQuery{Text: " login  fails "}, "repo:octo/demo is:issue state:open login fails", []int{1}},
		{"a phrase", plugin.IssueQuery{Text: `"long password"`}, `repo:octo/demo is:issue state:open "long password"`, []int{1}},
		{"Japanese", plugin.IssueQuery{Text: "ログイン"}, "repo:octo/demo is:issue state:open ログイン", []int{2}},
		{"closed ones", plugin.IssueQuery{Text: "login", State: "closed"}, "repo:octo/demo is:issue state:closed login", []int{4}},
		{"all", plugin.IssueQuery{Text: "login", State: "all"}, "repo:octo/demo is:issue login", []int{5, 4, 1}},
		{"labels", plugin.IssueQuery{Text: "login", Labels: []string{"bug", "good first issue"}}, `repo:octo/demo is:issue state:open label:"bug" label:"good first issue" login`, []int{1}},
		{"an assignee", plugin.IssueQuery{Text: "login", Assignee: "@mona"}, "repo:octo/demo is:issue state:open assignee:mona login", []int{1}},
		{"nobody", plugin.IssueQuery{Text: "login", Assignee: "none"}, "repo:octo/demo is:issue state:open no:assignee login", []int{5}},
		{"by name", plugin.IssueQuery{Text: "dark", Repo: "Octo/Demo"}, "repo:Octo/Demo is:issue state:open dark", []int{3}},
		{"narrower", plugin.IssueQuery{Text: `author:hubot label:"wish" in:title mode`}, `repo:octo/demo is:issue state:open author:hubot label:"wish" in:title mode`, []int{3}},
		{"nothing", plugin.IssueQuery{Text: "unheard-of"}, "repo:octo/demo is:issue state:open unheard-of", []int{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := w.search(t, tc.ask)
			asked := w.Requests()
			if last := asked[len(asked)-1]; last.Query != tc.sent || last.Authorization != "Bearer "+token {
				t.Errorf("asked for %s", last.Query)
			}
			if got := numbers(list.Issues); !slices.Equal(got, tc.found) || list.Total != len(tc.found) || list.Incomplete || list.Age != 0 {
				t.Errorf("found %v, %+v; want %v", got, list, tc.found)
			}
		})
	}
	if err := w.hub.Health(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSearchIssues_HostileText checks that a text cannot select other repositories or pull requests.
func TestSearchIssues_HostileText(t *testing.T) {
	w := newWorld(t)
	w.populate()
	for _, tc := range []struct{ text, sent string }{
		{"repo:octo/secret login", `"repo:octo/secret" login`},
		{"login OR bank", `login "OR" bank`},
		{"login or not and", `login "or" "not" "and"`},
		{"(login) NOT x", `"(login)" "NOT" x`},
		{"-repo:octo/demo", `"-repo:octo/demo"`},
		{"org:octo user:octo is:pr", `"org:octo" "user:octo" "is:pr"`},
		{`in:title" OR repo:octo/secret`, `in:title "OR repo:octo/secret"`},
		{`label:"bug" OR "`, `label:"bug" "OR"`},
		{`label:bug,x"y`, `label:bug,x "y"`},
		{`" OR repo:octo/secret "`, `"OR repo:octo/secret"`},
		{`a"b"c`, `a "b" c`},
		{`\" OR \"`, `"OR"`},
		{"login\nOR\u00a0bank", `login "OR" bank`},
		{"REPO:octo/secret Author:hubot", `"REPO:octo/secret" "Author:hubot"`},
		{"author:x)OR(repo:y", `"author:x)OR(repo:y"`},
		{"login\x00OR\\bank", `login "OR" bank`},
		{"@me -login", `"@me" "-login"`},
	} {
		list := w.search(t, plugin.IssueQuery{Text: tc.text, State: "all"})
		asked := w.Requests()
		if sent := strings.TrimPrefix(asked[len(asked)-1].Query, "repo:octo/demo is:issue "); sent != tc.sent {
			t.Errorf("%q was sent as %s, want %s", tc.text, sent, tc.sent)
		}
		for _, i := range list.Issues {
			if i.Repo != "octo/demo" || i.Number == 6 {
				t.Errorf("%q has found %+v", tc.text, i)
			}
		}
	}
}

func FuzzSearchIssues_Text(f *testing.F) {
	for _, text := range []string{`login OR "x`, "repo:a/b -is:pr", `label:"a b" in:title (x)`, "ＯＲ\u2028or\x00", `"\"" AND`} {
		f.Add(text)
	}
	w := newWorld(f)
	w.populate()
	for _, name := range []string{"search", "core"} {
		w.SetLimit(name, math.MaxInt, time.Now().Add(1000*time.Hour))
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := w.hub.SearchIssues(t.Context(), plugin.IssueQuery{Text: text, State: "all", Limit: 50})
		if err != nil {
			wantError(t, err, "INVALID_PARAMS")
			return
		}
		if list.Total > 5 { // the sixth is a pull request, the seventh is in the private repository
			t.Errorf("%q leads to %d issues: %v", text, list.Total, list.Issues)
		}
	})
}

// TestSearchIssues_ForeignRepositories checks that results from other repositories are dropped.
func TestSearchIssues_ForeignRepositories(t *testing.T) {
	w := newWorld(t)
	w.populate()
	w.On("GET /search/issues", githubtest.Respond(200, "application/json", `{"total_count":3,"incomplete_results":true,"items":[
		{"number":7,"title":"secret","state":"open","repository_url":"https://x/repos/octo/secret"}, null,
		{"number":1,"title":"ours","state":"open","repository_url":"https://x/repos/OCTO/demo","html_url":"javascript:alert(1)"}, {"title":"none"}]}`))
	list := w.search(t, plugin.IssueQuery{Text: "x"})
	if len(list.Issues) != 1 || list.Issues[0].Title != "ours" || list.Issues[0].URL != "" || !list.Incomplete {
		t.Errorf("found %+v", list)
	}
}

// TestSearchIssues_EmptyText checks that the newest issues are listed without a search.
func TestSearchIssues_EmptyText(t *testing.T) {
	w := newWorld(t)
	w.populate()
	for _, tc := range []struct {
		ask   plugin.IssueQuery
		found []int
	}{
		{plugin.IssueQuery{}, []int{5, 3, 2, 1}},
		{plugin.IssueQuery{State: "all", Limit: 2}, []int{5, 4}},
		{plugin.IssueQuery{Labels: []string{"bug"}, State: "all"}, []int{4, 2, 1}},
		{plugin.IssueQuery{Assignee: "mona"}, []int{1}},
		{plugin.IssueQuery{Assignee: "*"}, []int{1}},
		{plugin.IssueQuery{Assignee: "none", State: "closed"}, []int{4}},
	} {
		if list := w.search(t, tc.ask); !slices.Equal(numbers(list.Issues), tc.found) || list.Total < len(tc.found) {
			t.Errorf("%+v: found %v of %d, want %v", tc.ask, numbers(list.Issues), list.Total, tc.found)
		}
	}
	if n := w.Count("GET", "/search"); n != 0 {
		t.Errorf("%d searches", n)
	}
	if w.search(t, plugin.IssueQuery{Labels: []string{"a,b"}}); w.Count("GET", "/search") != 1 {
		t.Error("a label with a comma cannot be listed")
	}
}

// TestSearchIssues_Pages checks that only the necessary pages are read.
func TestSearchIssues_Pages(t *testing.T) {
	w := newWorld(t)
	for n := range 320 {
		w.demo.AddIssue(githubtest.Issue{Title: fmt.Sprint("one of many ", n), PullRequest: n%2 == 0})
	}
	for _, tc := range []struct{ limit, found, least, searches int }{{1, 1, 160, 1}, {100, 100, 160, 1}, {150, 150, 160, 2}, {500, 160, 160, 2}} {
		before := w.Count("GET", "/search")
		if list := w.search(t, plugin.IssueQuery{Text: "many", Limit: tc.limit}); len(list.Issues) != tc.found || list.Total != tc.least {
			t.Errorf("limit %d: %d of %d", tc.limit, len(list.Issues), list.Total)
		}
		if n := w.Count("GET", "/search") - before; n != tc.searches {
			t.Errorf("limit %d: %d searches", tc.limit, n)
		}
		if list := w.search(t, plugin.IssueQuery{Limit: tc.limit}); len(list.Issues) != tc.found {
			t.Errorf("limit %d: listed %d", tc.limit, len(list.Issues))
		}
	}
}

// TestSearchIssues_IssueFields checks the conversion of an issue.
func TestSearchIssues_IssueFields(t *testing.T) {
	w := newWorld(t)
	updated := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w.demo.AddIssue(githubtest.Issue{
		Title: "日本語\x1b[31m\ttitle", Body: "<!-- a form -->\r\n\r\n\r\nFirst\x00 line\n\n\n\nsecond " + strings.Repeat("長", 400), Author: "mona",
		Labels: []string{"bug"}, Assignees: []string{"hubot"}, Comments: 3, Updated: updated,
	})
	got := w.search(t, plugin.IssueQuery{}).Issues[0]
	body := got.Body
	got.Body = ""
	want := plugin.Issue{
		Key: "#1", Repo: "octo/demo", Number: 1, Title: "日本語[31m title", State: "open", URL: "https://github.com/octo/demo/issues/1",
		Labels: []string{"bug"}, Assignees: []string{"hubot"}, Author: "mona", Comments: 3, Updated: updated,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !strings.HasPrefix(body, "First line\n\nsecond 長") || !strings.HasSuffix(body, "長…") || utf8.RuneCountInString(body) != 300 {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(body), body)
	}
}

func TestSearchIssues_InvalidArguments(t *testing.T) {
	w := newWorld(t, func(o *github.Options) { o.Repos = []string{"Other/One", "friends/*"} })
	w.Add("friends/any")
	w.Add("other/one")
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprint("l", i)
	}
	for _, tc := range []struct {
		ask   plugin.IssueQuery
		code  string
		words []string
	}{
		{plugin.IssueQuery{Text: strings.Repeat("あ", 257), Limit: 1}, "INVALID_PARAMS", []string{"257 characters", "256"}},
		{plugin.IssueQuery{State: "merged", Limit: 1}, "INVALID_PARAMS", []string{"open, closed or all"}},
		{plugin.IssueQuery{Limit: 0}, "INVALID_PARAMS", []string{"limit"}},
		{plugin.IssueQuery{Limit: 501}, "INVALID_PARAMS", []string{"500"}},
		{plugin.IssueQuery{Limit: 1, Labels: []string{`a" OR "`}}, "INVALID_PARAMS", []string{"label"}},
		{plugin.IssueQuery{Limit: 1, Labels: many}, "INVALID_PARAMS", []string{"51 labels"}},
		{plugin.IssueQuery{Limit: 1, Assignee: "a b"}, "INVALID_PARAMS", []string{"a b"}},
		{plugin.IssueQuery{Limit: 1, Repo: "octo/../x"}, "INVALID_PARAMS", []string{"owner/name"}},
		{plugin.IssueQuery{Limit: 1, Repo: "octo/.."}, "INVALID_PARAMS", []string{"owner/name"}},
		{plugin.IssueQuery{Limit: 1, Repo: "octo/secret"}, "PERMISSION_DENIED", []string{"octo/secret", "octo/demo"}},
	} {
		_, err := w.hub.SearchIssues(t.Context(), tc.ask)
		wantError(t, err, tc.code, tc.words...)
	}
	if len(w.Requests()) > 0 {
		t.Errorf("GitHub was asked: %v", w.Requests())
	}
	w.search(t, plugin.IssueQuery{Repo: "other/ONE"})
	w.search(t, plugin.IssueQuery{Repo: "friends/any"})
	if text := strings.Repeat("あ", 256); w.search(t, plugin.IssueQuery{Text: text + ` label:"` + text[:90] + `"`}).Total != 0 {
		t.Error("something was found")
	}
}

// TestSearchIssues_RenamedRepository checks that a renamed repository is found by its old name.
func TestSearchIssues_RenamedRepository(t *testing.T) {
	w := newWorld(t)
	w.populate()
	w.demo.Rename("octo/new-name")
	for _, text := range []string{"", "login"} {
		list := w.search(t, plugin.IssueQuery{Text: text})
		if len(list.Issues) == 0 || list.Issues[0].Repo != "octo/new-name" {
			t.Errorf("%q: %+v", text, list)
		}
	}
	if created := w.create(t, plugin.NewIssue{Title: "Another one"}); created.Issue == nil || created.Issue.Repo != "octo/new-name" || len(w.demo.Issues()) != 7 {
		t.Errorf("created %+v", created)
	}
}
