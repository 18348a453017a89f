package plugin

import (
	"context"
	"time"
)

// Issues is a plugin that knows issues. Its errors have the codes of the set of
// package search: ISSUES_UNAVAILABLE, RATE_LIMITED, NOT_AUTHORIZED, NO_TOKEN, NOT_FOUND,
// INVALID_PARAMS, UNKNOWN_OUTCOME.
type Issues interface {
	Plugin
	// SearchIssues finds issues, best first.
	SearchIssues(ctx context.Context, q IssueQuery) (IssueList, error)
	// CreateIssue makes an issue, or says which ones are like it and makes none.
	CreateIssue(ctx context.Context, n NewIssue) (Created, error)
}

// IssueQuery asks for issues.
type IssueQuery struct {
	Text     string   // may be empty: the newest
	State    string   // "open", "closed", "all"
	Labels   []string // all of them
	Assignee string
	Repo     string // "owner/name"; empty for the configured one
	Limit    int    // from 1 to 500
}

// Issue is one issue, in short.
type Issue struct {
	Repo      string    `json:"repo"`
	Number    int       `json:"number"`
	Title     string    `json:"title"`
	State     string    `json:"state"`
	URL       string    `json:"url"`
	Labels    []string  `json:"labels,omitempty"`
	Assignees []string  `json:"assignees,omitempty"`
	Author    string    `json:"author,omitempty"`
	Comments  int       `json:"comments,omitempty"`
	Updated   time.Time `json:"updatedAt"`
	// Body is the beginning, at most 300 characters.
	Body string `json:"body,omitempty"`
}

// IssueList is the answer to an IssueQuery.
type IssueList struct {
	Issues []Issue
	// Total is how many there are, as far as the source tells.
	Total int
	// Incomplete says that the source gave up before it had looked at everything.
	Incomplete bool
	// Age is how old the answer is, if it is not from now.
	Age time.Duration
}

// NewIssue is an issue to be made.
type NewIssue struct {
	Repo, Title, Body string
	Labels, Assignees []string
	// Milestone is its title, or its number.
	Milestone string
	// Key makes a repeated attempt the same: an issue that was made with it is
	// answered instead of a second one. Empty: derived from what the issue says.
	Key string
	// DryRun says what would be done. AllowDuplicate makes an issue though an open
	// one has the same title.
	DryRun, AllowDuplicate bool
}

// Created is the answer to a NewIssue.
type Created struct {
	// Issue is the one that was made, or nil.
	Issue *Issue
	// Existing says that it had been made before, with the same key.
	Existing bool
	// Duplicates are open issues that are like it.
	Duplicates []Issue
	// Milestone is the number that the milestone's title stands for, or 0.
	Milestone int
}
