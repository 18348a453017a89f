package plugintest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// RunIssues tests an implementation of plugin.Issues. open returns a plugin for a tracker that contains exactly the given
// issues, in the order of their creation. Only Title, Body, State ("open" or "closed"), Labels and Assignees are set; the
// labels "bug" and "ui" and the user "ann" occur. Each test closes the plugin at its end, possibly a second time.
//
// The tests create issues with titles and bodies alone. An issue counts as created as soon as a search without words returns it.
func RunIssues(t *testing.T, open func(t *testing.T, issues []plugin.Issue) plugin.Issues) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *tracker)
	}{
		{"Name", issuesName}, {"Words", issuesWords}, {"Newest", issuesNewest}, {"Keys", issuesKeys}, {"State", issuesState},
		{"Filters", issuesFilters}, {"Limit", issuesLimit},
		{"Create", createIssue}, {"CreateInvalid", createInvalid}, {"IdempotencyKey", createIdempotent}, {"SameContent", createSameContent},
		{"ConcurrentCreate", createConcurrent}, {"Duplicate", createDuplicate}, {"DryRun", createDryRun},
		{"Concurrent", issuesConcurrent}, {"Canceled", issuesCanceled}, {"Closed", issuesClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := &tracker{t: t, Issues: open(t, sampleIssues())}
			t.Cleanup(func() { closePlugin(t, k) })
			test.run(t, k)
		})
	}
}

// tracker is an opened plugin with the test that uses it.
type tracker struct {
	plugin.Issues
	t *testing.T
}

// sampleIssues returns the issues that every test begins with.
func sampleIssues() []plugin.Issue {
	return []plugin.Issue{
		{Title: "Kettle leaks on start", Body: "Water on the table.\n\n" + strings.Repeat("The text is long. ", 60), State: "open", Labels: []string{"bug"}},
		{Title: "Kettle whistles", Body: "Too loud.", State: "closed", Labels: []string{"bug", "ui"}},
		{Title: "Toaster burns the bread", Body: "Each morning.", State: "open", Labels: []string{"bug", "ui"}, Assignees: []string{"ann"}},
		{Title: "Lamp flickers", Body: "In the evening.", State: "open"},
	}
}

// search returns the issues that match q, after checks that hold for every list.
func (k *tracker) search(q plugin.IssueQuery) plugin.IssueList {
	k.t.Helper()
	if q.Limit == 0 {
		q.Limit = 50
	}
	list, err := k.SearchIssues(k.t.Context(), q)
	if err != nil {
		k.t.Fatalf("SearchIssues(%+v): %v", q, err)
	}
	if len(list.Issues) > q.Limit {
		k.t.Errorf("SearchIssues(%+v) returns %d issues, more than Limit", q, len(list.Issues))
	}
	if list.Total < len(list.Issues) {
		k.t.Errorf("SearchIssues(%+v): Total is %d, and %d issues are returned", q, list.Total, len(list.Issues))
	}
	seen := make(map[string]bool)
	for _, i := range list.Issues {
		k.checkIssue(i)
		if label := i.Label(); seen[label] {
			k.t.Errorf("SearchIssues(%+v) returns %s twice", q, label)
		} else {
			seen[label] = true
		}
	}
	return list
}

// checkIssue checks the fields of an issue.
func (k *tracker) checkIssue(i plugin.Issue) {
	k.t.Helper()
	switch {
	case i.Key == "" && i.Number <= 0:
		k.t.Errorf("the issue %q has neither a Key nor a Number", i.Title)
	case len(i.Key) > 100 || len(strings.Fields(i.Key)) > 1 || !utf8.ValidString(i.Key):
		k.t.Errorf("the Key %q of the issue %q is not one word of at most 100 bytes", i.Key, i.Title)
	}
	if i.Title == "" || strings.ContainsAny(i.Title, "\r\n") {
		k.t.Errorf("the Title %q of %s is not one line", i.Title, i.Label())
	}
	if i.State != "open" && i.State != "closed" {
		k.t.Errorf("the State of %s is %q, not open or closed", i.Label(), i.State)
	}
	if n := utf8.RuneCountInString(i.Body); n > 300 {
		k.t.Errorf("the Body of %s has %d characters, more than 300", i.Label(), n)
	}
	if u, err := url.Parse(i.URL); i.URL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		k.t.Errorf("the URL %q of %s is not that of a web page", i.URL, i.Label())
	}
}

// wantTitles checks the titles of issues, in any order.
func (k *tracker) wantTitles(what string, issues []plugin.Issue, want ...string) {
	k.t.Helper()
	got := titles(issues)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		k.t.Errorf("%s: the issues are %q, want %q", what, got, want)
	}
}

