package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// tracker is an issue plugin in memory.
type tracker struct {
	mu       sync.Mutex
	issues   []plugin.Issue
	asked    []plugin.IssueQuery
	ordered  []plugin.NewIssue
	failing  error
	stuck    bool // until its context ends
	existing bool
}

func (k *tracker) Name() string                 { return "tracker" }
func (k *tracker) Health(context.Context) error { return nil }
func (k *tracker) Close(context.Context) error  { return nil }

// fail makes the following calls return err; nil ends that.
func (k *tracker) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failing = err
}

func (k *tracker) calls() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.asked)
}

func (k *tracker) SearchIssues(ctx context.Context, q plugin.IssueQuery) (plugin.IssueList, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, q)
	if k.stuck {
		<-ctx.Done()
		return plugin.IssueList{}, ctx.Err()
	}
	if k.failing != nil {
		return plugin.IssueList{}, k.failing
	}
	var list plugin.IssueList
	for _, i := range k.issues {
		if strings.Contains(i.Title, q.Text) && (q.State == "all" || q.State == i.State) {
			list.Issues = append(list.Issues, i)
		}
	}
	list.Total = len(list.Issues)
	return list, nil
}

func (k *tracker) CreateIssue(ctx context.Context, n plugin.NewIssue) (plugin.Created, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ordered = append(k.ordered, n)
	if k.stuck {
		<-ctx.Done()
		return plugin.Created{}, ctx.Err()
	}
	if k.failing != nil {
		return plugin.Created{}, k.failing
	}
	if n.Title == "twice" && !n.AllowDuplicate {
		return plugin.Created{Duplicates: []plugin.Issue{{Number: 3, Title: "twice", URL: "https://example.com/3"}}}, nil
	}
	if n.DryRun {
		return plugin.Created{Milestone: 7}, nil
	}
	issue := plugin.Issue{Repo: "o/r", Number: len(k.issues) + 1, Title: n.Title, State: "open", URL: fmt.Sprintf("https://example.com/%d", len(k.issues)+1)}
	k.issues = append(k.issues, issue)
	return plugin.Created{Issue: &issue, Existing: k.existing}, nil
}

func newTracker() *tracker {
	k := &tracker{}
	for i, title := range []string{"crash on start", "crash on exit", "slow start"} {
		k.issues = append(k.issues, plugin.Issue{Repo: "o/r", Number: i + 1, Title: title, State: []string{"open", "closed", "open"}[i], URL: fmt.Sprintf("https://example.com/%d", i+1)})
	}
	return k
}

func TestSearchIssues(t *testing.T) {
	k := newTracker()
	p := newProject(t, nil, search.Options{}, k)
	r, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: "crash", Labels: []string{"bug"}, Assignee: "ann", Repo: "a/b"})
	if err != nil || len(r.Issues) != 1 || r.Issues[0].Number != 1 || r.Metadata.TotalResults != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if q := k.asked[0]; q.State != "open" || q.Limit != 10 || q.Labels[0] != "bug" || q.Assignee != "ann" || q.Repo != "a/b" || q.Text != "crash" {
		t.Errorf("asked %+v", q)
	}
	if r, err = p.SearchIssues(t.Context(), search.IssuesArgs{Query: "crash", State: "all"}); err != nil || len(r.Issues) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, args := range []search.IssuesArgs{{Query: " "}, {Query: "x", Limit: 51}, {Query: "x", Limit: -1}, {Query: "x", State: "odd"}} {
		_, err := p.SearchIssues(t.Context(), args)
		toolsettest.WantError(t, err, "INVALID_PARAMS")
	}
	_, err = newProject(t, nil, search.Options{}).SearchIssues(t.Context(), search.IssuesArgs{Query: "x"})
	toolsettest.WantError(t, err, "ISSUES_UNAVAILABLE", "github")
}

