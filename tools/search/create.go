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

// PermissionCreate is what a caller of createIssue must be granted.
const PermissionCreate = "issues:write"

const (
	maxTitle = 256   // characters
	maxBody  = 60000 // characters, somewhat less than the sources allow
)

// CreateArgs are the arguments of createIssue.
type CreateArgs struct {
	Title     string   `json:"title" jsonschema:"minLength=1,maxLength=256,description=Issue title"`
	Body      string   `json:"body,omitempty" jsonschema:"maxLength=60000,description=Issue body"`
	Labels    []string `json:"labels,omitempty" jsonschema:"description=Labels"`
	Assignees []string `json:"assignees,omitempty" jsonschema:"description=Users to assign"`
	Milestone string   `json:"milestone,omitempty" jsonschema:"description=Title or number of a milestone"`
	// DryRun makes nothing, and says what would be made.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"description=Only tell what would be made"`
	// AllowDuplicate makes the issue though an open one has the same title.
	AllowDuplicate bool `json:"allowDuplicate,omitempty" jsonschema:"description=Even if an open issue has the same title"`
}

// CreateResult is what createIssue answers.
type CreateResult struct {
	// Created says that Issue was made now; Existing that the same request had made it before.
	Created  bool          `json:"created"`
	Existing bool          `json:"existing,omitempty"`
	DryRun   bool          `json:"dryRun,omitempty"`
	Issue    *plugin.Issue `json:"issue,omitzero"`
	// PossibleDuplicates are open issues that are like it. With them, and without Issue, nothing was made.
	PossibleDuplicates []plugin.Issue `json:"possibleDuplicates,omitempty"`
	// MilestoneNumber is what the milestone's title stands for.
	MilestoneNumber int `json:"milestoneNumber,omitempty"`
}

// CreateIssue is createIssue. Of several calls for the same issue one makes it.
func (s *Search) CreateIssue(ctx context.Context, args CreateArgs) (_ CreateResult, err error) {
	if s.issues == nil {
		return CreateResult{}, s.noIssues()
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
			"this server takes at most %d orders for issues a minute", s.options.CreationsPerMinute)
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

func (s *Search) create(ctx context.Context, args CreateArgs) (CreateResult, error) {
	made, err := guarded(ctx, s.issues.guard, func(ctx context.Context) (plugin.Created, error) {
		made, err := s.issues.CreateIssue(ctx, plugin.NewIssue{
			Title: args.Title, Body: args.Body, Labels: args.Labels, Assignees: args.Assignees, Milestone: args.Milestone,
			DryRun: args.DryRun, AllowDuplicate: args.AllowDuplicate,
		})
		if err != nil && ctx.Err() != nil && !coded(err) && !args.DryRun {
			err = unknownOutcome(err)
		}
		return made, err
	})
	if !args.DryRun {
		s.made.Add(1) // also what has failed may have been made
	}
	if err != nil {
		return CreateResult{}, err
	}
	return CreateResult{
		Created: made.Issue != nil && !made.Existing && !args.DryRun, Existing: made.Existing, DryRun: args.DryRun,
		Issue: made.Issue, PossibleDuplicates: made.Duplicates, MilestoneNumber: made.Milestone,
	}, nil
}

// unknownOutcome is the error of an attempt that has ended before its outcome was known.
func unknownOutcome(err error) error {
	return &mcp.ToolError{
		Code: codeUnknownOutcome, Message: "it is not known whether the issue was made: " + truncate.Line(err.Error(), 300),
		Next: "Look for it with searchIssues before you call again.", Err: err,
	}
}

// blocks say what became of the issue, with a link to it.
func (r CreateResult) blocks() []mcp.Content {
	var b strings.Builder
	switch {
	case r.Issue != nil && r.Existing:
		fmt.Fprintf(&b, "Issue exists already: %s\n[the same request has made it before]", r.Issue.URL)
	case r.Issue != nil && r.Created:
		b.WriteString("Issue created: " + r.Issue.URL)
	case r.DryRun && len(r.PossibleDuplicates) == 0:
		b.WriteString("[dry run: the issue would be created]")
	case r.DryRun:
		b.WriteString("[dry run: open issues are like it, and without allowDuplicate=true it would not be created]")
	default:
		b.WriteString("Issue not created: open issues are like it. Comment on one of them, or call again with allowDuplicate=true.")
	}
	for _, d := range r.PossibleDuplicates {
		fmt.Fprintf(&b, "\n#%d %s %s", d.Number, truncate.Line(d.Title, 200), d.URL)
	}
	if r.MilestoneNumber != 0 && r.DryRun {
		fmt.Fprintf(&b, "\n[milestone %d]", r.MilestoneNumber)
	}
	content := []mcp.Content{mcp.TextContent{Text: b.String()}}
	if r.Issue != nil && r.Issue.URL != "" {
		content = append(content, mcp.ResourceLink{URI: r.Issue.URL, Name: r.Issue.Title, Description: "Created GitHub Issue"})
	}
	return content
}