func titles(issues []plugin.Issue) []string {
	all := []string{}
	for _, i := range issues {
		all = append(all, i.Title)
	}
	return all
}

// count returns the number of all issues.
func (k *tracker) count() int {
	k.t.Helper()
	return len(k.search(plugin.IssueQuery{State: "all"}).Issues)
}

// create creates an issue.
func (k *tracker) create(n plugin.NewIssue) plugin.Created {
	k.t.Helper()
	created, err := k.CreateIssue(k.t.Context(), n)
	if err != nil {
		k.t.Fatalf("CreateIssue(%+v): %v", n, err)
	}
	if created.Issue != nil {
		k.checkIssue(*created.Issue)
	}
	return created
}

func issuesName(t *testing.T, k *tracker) { checkName(t, k) }

func issuesWords(t *testing.T, k *tracker) {
	k.wantTitles("the word kettle", k.search(plugin.IssueQuery{Text: "kettle"}).Issues, "Kettle leaks on start")
	k.wantTitles("the words toaster bread", k.search(plugin.IssueQuery{Text: "toaster bread"}).Issues, "Toaster burns the bread")
	k.wantTitles("a word in no issue", k.search(plugin.IssueQuery{Text: "xylophone", State: "all"}).Issues)
}

func issuesNewest(t *testing.T, k *tracker) {
	first := k.search(plugin.IssueQuery{}).Issues
	if got := titles(first); len(got) != 3 || got[0] != "Lamp flickers" {
		t.Errorf("without words the open issues are %q, want the newest first", got)
	}
	k.create(plugin.NewIssue{Title: "Fan rattles"})
	if got := titles(k.search(plugin.IssueQuery{}).Issues); len(got) != 4 || got[0] != "Fan rattles" {
		t.Errorf("without words the open issues are %q, want the created one first", got)
	}
}

// issuesKeys checks that a key belongs to one issue, whatever the query.
func issuesKeys(t *testing.T, k *tracker) {
	byKey := make(map[string]string)
	for _, q := range []plugin.IssueQuery{{State: "all"}, {Text: "kettle", State: "all"}, {Labels: []string{"ui"}, State: "all"}, {Limit: 1}} {
		for _, i := range k.search(q).Issues {
			if title, ok := byKey[i.Label()]; ok && title != i.Title {
				t.Errorf("%s is the key of %q and of %q", i.Label(), title, i.Title)
			}
			byKey[i.Label()] = i.Title
		}
	}
	if len(byKey) != len(sampleIssues()) {
		t.Errorf("the issues have the keys %v", byKey)
	}
}

func issuesState(t *testing.T, k *tracker) {
	for state, want := range map[string][]string{"": {"Kettle leaks on start"}, "open": {"Kettle leaks on start"}, "closed": {"Kettle whistles"}, "all": {"Kettle leaks on start", "Kettle whistles"}} {
		found := k.search(plugin.IssueQuery{Text: "kettle", State: state}).Issues
		k.wantTitles(fmt.Sprintf("the state %q", state), found, want...)
		for _, i := range found {
			if closed := i.Title == "Kettle whistles"; closed != (i.State == "closed") {
				t.Errorf("the State of %q is %q", i.Title, i.State)
			}
		}
	}
	_, err := k.SearchIssues(t.Context(), plugin.IssueQuery{State: "odd", Limit: 10})
	wantCode(t, "SearchIssues with an unknown state", err, "INVALID_PARAMS")
}

func issuesFilters(t *testing.T, k *tracker) {
	k.wantTitles("the label ui", k.search(plugin.IssueQuery{Labels: []string{"ui"}}).Issues, "Toaster burns the bread")
	k.wantTitles("the labels bug and ui, any state", k.search(plugin.IssueQuery{Labels: []string{"bug", "ui"}, State: "all"}).Issues, "Toaster burns the bread", "Kettle whistles")
	k.wantTitles("a word and a label that no issue has both", k.search(plugin.IssueQuery{Text: "lamp", Labels: []string{"bug"}}).Issues)
	k.wantTitles("the assignee ann", k.search(plugin.IssueQuery{Assignee: "ann"}).Issues, "Toaster burns the bread")
}

func issuesLimit(t *testing.T, k *tracker) {
	for limit := 1; limit <= 3; limit++ {
		list := k.search(plugin.IssueQuery{State: "all", Limit: limit})
		if len(list.Issues) != limit {
			t.Errorf("Limit %d: %d issues", limit, len(list.Issues))
		}
	}
}

