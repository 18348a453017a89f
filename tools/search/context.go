package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	defaultContext = 50
	maxContext     = 500
)

// ContextArgs are the arguments of getProjectContext.
type ContextArgs struct {
	// IncludeFiles adds the most important files to the result. Default false.
	IncludeFiles bool `json:"includeFiles,omitempty" jsonschema:"default=false,description=Include a list of files"`
	// IncludeGitStatus adds the git state. nil means true.
	IncludeGitStatus *bool `json:"includeGitStatus,omitempty" jsonschema:"default=true,description=Include the state of git"`
	// IncludeIssues adds the open issues. nil means true.
	IncludeIssues *bool `json:"includeIssues,omitempty" jsonschema:"default=true,description=Include related issues"`
	// MaxResults limits the length of each list, from 1 to 500. 0 means 50.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=500,default=50,description=Maximum results"`
}

// ProjectContext is the result of getProjectContext.
type ProjectContext struct {
	// Project is the project's name, description and version.
	Project Project `json:"project"`
	// Timestamp is the time of the call, in UTC.
	Timestamp time.Time `json:"timestamp"`
	// Git is the state of the repository; nil if it was not requested or is not available.
	Git *GitState `json:"git,omitzero"`
	// Files are the most important files, most important first.
	Files []ProjectFile `json:"files,omitzero"`
	// TotalFiles is the number of files in the project.
	TotalFiles int `json:"totalFiles,omitempty"`
	// Issues are the open issues, newest first.
	Issues []plugin.Issue `json:"issues,omitzero"`
	// Warnings name the missing parts of the result, each with the reason.
	Warnings []string `json:"warnings,omitempty"`
}

// ProjectContext implements getProjectContext. Parts that are not available are omitted and named in Warnings. Errors:
// INVALID_PARAMS, or the error of ctx.
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
	warn := func(part string, err error) {
		if err != nil {
			warnings = append(warnings, fmt.Errorf("%s: %w", part, err))
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

// warning returns err and its next step as one line of at most 500 bytes.
func warning(err error) string {
	text := err.Error()
	if advice, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err); ok && advice.NextStep() != "" {
		text = punctuation.Sentences(text, advice.NextStep())
	}
	return truncate.Line(text, 500)
}

// shorten cuts each list to a quarter of maxBytes of JSON, and adds a warning for each list that was cut.
func (r *ProjectContext) shorten(maxBytes int) {
	cut := func(list string, shown, all int) {
		if shown < all {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: the first %d of %d are shown, more would be too long", list, shown, all))
		}
	}
	part := maxBytes / 4
	if r.Git != nil {
		found := len(r.Git.ChangedFiles)
		r.Git.ChangedFiles = truncateJSON(r.Git.ChangedFiles, part)
		cut("changed files", len(r.Git.ChangedFiles), found)
	}
	found := len(r.Files)
	r.Files = truncateJSON(r.Files, part)
	cut("files", len(r.Files), found)
	found = len(r.Issues)
	r.Issues = truncateJSON(r.Issues, part)
	cut("issues", len(r.Issues), found)
}
