package search

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	defaultIssues = 10
	maxIssues     = 50
)

// IssuesArgs are the arguments of searchIssues.
type IssuesArgs struct {
	// Query is words in the title or text of an issue.
	Query string `json:"query" jsonschema:"minLength=1,description=Search query"`
	// State is open (default), closed or all.
	State string `json:"state,omitempty" jsonschema:"enum=open,enum=closed,enum=all,default=open,description=Issue state"`
	// Labels restrict the search to issues with all of these labels.
	Labels []string `json:"labels,omitempty"`
	// Assignee is a user to whom the issues are assigned; empty for any.
	Assignee string `json:"assignee,omitempty" jsonschema:"description=Assigned user"`
	// Limit is the maximum number of issues, from 1 to 50. 0 means 10.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,default=10,description=Maximum results"`
	// Repo is the owner/name of another repository than the configured one.
	Repo string `json:"repo,omitempty" jsonschema:"description=owner/name of another repository"`
}

// IssuesResult is the result of searchIssues.
type IssuesResult struct {
	// Issues are ordered by relevance, best first.
	Issues   []plugin.Issue `json:"issues"`
	Metadata IssuesMetadata `json:"metadata"`
}

// IssuesMetadata describes the search.
type IssuesMetadata struct {
	// TotalResults is the number of matching issues as reported by the source, at least len(Issues).
	TotalResults int `json:"totalResults"`
	// SearchTime is the duration of the search in milliseconds.
	SearchTime float64 `json:"searchTime"`
	// Incomplete is true if the source did not search all issues.
	Incomplete bool `json:"incomplete,omitempty"`
	// Age is the age of a cached result, in seconds.
	Age float64 `json:"age,omitempty"`
}

// SearchIssues implements searchIssues. Errors: INVALID_PARAMS, ISSUES_UNAVAILABLE, CIRCUIT_OPEN, and errors of the plugin.
func (s *Search) SearchIssues(ctx context.Context, args IssuesArgs) (IssuesResult, error) {
	began := time.Now()
	if strings.TrimSpace(args.Query) == "" {
		return IssuesResult{}, invalid("Give words that the issue has in its title or text.", "the query is empty")
	}
	if args.Limit == 0 {
		args.Limit = defaultIssues
	}
	if args.Limit < 0 || args.Limit > maxIssues {
		return IssuesResult{}, invalid("Give 1 to 50.", "the limit %d is out of range", args.Limit)
	}
	list, err := s.findIssues(ctx, plugin.IssueQuery{
		Text: args.Query, State: args.State, Labels: args.Labels, Assignee: args.Assignee, Repo: args.Repo, Limit: args.Limit,
	})
	if err != nil {
		return IssuesResult{}, err
	}
	r := IssuesResult{Issues: slices.Clone(list.Issues), Metadata: IssuesMetadata{
		TotalResults: max(list.Total, len(list.Issues)), Incomplete: list.Incomplete, Age: list.Age.Seconds(), SearchTime: milliseconds(time.Since(began)),
	}}
	r.Issues = truncateJSON(r.Issues, s.limits.Answer)
	return r, nil
}

// findIssues returns the issues that match q, from the cache or from the plugin.
func (s *Search) findIssues(ctx context.Context, q plugin.IssueQuery) (plugin.IssueList, error) {
	if s.issues == nil {
		return plugin.IssueList{}, s.noIssuesError()
	}
	switch q.State {
	case "":
		q.State = "open"
	case "open", "closed", "all":
	default:
		return plugin.IssueList{}, invalid("Give open, closed or all.", "there is no state %s", quote(q.State))
	}
	asked, err := json.Marshal(q)
	if err != nil {
		return plugin.IssueList{}, fmt.Errorf("searching issues: %w", err)
	}
	// The key contains the number of creations: lists from before or during a creation are outdated. It contains the principal,
	// because users may see different issues.
	list, slot, ok := lookup[plugin.IssueList](s.cache, "issues", strconv.FormatUint(s.creationAttempts.Load(), 10), protocol.PrincipalFrom(ctx), string(asked))
	if ok {
		list.Age += slot.age
		return list, nil
	}
	list, err = guarded(ctx, s.issues.guard, func(ctx context.Context) (plugin.IssueList, error) { return s.issues.SearchIssues(ctx, q) })
	if err == nil {
		list.Issues = distinctIssues(list.Issues)
		list.Issues = list.Issues[:min(len(list.Issues), q.Limit)]
		slot.store(list, sizeOfIssues(list.Issues))
	}
	return list, err
}

// distinctIssues returns the issues with their keys, each once.
func distinctIssues(all []plugin.Issue) []plugin.Issue {
	seen := make(map[string]bool)
	var distinct []plugin.Issue
	for _, i := range all {
		i = normalizeIssue(i)
		if label := i.Label(); !seen[label] {
			seen[label] = true
			distinct = append(distinct, i)
		}
	}
	return distinct
}

// maxDuplicates is the maximum length of CreateResult.PossibleDuplicates.
const maxDuplicates = 10

// maxKey is the maximum length of the key of an issue, in bytes.
const maxKey = 100

// maxURL is the maximum length of Issue.URL, in bytes.
const maxURL = 2000

// maxSummary is the maximum length of Issue.Body, in bytes: 300 characters.
const maxSummary = 4 * 300

// normalizeIssue returns an issue with its key in one line. It omits a URL that is no web page and a time that JSON cannot
// express, and shortens the body.
func normalizeIssue(i plugin.Issue) plugin.Issue {
	i.URL = safehttp.PageURL(i.URL, maxURL)
	if year := i.Updated.Year(); year < 0 || year > 9999 {
		i.Updated = time.Time{}
	}
	i.Body = truncate.Cut(i.Body, maxSummary)
	if i.Key == "" {
		i.Key = "#" + strconv.Itoa(i.Number)
	}
	i.Key = truncate.Line(i.Key, maxKey)
	return i
}

// tracker returns the name of the tracker as an adjective in texts for the model: "GitHub ", or "" for another one.
func (s *Search) tracker() string {
	if s.issues == nil || s.issues.name == "github" {
		return "GitHub "
	}
	return ""
}

// sizeOfIssues estimates the size of issues in the cache, in bytes.
func sizeOfIssues(all []plugin.Issue) int {
	size := 0
	for _, i := range all {
		size += 300 + len(i.Title) + len(i.Body) + len(i.URL)
	}
	return size
}

// blocks returns the issues as JSON, and remarks on omitted or cached issues.
func (r IssuesResult) blocks() []mcp.Content {
	issues := r.Issues
	if issues == nil {
		issues = []plugin.Issue{}
	}
	text, err := json.MarshalIndent(issues, "", " ")
	if err != nil {
		text = []byte("[]")
	}
	content := []mcp.Content{mcp.TextContent{Text: string(text)}}
	var notes []string
	if r.Metadata.TotalResults > len(issues) {
		notes = append(notes, fmt.Sprintf("%d of %s %s shown", len(issues), plural.Count(r.Metadata.TotalResults, "issue"), plural.Are(r.Metadata.TotalResults)))
	}
	if r.Metadata.Incomplete {
		notes = append(notes, "the source did not search all issues")
	}
	if age := time.Duration(r.Metadata.Age * float64(time.Second)).Round(time.Second); age >= time.Minute {
		notes = append(notes, "as of "+age.String()+" ago")
	}
	if len(notes) > 0 {
		content = append(content, mcp.TextContent{Text: "[" + strings.Join(notes, "; ") + "]"})
	}
	return content
}
