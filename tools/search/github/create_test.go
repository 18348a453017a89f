package github_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/github/githubtest"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const issues = "/repos/octo/demo/issues"

func TestCreateIssue(t *testing.T) {
	w := newWorld(t)
	w.demo.AddLabels("Bug", "日本語")
	w.demo.AddUsers("Mona")
	w.demo.AddMilestone("v1", "open")
	created := w.create(t, plugin.NewIssue{
		Title: "  It\nbreaks ", Body: "When & <how>\n", Labels: []string{"bug", "日本語", "BUG"}, Assignees: []string{"@mona", "Mona"}, Milestone: "V1",
	})
	if created.Issue == nil || created.Existing || created.Milestone != 1 || len(created.Duplicates) > 0 {
		t.Fatalf("created %+v", created)
	}
	if i := created.Issue; i.Number != 1 || i.URL != "https://github.com/octo/demo/issues/1" || i.Title != "It breaks" || i.State != "open" || i.Body != "When & <how>" || i.Repo != "octo/demo" {
		t.Errorf("the issue is %+v", i)
	}
	made := w.demo.Issues()[0]
	if !slices.Equal(made.Labels, []string{"Bug", "日本語"}) || !slices.Equal(made.Assignees, []string{"mona"}) || made.Milestone != 1 {
		t.Errorf("made was %+v", made)
	}
	if !strings.HasPrefix(made.Body, "When & <how>\n\n<!-- dougu:key=") || !strings.HasSuffix(made.Body, " -->") {
		t.Errorf("the body is %q", made.Body)
	}
}

// TestCreateIssue_Repeated checks that a repeated call returns the existing issue, also from another plugin instance.
func TestCreateIssue_Repeated(t *testing.T) {
	w := newWorld(t)
	for _, n := range []plugin.NewIssue{{Title: "one"}, {Title: "two", Body: "x", IdempotencyKey: "call-7 -->"}, {Title: "three", AllowDuplicate: true}} {
		first := w.create(t, n)
		if again := w.create(t, n); !again.Existing || again.Issue == nil || again.Issue.Number != first.Issue.Number {
			t.Errorf("again: %+v", again)
		}
		other := newWorldOn(t, w) // without the remembered issue
		if again := other.create(t, n); !again.Existing || again.Issue.Number != first.Issue.Number {
			t.Errorf("another plugin: %+v", again)
		}
	}
	if got := w.create(t, plugin.NewIssue{Title: "other words", IdempotencyKey: "call-7 -->"}); !got.Existing || got.Issue.Title != "two" {
		t.Errorf("the same key: %+v", got)
	}
	if n := w.Count("POST", issues); n != 3 {
		t.Errorf("%d were sent", n)
	}
}

// TestCreateIssue_ForeignKeys checks that only a key at the end of an issue counts, and that keys are removed from the caller's
// text.
func TestCreateIssue_ForeignKeys(t *testing.T) {
	w := newWorld(t)
	w.create(t, plugin.NewIssue{Title: "one", IdempotencyKey: "k"})
	key := w.demo.Issues()[0].Body
	w.demo.AddIssue(githubtest.Issue{Title: "quotes it", Body: key + "\nsaid somebody"})
	if got := newWorldOn(t, w).create(t, plugin.NewIssue{Title: "one", IdempotencyKey: "k"}); !got.Existing || got.Issue.Number != 1 {
		t.Errorf("found %+v", got)
	}
	if got := w.create(t, plugin.NewIssue{Title: "two", Body: key, IdempotencyKey: "j"}); got.Existing || strings.Contains(w.demo.Issues()[2].Body, key) {
		t.Errorf("%+v: %s", got, w.demo.Issues()[2].Body)
	}
}

// TestCreateIssue_SameTextLater checks that the same text creates another issue a day later.
func TestCreateIssue_SameTextLater(t *testing.T) {
	w := newWorld(t)
	w.create(t, plugin.NewIssue{Title: "It breaks"})
	old := w.demo.Issues()[0]
	for _, tc := range []struct {
		name, age, key string
		existing       bool
	}{{"an hour", "1h", "", true}, {"two days", "48h", "", false}} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.demo.AddIssue(githubtest.Issue{Title: old.Title, Body: old.Body, State: "closed", Created: old.Created.Add(-duration(t, tc.age))})
			if got := w.create(t, plugin.NewIssue{Title: "It breaks"}); got.Existing != tc.existing || got.Issue == nil {
				t.Errorf("created %+v", got)
			}
		})
	}
}