// TestSearchIssues_Cache checks that results are cached for each principal until an issue is created, and errors are not.
func TestSearchIssues_Cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker()
		p := newProject(t, nil, search.Options{Cache: search.CacheOptions{MaxEntries: 2}}, k)
		ask := func(ctx context.Context, query string) search.IssuesResult {
			t.Helper()
			r, err := p.SearchIssues(ctx, search.IssuesArgs{Query: query})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		wantCalls := func(n int, when string) {
			t.Helper()
			if k.calls() != n {
				t.Errorf("%s: %d calls, want %d", when, k.calls(), n)
			}
		}
		ctx := t.Context()
		ask(ctx, "crash")
		time.Sleep(time.Minute)
		if r := ask(ctx, "crash"); r.Metadata.Age != 60 {
			t.Errorf("the age is %v", r.Metadata.Age)
		}
		wantCalls(1, "the same question")
		ask(protocol.WithPrincipal(ctx, "ann"), "crash")
		wantCalls(2, "another principal")
		time.Sleep(4 * time.Minute)
		ask(ctx, "crash")
		wantCalls(3, "after five minutes")
		ask(ctx, "slow")
		ask(ctx, "start")
		ask(ctx, "crash")
		wantCalls(6, "when there was no room")
		if _, err := p.CreateIssue(ctx, search.CreateArgs{Title: "crash again"}); err != nil {
			t.Fatal(err)
		}
		if r := ask(ctx, "crash"); len(r.Issues) != 2 {
			t.Errorf("after one was made: %+v", r)
		}
		k.fail(errors.New("broken"))
		if _, err := p.SearchIssues(ctx, search.IssuesArgs{Query: "new"}); err == nil {
			t.Error("no error")
		}
		k.fail(nil)
		ask(ctx, "new")
		wantCalls(9, "after a failure")
	})
}

// TestGuard_Breaker checks that five failures stop calls for a minute, and that one test call follows.
func TestGuard_Breaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker()
		p := newProject(t, nil, search.Options{}, k)
		ask := func() error {
			_, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: fmt.Sprint("q", k.calls())})
			return err
		}
		k.fail(errors.New("connection refused"))
		for range 5 {
			toolsettest.WantError(t, ask(), "ISSUES_UNAVAILABLE", "tracker", "connection refused")
		}
		time.Sleep(20 * time.Second)
		toolsettest.WantError(t, ask(), "CIRCUIT_OPEN", "40s")
		if k.calls() != 5 {
			t.Errorf("%d calls reached the plugin", k.calls())
		}
		status := p.Plugins(t.Context())[0]
		if status.Circuit != "open" || status.Healthy || time.Until(status.RetryAt) != 40*time.Second {
			t.Errorf("%+v", status)
		}
		time.Sleep(41 * time.Second)
		toolsettest.WantError(t, ask(), "ISSUES_UNAVAILABLE")
		toolsettest.WantError(t, ask(), "CIRCUIT_OPEN")
		time.Sleep(61 * time.Second)
		k.fail(nil)
		for range 3 {
			if err := ask(); err != nil {
				t.Error(err)
			}
		}
		if status := p.Plugins(t.Context())[0]; status.Circuit != "closed" || !status.Healthy {
			t.Errorf("%+v", status)
		}
	})
}

// TestGuard_Window checks that failures are forgotten after five minutes.
func TestGuard_Window(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker()
		p := newProject(t, nil, search.Options{}, k)
		k.fail(errors.New("connection refused"))
		for _, pause := range []time.Duration{6 * time.Minute, 0} {
			for n := range 4 {
				_, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: fmt.Sprint("q", n)})
				toolsettest.WantError(t, err, "ISSUES_UNAVAILABLE")
			}
			time.Sleep(pause)
		}
		if status := p.Plugins(t.Context())[0]; status.Circuit != "closed" {
			t.Errorf("%+v", status)
		}
	})
}

// TestSearchIssues_CacheSize checks that 1,000 results are cached.
func TestSearchIssues_CacheSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker()
		p := newProject(t, nil, search.Options{}, k)
		ask := func(n int) {
			t.Helper()
			if _, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: fmt.Sprint("q", n)}); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 1000 {
			ask(n)
		}
		for n := range 1000 {
			ask(n)
		}
		if k.calls() != 1000 {
			t.Errorf("%d calls reached the plugin", k.calls())
		}
		ask(1000)
		ask(0) // has made room
		if k.calls() != 1002 {
			t.Errorf("%d calls reached the plugin", k.calls())
		}
	})
}

// TestGuard_CallerErrors checks that errors caused by the caller do not open the breaker.
func TestGuard_CallerErrors(t *testing.T) {
	k := newTracker()
	p := newProject(t, nil, search.Options{}, k)
	for _, code := range []string{"INVALID_PARAMS", "NOT_FOUND", "RATE_LIMITED", "NOT_AUTHORIZED"} {
		k.fail(&mcp.ToolError{Code: code, Message: "no", Next: "do"})
		for i := range 6 {
			_, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: fmt.Sprint(code, i)})
			toolsettest.WantError(t, err, code)
		}
	}
	k.fail(errors.New("late"))
	for i := range 6 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.SearchIssues(ctx, search.IssuesArgs{Query: fmt.Sprint("gone", i)}); err == nil {
			t.Error("no error")
		}
	}
	if status := p.Plugins(t.Context())[0]; status.Circuit != "closed" {
		t.Errorf("%+v", status)
	}
}

