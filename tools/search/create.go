package search

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/ratelimit"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// PermissionCreate is the permission that a caller of createIssue needs.
const PermissionCreate = "issues:write"

const (
	maxTitle = 256   // characters
	maxBody  = 60000 // characters, slightly below the limit of GitHub
)

// CreateArgs are the arguments of createIssue.
type CreateArgs struct {
	// Title is one line of 1 to 256 characters.
	Title string `json:"title" jsonschema:"minLength=1,maxLength=256,description=Issue title"`
	// Body is Markdown of at most 60,000 characters.
	Body      string   `json:"body,omitempty" jsonschema:"maxLength=60000,description=Issue body"`
	Labels    []string `json:"labels,omitempty" jsonschema:"description=Labels"`
	Assignees []string `json:"assignees,omitempty" jsonschema:"description=Users to assign"`
	Milestone string   `json:"milestone,omitempty" jsonschema:"description=Title or number of a milestone"`
	// DryRun reports the outcome without creating an issue.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"description=Only show the issue\\, create nothing"`
	// AllowDuplicate creates the issue even if an open issue has the same title.
	AllowDuplicate bool `json:"allowDuplicate,omitempty" jsonschema:"description=Even if an open issue has the same title"`
}

// CreateResult is the result of createIssue.
type CreateResult struct {
	// Created is true if this call created Issue.
	Created bool `json:"created"`
	// Existing is true if an earlier identical request created Issue.
	Existing bool `json:"existing,omitempty"`
	DryRun   bool `json:"dryRun,omitempty"`
	// Issue is the new or existing issue; nil if none was created.
	Issue *plugin.Issue `json:"issue,omitzero"`
	// PossibleDuplicates are open issues that resemble the requested one. If Issue is nil and this list is not empty, no issue
	// was created.
	PossibleDuplicates []plugin.Issue `json:"possibleDuplicates,omitempty"`
	// MilestoneNumber is the number of the milestone that was named by its title; 0 without a milestone.
	MilestoneNumber int `json:"milestoneNumber,omitempty"`

	description string // of the link to the issue
}

// CreateIssue implements createIssue. Of concurrent calls with the same arguments only one creates the issue. Each call that is
// not a dry run is written to the audit log and counts against Options.CreationsPerMinute. Errors: ISSUES_UNAVAILABLE,
// INVALID_PARAMS, RATE_LIMITED, UNKNOWN_OUTCOME, and errors of the plugin.
func (s *Search) CreateIssue(ctx context.Context, args CreateArgs) (_ CreateResult, err error) {
	if s.issues == nil {
		return CreateResult{}, s.noIssuesError()
	}
	if title := len([]rune(args.Title)); strings.TrimSpace(args.Title) == "" || title > maxTitle {
		return CreateResult{}, invalid("Give a title in one line.", "the title has %d characters, and must have 1 to %d", title, maxTitle)
	}
	if body := len([]rune(args.Body)); body > maxBody {
		return CreateResult{}, invalid("Shorten it, or put the rest into comments.", "the body has %d characters, and may have %d", body, maxBody)
	}
	if args.DryRun {
		return s.create(ctx, args)
	}
	all := ratelimit.Demand[string]{Limits: ratelimit.Limits{PerMinute: s.options.CreationsPerMinute}}
	if d := s.creations.Allow(all); !d.Allowed {
		return CreateResult{}, problem(codeRateLimited, fmt.Sprintf("Call again in %v.", max(d.RetryAfter.Round(time.Second), time.Second)),
			"this server creates at most %d issues per minute", s.options.CreationsPerMinute)
	}
	record, err := s.audit.Begin(ctx, audit.Entry{Operation: "createIssue", Params: args})
	if err != nil {
		return CreateResult{}, err
	}
	defer func() {
		if failed := record.End(err); failed != nil {
			s.log.Error("the outcome of createIssue is missing in the audit log", "error", failed)
		}
	}()
	return s.create(ctx, args)
}

// create calls the plugin. A timeout during a real creation becomes UNKNOWN_OUTCOME.
func (s *Search) create(ctx context.Context, args CreateArgs) (CreateResult, error) {
	made, err := guarded(ctx, s.issues.guard, func(ctx context.Context) (plugin.Created, error) {
		made, err := s.issues.CreateIssue(ctx, plugin.NewIssue{
			Title: args.Title, Body: args.Body, Labels: args.Labels, Assignees: args.Assignees, Milestone: args.Milestone,
			DryRun: args.DryRun, AllowDuplicate: args.AllowDuplicate,
		})
		if err != nil && ctx.Err() != nil && !hasCode(err) && !args.DryRun {
			err = unknownOutcome(err)
		}
		return made, err
	})
	if !args.DryRun {
		s.creationAttempts.Add(1) // a failed attempt may have created the issue: cached issue lists are outdated
	}
	if err != nil {
		return CreateResult{}, err
	}
	if made.Issue != nil {
		issue := normalizeIssue(*made.Issue)
		made.Issue = &issue
	}
	return CreateResult{
		Created: made.Issue != nil && !made.Existing && !args.DryRun, Existing: made.Existing, DryRun: args.DryRun,
		Issue: made.Issue, PossibleDuplicates: distinctIssues(made.Duplicates[:min(len(made.Duplicates), maxDuplicates)]), MilestoneNumber: made.Milestone,
		description: "Created " + s.tracker() + "Issue",
	}, nil
}

// unknownOutcome is the error of an attempt that ended before its outcome was known.
func unknownOutcome(err error) error {
	return &mcp.ToolError{
		Code: codeUnknownOutcome, Message: "it is not known whether the issue was made: " + truncate.Line(err.Error(), 300),
		Next: "Look for it with searchIssues before you call again.", Err: err,
	}
}

// issueAddress returns the URL of an issue, after a key that is not a number, or the key of an issue without a URL.
func issueAddress(i *plugin.Issue) string {
	switch {
	case i.URL == "":
		return i.Label()
	case strings.HasPrefix(i.Key, "#"):
		return i.URL
	}
	return i.Key + " " + i.URL
}

// blocks returns the outcome as text, with a link to the issue.
func (r CreateResult) blocks() []mcp.Content {
	var b strings.Builder
	switch {
	case r.Issue != nil && r.Existing:
		fmt.Fprintf(&b, "Issue exists already: %s\n[the same request has made it before]", issueAddress(r.Issue))
	case r.Issue != nil && r.Created:
		b.WriteString("Issue created: " + issueAddress(r.Issue))
	case r.DryRun && len(r.PossibleDuplicates) == 0:
		b.WriteString("[dry run: the issue would be created]")
	case len(r.PossibleDuplicates) == 0:
		b.WriteString("Issue not created: the tracker gave no reason.")
	case r.DryRun:
		b.WriteString("[dry run: open issues are like it, and without allowDuplicate=true it would not be created]")
	default:
		b.WriteString("Issue not created: open issues are like it. Comment on one of them, or call again with allowDuplicate=true.")
	}
	for _, d := range r.PossibleDuplicates {
		fmt.Fprintf(&b, "\n%s %s %s", d.Key, truncate.Line(d.Title, 200), d.URL)
	}
	if r.MilestoneNumber != 0 && r.DryRun {
		fmt.Fprintf(&b, "\n[milestone %d]", r.MilestoneNumber)
	}
	content := []mcp.Content{mcp.TextContent{Text: b.String()}}
	if r.Issue != nil && r.Issue.URL != "" {
		content = append(content, mcp.ResourceLink{URI: r.Issue.URL, Name: r.Issue.Title, Description: r.description})
	}
	return content
}