func createIssue(t *testing.T, k *tracker) {
	created := k.create(plugin.NewIssue{Title: "Fan rattles", Body: "At night."})
	if created.Issue == nil || created.Existing || created.Issue.Title != "Fan rattles" || created.Issue.State != "open" {
		t.Fatalf("CreateIssue returns %+v", created)
	}
	found := k.search(plugin.IssueQuery{State: "all"}).Issues
	at := slices.IndexFunc(found, func(i plugin.Issue) bool { return i.Label() == created.Issue.Label() })
	if len(found) != len(sampleIssues())+1 || at < 0 || found[at].Title != "Fan rattles" || !strings.HasPrefix(found[at].Body, "At night.") {
		t.Errorf("after the creation of %s the issues are %+v", created.Issue.Label(), found)
	}
}

func createInvalid(t *testing.T, k *tracker) {
	for name, n := range map[string]plugin.NewIssue{"no title": {Body: "text"}, "a title of spaces": {Title: " \n"}, "invalid UTF-8": {Title: "a\xff"}} {
		_, err := k.CreateIssue(t.Context(), n)
		wantCode(t, "CreateIssue with "+name, err, "INVALID_PARAMS")
	}
	if n := k.count(); n != len(sampleIssues()) {
		t.Errorf("invalid calls have created issues: %d exist", n)
	}
}

func createIdempotent(t *testing.T, k *tracker) {
	first := k.create(plugin.NewIssue{Title: "Fan rattles", IdempotencyKey: "call-1"})
	again := k.create(plugin.NewIssue{Title: "Fan rattles a lot", IdempotencyKey: "call-1"})
	other := k.create(plugin.NewIssue{Title: "Fan rattles again", IdempotencyKey: "call-2"})
	if first.Issue == nil || again.Issue == nil || other.Issue == nil {
		t.Fatalf("CreateIssue returns %+v, %+v and %+v", first, again, other)
	}
	if !again.Existing || again.Issue.Label() != first.Issue.Label() || again.Issue.Title != "Fan rattles" {
		t.Errorf("the same IdempotencyKey returns %+v, and first returned %+v", again.Issue, first.Issue)
	}
	if other.Existing || other.Issue.Label() == first.Issue.Label() {
		t.Errorf("another IdempotencyKey returns %+v", other.Issue)
	}
	if n := k.count(); n != len(sampleIssues())+2 {
		t.Errorf("%d issues exist", n)
	}
}

// createSameContent checks that a repeated call without a key returns the first issue, not a report of a duplicate.
func createSameContent(t *testing.T, k *tracker) {
	n := plugin.NewIssue{Title: "Fan rattles", Body: "At night."}
	first, again := k.create(n), k.create(n)
	if first.Issue == nil || again.Issue == nil || !again.Existing || again.Issue.Label() != first.Issue.Label() {
		t.Errorf("the same content returns %+v after %+v", again, first)
	}
	if got := k.count(); got != len(sampleIssues())+1 {
		t.Errorf("%d issues exist", got)
	}
}