func TestCreateIssue_Duplicates(t *testing.T) {
	w := newWorld(t)
	w.demo.AddIssue(githubtest.Issue{Title: "Login: fails!"})
	for n := range 40 {
		w.demo.AddIssue(githubtest.Issue{Title: fmt.Sprint("filler ", n)})
	}
	w.demo.AddIssue(githubtest.Issue{Title: "ＬＯＧＩＮ　fails", Unindexed: true})
	w.demo.AddIssue(githubtest.Issue{Title: "login fails", State: "closed"})
	w.demo.AddIssue(githubtest.Issue{Title: "login fails", PullRequest: true})
	w.demo.AddIssue(githubtest.Issue{Title: "login fails sometimes"})
	got := w.create(t, plugin.NewIssue{Title: "Login fails"})
	if got.Issue != nil || !slices.Equal(numbers(got.Duplicates), []int{42, 1}) || w.Count("POST", issues) != 0 {
		t.Errorf("answered %+v", got)
	}
	if got := w.create(t, plugin.NewIssue{Title: "Login fails", AllowDuplicate: true}); got.Issue == nil || got.Existing {
		t.Errorf("answered %+v", got)
	}
	if got := w.create(t, plugin.NewIssue{Title: "OR: (NOT repo:octo/x) " + strings.Repeat("長い", 110)}); got.Issue == nil {
		t.Errorf("answered %+v", got)
	}
	w.demo.IndexIssues()
	if got := w.create(t, plugin.NewIssue{Title: "OR (NOT repo:octo/x) " + strings.Repeat("長い", 110) + "!"}); got.Issue != nil || len(got.Duplicates) != 1 {
		t.Errorf("answered %+v", got)
	}
	for _, r := range w.Requests() {
		if strings.HasPrefix(r.Path, "/search") && (len([]rune(r.Query)) > 200 || strings.Contains(r.Query, " or ") || strings.Contains(r.Query, "repo:octo/x")) {
			t.Errorf("searched for %s", r.Query)
		}
	}
}

// TestCreateIssue_DryRun checks that a dry run looks up names and creates no issue.
func TestCreateIssue_DryRun(t *testing.T) {
	w := newWorld(t)
	w.demo.AddIssue(githubtest.Issue{Title: "same"})
	w.demo.AddMilestone("v1", "closed")
	got := w.create(t, plugin.NewIssue{Title: "Same", Milestone: "v1", DryRun: true})
	if got.Issue != nil || got.Milestone != 1 || !slices.Equal(numbers(got.Duplicates), []int{1}) || w.Count("POST", "/") != 0 {
		t.Errorf("answered %+v", got)
	}
}

func TestCreateIssue_Milestones(t *testing.T) {
	w := newWorld(t)
	for n := range 130 {
		w.demo.AddMilestone(fmt.Sprint("sprint ", n), "open")
	}
	w.demo.AddMilestone("v2", "closed") // 131
	w.demo.AddMilestone("7", "open")    // 132
	for name, want := range map[string]int{"sprint 0": 1, "Sprint  129": 130, "v2": 131, "7": 132, "8": 8, "#9": 9} {
		if got := w.create(t, plugin.NewIssue{Title: "to " + name, Milestone: name}); got.Milestone != want || w.demo.Issues()[len(w.demo.Issues())-1].Milestone != want {
			t.Errorf("%q is %d, want %d", name, got.Milestone, want)
		}
	}
}

func TestCreateIssue_InvalidArguments(t *testing.T) {
	w := newWorld(t)
	w.demo.AddLabels("bug", "enhancement")
	w.demo.AddMilestone("v1.0", "open")
	for _, tc := range []struct {
		name  string
		issue plugin.NewIssue
		code  string
		words []string
	}{
		{"no title", plugin.NewIssue{Title: " \n\x00"}, "INVALID_PARAMS", []string{"no title"}},
		{"a long title", plugin.NewIssue{Title: strings.Repeat("あ", 257)}, "INVALID_PARAMS", []string{"257", "256"}},
		{"a long body", plugin.NewIssue{Title: "x", Body: strings.Repeat("あ", 65_530)}, "INVALID_PARAMS", []string{"65530 characters"}},
		{"no text", plugin.NewIssue{Title: "x", Body: "\xff"}, "INVALID_PARAMS", []string{"UTF-8"}},
		{"an unknown label", plugin.NewIssue{Title: "x", Labels: []string{"bugs"}}, "INVALID_PARAMS", []string{`no label "bugs"`, `"bug"?`}},
		{"another label", plugin.NewIssue{Title: "x", Labels: []string{"mysterious"}}, "INVALID_PARAMS", []string{"bug, enhancement"}},
		{"an unknown user", plugin.NewIssue{Title: "x", Assignees: []string{"nobody"}}, "INVALID_PARAMS", []string{"nobody cannot be assigned"}},
		{"no user", plugin.NewIssue{Title: "x", Assignees: []string{"../x"}}, "INVALID_PARAMS", []string{"../x"}},
		{"many users", plugin.NewIssue{Title: "x", Assignees: strings.Fields("a b c d e f g h i j k")}, "INVALID_PARAMS", []string{"11 assignees"}},
		{"an unknown milestone", plugin.NewIssue{Title: "x", Milestone: "v1.1"}, "INVALID_PARAMS", []string{`no milestone "v1.1"`, `"v1.0"?`}},
		{"no such number", plugin.NewIssue{Title: "x", Milestone: "77"}, "INVALID_PARAMS", []string{`no milestone "77"`}},
		{"a long key", plugin.NewIssue{Title: "x", IdempotencyKey: strings.Repeat("k", 201)}, "INVALID_PARAMS", []string{"key"}},
		{"elsewhere", plugin.NewIssue{Title: "x", Repo: "octo/other"}, "PERMISSION_DENIED", []string{"octo/other"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := w.hub.CreateIssue(t.Context(), tc.issue)
			wantError(t, err, tc.code, tc.words...)
		})
	}
	if n := w.Count("POST", "/"); n != 0 {
		t.Errorf("%d were sent", n)
	}
}
