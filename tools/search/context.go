package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	defaultContext = 50
	maxContext     = 500
)

// ContextArgs are the arguments of getProjectContext.
type ContextArgs struct {
	IncludeFiles bool `json:"includeFiles,omitempty" jsonschema:"default=false,description=Include a list of files"`
	// IncludeGitStatus and IncludeIssues are true unless they are false.
	IncludeGitStatus *bool `json:"includeGitStatus,omitempty" jsonschema:"default=true,description=Include the state of git"`
	IncludeIssues    *bool `json:"includeIssues,omitempty" jsonschema:"default=true,description=Include related issues"`
	// MaxResults bounds each list. 0 is 50.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=500,default=50,description=Maximum results"`
}

// ProjectContext is what getProjectContext answers.
type ProjectContext struct {
	Project   Project   `json:"project"`
	Timestamp time.Time `json:"timestamp"`
	Git       *GitState `json:"git,omitzero"`
	// Files are the most important ones first, TotalFiles how many there are.
	Files      []ProjectFile `json:"files,omitzero"`
	TotalFiles int           `json:"totalFiles,omitempty"`
	// Issues are those that are open, the newest first.
	Issues []plugin.Issue `json:"issues,omitzero"`
	// Warnings say what is missing, and why.
	Warnings []string `json:"warnings,omitempty"`
}

// ProjectContext is getProjectContext. What cannot be told is left out with a warning.
func (s *Search) ProjectContext(ctx context.Context, args ContextArgs) (ProjectContext, error) {
	if args.MaxResults == 0 {
		args.MaxResults = defaultContext
	}
	if args.MaxResults < 0 || args.MaxResults > maxContext {
		return ProjectContext{}, invalid("Give 1 to 500.", "maxResults is %d", args.MaxResults)
	}
	r := ProjectContext{Project: s.project(ctx), Timestamp: time.Now().UTC().Truncate(time.Millisecond)}
	withGit := args.IncludeGitStatus == nil || *args.IncludeGitStatus
	withIssues := args.IncludeIssues == nil || *args.IncludeIssues
	var warnings []error
	warn := func(what string, err error) {
		if err != nil {
			warnings = append(warnings, fmt.Errorf("%s: %w", what, err))
		}
	}
	var err error
	if withGit {
		r.Git, err = s.gitState(ctx, args.MaxResults)
		warn("git", err)
	}
	if args.IncludeFiles {
		r.Files, r.TotalFiles, err = s.projectFiles(ctx, args.MaxResults, r.Git)
		warn("files", err)
	}
	if withIssues {
		var list plugin.IssueList
		list, err = s.findIssues(ctx, plugin.IssueQuery{State: "open", Limit: args.MaxResults})
		r.Issues = list.Issues
		warn("issues", err)
	}
	if ctx.Err() != nil {
		return ProjectContext{}, fmt.Errorf("getting the context of the project: %w", context.Cause(ctx))
	}
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, warning(w))
	}
	r.shorten(s.limits.Answer)
	return r, nil
}

// warning is an error in a line, with what to do about it.
func warning(err error) string {
	text := err.Error()
	if advice, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err); ok && advice.NextStep() != "" {
		text += ". " + advice.NextStep()
	}
	return truncate.Line(text, 500)
}

// shorten cuts the lists so that all has about so many bytes.
func (r *ProjectContext) shorten(room int) {
	cut := func(what string, shown, all int) {
		if shown < all {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: the first %d of %d are shown, more would be too long", what, shown, all))
		}
	}
	part := room / 4
	if r.Git != nil {
		found := len(r.Git.ChangedFiles)
		r.Git.ChangedFiles = leading(r.Git.ChangedFiles, part)
		cut("changed files", len(r.Git.ChangedFiles), found)
	}
	found := len(r.Files)
	r.Files = leading(r.Files, part)
	cut("files", len(r.Files), found)
	found = len(r.Issues)
	r.Issues = leading(r.Issues, part)
	cut("issues", len(r.Issues), found)
}
