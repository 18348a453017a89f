// Package issues is an issue tracker whose issues have keys like ABC-12.
//
// The tracker is in memory. Copy it to use a tracker of your own: SearchIssues and CreateIssue then send requests. The test runs
// the conformance kit of trackers, and the example calls the tools of the model.
package issues

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Tracker has the issues of one project. Its methods may be called concurrently.
type Tracker struct {
	project, base string

	mu      sync.Mutex
	closed  bool
	issues  []plugin.Issue
	created map[string]int // index in issues by the key that makes creations idempotent
}

var _ plugin.Issues = (*Tracker)(nil)

// New returns a tracker without issues. project begins the keys ("ABC"), base is the address of the web pages.
func New(project, base string) *Tracker {
	return &Tracker{project: project, base: base, created: make(map[string]int)}
}

// Name implements plugin.Plugin.
func (k *Tracker) Name() string { return "tracker" }

// Health implements plugin.Plugin.
func (k *Tracker) Health(context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.check()
}

// Close implements plugin.Plugin.
func (k *Tracker) Close(context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	return nil
}

// check returns an error after Close. The caller holds mu.
func (k *Tracker) check() error {
	if k.closed {
		return &mcp.ToolError{Code: "ISSUES_UNAVAILABLE", Message: "the issue tracker is closed", Next: "Tell the user."}
	}
	return nil
}

func invalid(message, next string) error {
	return &mcp.ToolError{Code: "INVALID_PARAMS", Message: message, Next: next}
}

// Add adds an issue and returns it with its key. The issue has the given Title, Body, State, Labels and Assignees.
func (k *Tracker) Add(issue plugin.Issue) plugin.Issue {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.add(issue)
}

// add adds an issue. The caller holds mu.
func (k *Tracker) add(issue plugin.Issue) plugin.Issue {
	issue.Key = fmt.Sprintf("%s-%d", k.project, len(k.issues)+1)
	issue.URL, issue.Updated = k.base+issue.Key, time.Now().UTC()
	k.issues = append(k.issues, issue)
	return summary(issue)
}

// maxBody is the maximum length of Issue.Body in results, in characters.
const maxBody = 300

// summary returns an issue with the beginning of its body.
func summary(issue plugin.Issue) plugin.Issue {
	if text := []rune(issue.Body); len(text) > maxBody {
		issue.Body = string(text[:maxBody-1]) + "…"
	}
	return issue
}

// SearchIssues implements plugin.Issues. All words must be in the title or the body; an issue whose key is the text is first.
func (k *Tracker) SearchIssues(ctx context.Context, q plugin.IssueQuery) (plugin.IssueList, error) {
	if err := ctx.Err(); err != nil {
		return plugin.IssueList{}, err
	}
	switch q.State {
	case "":
		q.State = "open"
	case "open", "closed", "all":
	default:
		return plugin.IssueList{}, invalid(fmt.Sprintf("there is no state %q", q.State), "Give open, closed or all.")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.check(); err != nil {
		return plugin.IssueList{}, err
	}
	var list plugin.IssueList
	for _, issue := range slices.Backward(k.issues) { // the newest first
		if !matches(issue, q) {
			continue
		}
		if list.Total++; strings.EqualFold(issue.Key, strings.TrimSpace(q.Text)) {
			list.Issues = slices.Insert(list.Issues, 0, summary(issue))
		} else {
			list.Issues = append(list.Issues, summary(issue))
		}
	}
	list.Issues = list.Issues[:min(len(list.Issues), q.Limit)]
	return list, nil
}

// matches reports whether an issue fulfils all conditions of a query.
func matches(issue plugin.Issue, q plugin.IssueQuery) bool {
	if q.State != "all" && issue.State != q.State || q.Assignee != "" && !slices.Contains(issue.Assignees, q.Assignee) {
		return false
	}
	for _, label := range q.Labels {
		if !slices.Contains(issue.Labels, label) {
			return false
		}
	}
	text := strings.ToLower(issue.Key + " " + issue.Title + " " + issue.Body)
	for _, word := range strings.Fields(strings.ToLower(q.Text)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// CreateIssue implements plugin.Issues.
func (k *Tracker) CreateIssue(ctx context.Context, n plugin.NewIssue) (plugin.Created, error) {
	if err := ctx.Err(); err != nil {
		return plugin.Created{}, err
	}
	title := strings.Join(strings.Fields(n.Title), " ")
	if title == "" || !utf8.ValidString(n.Title+n.Body) {
		return plugin.Created{}, invalid("the issue has no title, or invalid UTF-8", "Give a short title.")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.check(); err != nil {
		return plugin.Created{}, err
	}
	key := "key " + n.IdempotencyKey
	if n.IdempotencyKey == "" { // the same content is the same request
		key = fmt.Sprintf("content %q %q %q %q %v", title, n.Body, n.Labels, n.Assignees, n.AllowDuplicate)
	}
	if at, ok := k.created[key]; ok {
		issue := summary(k.issues[at])
		return plugin.Created{Issue: &issue, Existing: true}, nil
	}
	var result plugin.Created
	for _, issue := range k.issues {
		if !n.AllowDuplicate && issue.State == "open" && letters(issue.Title) == letters(title) {
			result.Duplicates = append(result.Duplicates, summary(issue))
		}
	}
	if n.DryRun || len(result.Duplicates) > 0 {
		return result, nil
	}
	issue := k.add(plugin.Issue{Title: title, Body: n.Body, State: "open", Labels: slices.Clone(n.Labels), Assignees: slices.Clone(n.Assignees)})
	k.created[key] = len(k.issues) - 1
	result.Issue = &issue
	return result, nil
}

// letters returns the letters and digits of a title, so that case and punctuation make no difference.
func letters(title string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, title)
}