func createConcurrent(t *testing.T, k *tracker) {
	const calls = 8
	var mu sync.Mutex
	labels := make(map[string]int)
	fresh := 0
	concurrently(calls, func(int) {
		created, err := k.CreateIssue(t.Context(), plugin.NewIssue{Title: "Fan rattles", IdempotencyKey: "one"})
		if err != nil || created.Issue == nil {
			t.Errorf("a concurrent call returns %+v, %v", created, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		labels[created.Issue.Label()]++
		if !created.Existing {
			fresh++
		}
	})
	if n := k.count(); n != len(sampleIssues())+1 || len(labels) != 1 || fresh != 1 {
		t.Errorf("%d calls with one key: %d issues exist, the results are %v, and %d of them are not Existing", calls, n, labels, fresh)
	}
}

func createDuplicate(t *testing.T, k *tracker) {
	lamp := k.search(plugin.IssueQuery{Text: "lamp"}).Issues[0]
	created := k.create(plugin.NewIssue{Title: "lamp flickers!", Body: "Again."})
	if created.Issue != nil || len(created.Duplicates) != 1 || created.Duplicates[0].Label() != lamp.Label() {
		t.Errorf("an issue with the title of %s: %+v", lamp.Label(), created)
	}
	if n := k.count(); n != len(sampleIssues()) {
		t.Errorf("a duplicate was created: %d issues exist", n)
	}
	if allowed := k.create(plugin.NewIssue{Title: "Lamp flickers", Body: "Again.", AllowDuplicate: true}); allowed.Issue == nil || allowed.Issue.Label() == lamp.Label() {
		t.Errorf("an allowed duplicate: %+v", allowed)
	}
	if closed := k.create(plugin.NewIssue{Title: "Kettle whistles"}); closed.Issue == nil || len(closed.Duplicates) != 0 {
		t.Errorf("an issue with the title of a closed one: %+v", closed)
	}
}

func createDryRun(t *testing.T, k *tracker) {
	if r := k.create(plugin.NewIssue{Title: "Fan rattles", DryRun: true}); r.Issue != nil || len(r.Duplicates) != 0 {
		t.Errorf("a dry run: %+v", r)
	}
	if r := k.create(plugin.NewIssue{Title: "Lamp flickers", DryRun: true}); r.Issue != nil || len(r.Duplicates) != 1 {
		t.Errorf("a dry run of a duplicate: %+v", r)
	}
	if n := k.count(); n != len(sampleIssues()) {
		t.Errorf("a dry run has created an issue: %d exist", n)
	}
	if r := k.create(plugin.NewIssue{Title: "Fan rattles"}); r.Issue == nil || r.Existing {
		t.Errorf("the creation after a dry run: %+v", r)
	}
}

// issuesConcurrent searches and creates at the same time.
func issuesConcurrent(t *testing.T, k *tracker) {
	const calls = 8
	concurrently(2*calls, func(n int) {
		var err error
		if n%2 == 0 {
			_, err = k.SearchIssues(t.Context(), plugin.IssueQuery{State: "all", Limit: 50})
		} else {
			_, err = k.CreateIssue(t.Context(), plugin.NewIssue{Title: fmt.Sprint("Door ", n)})
		}
		if err != nil {
			t.Error(err)
		}
	})
	if n := k.count(); n != len(sampleIssues())+calls {
		t.Errorf("%d issues exist, want %d", n, len(sampleIssues())+calls)
	}
}

func issuesCanceled(t *testing.T, k *tracker) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.SearchIssues(ctx, plugin.IssueQuery{Limit: 10}); err == nil {
		t.Error("SearchIssues with a context that has ended returns no error")
	}
	if _, err := k.CreateIssue(ctx, plugin.NewIssue{Title: "Fan rattles"}); err == nil {
		t.Error("CreateIssue with a context that has ended returns no error")
	}
	if n := k.count(); n != len(sampleIssues()) {
		t.Errorf("a cancelled call has created an issue: %d exist", n)
	}
}

// issueCodes are the codes that errors of plugin.Issues can have.
var issueCodes = []string{"ISSUES_UNAVAILABLE", "RATE_LIMITED", "NOT_AUTHORIZED", "NO_TOKEN", "NOT_FOUND", "INVALID_PARAMS", "UNKNOWN_OUTCOME"}

func issuesClosed(t *testing.T, k *tracker) {
	closePlugin(t, k)
	if k.Health(t.Context()) == nil {
		t.Error("Health after Close returns nil")
	}
	_, err := k.SearchIssues(t.Context(), plugin.IssueQuery{Limit: 10})
	wantCode(t, "SearchIssues after Close", err, issueCodes...)
	_, err = k.CreateIssue(t.Context(), plugin.NewIssue{Title: "Fan rattles"})
	wantCode(t, "CreateIssue after Close", err, issueCodes...)
}

// checkName checks the name and the health of an opened plugin.
func checkName(t *testing.T, p plugin.Plugin) {
	t.Helper()
	if name := p.Name(); name == "" || name != p.Name() || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		t.Errorf("Name returns %q, want a constant word in ASCII", name)
	}
	if err := p.Health(t.Context()); err != nil {
		t.Errorf("Health: %v", err)
	}
}

func closePlugin(t *testing.T, p plugin.Plugin) {
	t.Helper()
	if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// errorCode returns the code of an error, "" without one.
func errorCode(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok {
		return coded.ErrorCode()
	}
	return ""
}

// wantCode checks that err has one of the codes, and a text.
func wantCode(t *testing.T, what string, err error, codes ...string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s returns no error", what)
	case !slices.Contains(codes, errorCode(err)):
		t.Errorf("%s returns an error with the code %q, want %s: %v", what, errorCode(err), strings.Join(codes, " or "), err)
	case err.Error() == "":
		t.Errorf("%s returns an error without a text", what)
	}
}

// concurrently runs n calls of f at the same time and waits for them.
func concurrently(n int, f func(n int)) {
	var calls group.Group
	for i := range n {
		calls.Go(func() { f(i) })
	}
	calls.Wait()
}