func TestGuard_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker()
		k.stuck = true
		p := newProject(t, nil, search.Options{}, k)
		began := time.Now()
		_, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: "x"})
		toolsettest.WantError(t, err, "TIMEOUT", "tracker", "30s")
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("it took %v", took)
		}
		_, err = p.CreateIssue(t.Context(), search.CreateArgs{Title: "x"})
		toolsettest.WantError(t, err, "UNKNOWN_OUTCOME", "searchIssues")
	})
}

func TestCreateIssue(t *testing.T) {
	k := newTracker()
	p := newProject(t, nil, search.Options{}, k)
	r, err := p.CreateIssue(t.Context(), search.CreateArgs{Title: "New", Body: "text", Labels: []string{"bug"}, Assignees: []string{"ann"}, Milestone: "v1"})
	if err != nil || !r.Created || r.Issue.URL != "https://example.com/4" {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := k.ordered[0]; n.Title != "New" || n.Body != "text" || n.Labels[0] != "bug" || n.Assignees[0] != "ann" || n.Milestone != "v1" {
		t.Errorf("ordered %+v", n)
	}
	r, err = p.CreateIssue(t.Context(), search.CreateArgs{Title: "twice"})
	if err != nil || r.Created || r.Issue != nil || len(r.PossibleDuplicates) != 1 {
		t.Errorf("a duplicate: %+v, %v", r, err)
	}
	r, err = p.CreateIssue(t.Context(), search.CreateArgs{Title: "twice", AllowDuplicate: true})
	if err != nil || !r.Created {
		t.Errorf("an allowed duplicate: %+v, %v", r, err)
	}
	r, err = p.CreateIssue(t.Context(), search.CreateArgs{Title: "dry", DryRun: true})
	if err != nil || r.Created || !r.DryRun || r.MilestoneNumber != 7 {
		t.Errorf("a dry run: %+v, %v", r, err)
	}
	for _, args := range []search.CreateArgs{{Title: ""}, {Title: " "}, {Title: strings.Repeat("題", 257)}, {Title: "x", Body: strings.Repeat("x", 60001)}} {
		_, err := p.CreateIssue(t.Context(), args)
		toolsettest.WantError(t, err, "INVALID_PARAMS")
	}
	_, err = newProject(t, nil, search.Options{}).CreateIssue(t.Context(), search.CreateArgs{Title: "x"})
	toolsettest.WantError(t, err, "ISSUES_UNAVAILABLE")
}

func TestCreateIssue_RateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker()
		p := newProject(t, nil, search.Options{}, k)
		create := func() error {
			_, err := p.CreateIssue(t.Context(), search.CreateArgs{Title: "x"})
			return err
		}
		for range 5 {
			if err := create(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		toolsettest.WantError(t, create(), "RATE_LIMITED", "5 issues per minute", "10s")
		if _, err := p.CreateIssue(t.Context(), search.CreateArgs{Title: "x", DryRun: true}); err != nil {
			t.Errorf("a dry run: %v", err)
		}
		time.Sleep(10 * time.Second)
		if err := create(); err != nil {
			t.Error(err)
		}
		toolsettest.WantError(t, create(), "RATE_LIMITED")
	})
}

// TestIssues_Keys checks the texts for a tracker whose issues have keys instead of numbers.
func TestIssues_Keys(t *testing.T) {
	k := newTracker()
	k.issues = []plugin.Issue{
		{Key: "ABC-1", Title: "crash on start", State: "open", URL: "https://example.com/ABC-1"},
		{Key: "ABC-2", Title: "crash on exit", State: "open"},
		{Key: "ABC-1", Title: "crash again", State: "open"},
	}
	p := newProject(t, nil, search.Options{}, k)
	r, err := p.SearchIssues(t.Context(), search.IssuesArgs{Query: "crash"})
	if err != nil || len(r.Issues) != 2 || r.Issues[0].Key != "ABC-1" || r.Issues[1].Key != "ABC-2" {
		t.Errorf("%+v, %v", r, err)
	}
	got := toolsettest.Call(t, p, "searchIssues", `{"query":"exit"}`)
	if text := texts(got)[0]; !strings.Contains(text, `"key": "ABC-2"`) || strings.Contains(text, `"number"`) || strings.Contains(text, `"repo"`) {
		t.Errorf("%s", text)
	}
	c, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeGitStatus: new(false)})
	if text := c.TextContent(); err != nil || !strings.Contains(text, "\n  ABC-1 crash on start") {
		t.Errorf("%s, %v", text, err)
	}
	description := func(p *project) string { return toolsettest.Tool(t, p, "searchIssues").Tool().Description }
	if got, none := description(p), description(newProject(t, nil, search.Options{})); got != "Searches issues." || none != "Searches GitHub issues." {
		t.Errorf("descriptions %q, %q", got, none)
	}
}
