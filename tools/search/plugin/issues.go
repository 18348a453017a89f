package plugin

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Issues is a plugin with issues. Its errors have the codes ISSUES_UNAVAILABLE, RATE_LIMITED, NOT_AUTHORIZED, NO_TOKEN,
// NOT_FOUND, INVALID_PARAMS or UNKNOWN_OUTCOME.
type Issues interface {
	Plugin
	// SearchIssues finds issues, best first.
	SearchIssues(ctx context.Context, q IssueQuery) (IssueList, error)
	// CreateIssue creates an issue. If open issues resemble it, it returns them instead, unless AllowDuplicate is set.
	CreateIssue(ctx context.Context, n NewIssue) (Created, error)
}

// IssueQuery is a search for issues. All conditions must hold.
type IssueQuery struct {
	Text     string   // words, or the Key of an issue if the tracker can look it up; empty returns the newest issues
	State    string   // "open" (also if empty), "closed" or "all"
	Labels   []string // the issue must have all of them
	Assignee string   // user name; empty for any
	Repo     string   // "owner/name", or a project of the tracker; empty for the configured one
	Limit    int      // maximum number of issues, from 1 to 500
}

// Issue is a summary of an issue.
type Issue struct {
	// Key identifies the issue in its repository or tracker as people write it: "#12", "ABC-12". It is one word of at most 100
	// bytes. Empty means "#" and Number.
	Key string `json:"key"`
	// Repo is the repository as "owner/name", or the project; empty if the tracker has no such division.
	Repo string `json:"repo,omitempty"`
	// Number is the number of the issue in Repo; 0 for trackers without numbers.
	Number    int       `json:"number,omitempty"`
	Title     string    `json:"title"`
	State     string    `json:"state"`
	URL       string    `json:"url"`
	Labels    []string  `json:"labels,omitempty"`
	Assignees []string  `json:"assignees,omitempty"`
	Author    string    `json:"author,omitempty"`
	Comments  int       `json:"comments,omitempty"`
	Updated   time.Time `json:"updatedAt"`
	// Body is the beginning of the text, at most 300 characters.
	Body string `json:"body,omitempty"`
}

// Label returns the key of the issue, preceded by the repository if the key is a number there: "octocat/hello#12", "ABC-12".
func (i Issue) Label() string {
	key := i.Key
	if key == "" {
		key = "#" + strconv.Itoa(i.Number)
	}
	if strings.HasPrefix(key, "#") {
		return i.Repo + key
	}
	return key
}

// IssueList is the result of SearchIssues.
type IssueList struct {
	Issues []Issue
	// Total is the number of matching issues as reported by the source.
	Total int
	// Incomplete is true if the source did not search all issues.
	Incomplete bool
	// Age is the age of a cached result; 0 for a current one.
	Age time.Duration
}

// NewIssue describes an issue to create.
type NewIssue struct {
	// Repo is "owner/name", or a project of the tracker; empty for the configured one. Title is required.
	Repo, Title, Body string
	Labels, Assignees []string
	// Milestone is the title or number of a milestone; empty for none.
	Milestone string
	// IdempotencyKey makes repeated calls idempotent: if an issue was created with the same key, it is returned instead of a
	// second one. Empty means a key derived from the content.
	IdempotencyKey string
	// DryRun reports the outcome without creating an issue. AllowDuplicate creates the issue even if an open one has the same
	// title.
	DryRun, AllowDuplicate bool
}

// Created is the result of CreateIssue.
type Created struct {
	// Issue is the created or existing issue; nil if none was created.
	Issue *Issue
	// Existing is true if an earlier call with the same key created Issue.
	Existing bool
	// Duplicates are open issues that resemble the requested one.
	Duplicates []Issue
	// Milestone is the number of the requested milestone; 0 without one.
	Milestone int
}
