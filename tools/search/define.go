package search

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/schema"
)

// toolTimeout limits a tool call. It is shorter than the usual request timeout of clients (60 s).
const toolTimeout = 45 * time.Second

// define returns the tools, resources, templates and prompts of the set. The error lists all invalid definitions.
func (s *Search) define() (mcp.Features, error) {
	remote := mcp.ReadOnly()
	remote.OpenWorld = new(true)
	creating := mcp.Additive()
	creating.OpenWorld = new(true)
	defined := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{
			Name: "getProjectContext", Annotations: remote,
			Description: "Gets the current state and context of the project: name, version, git, open issues, files.",
		}, s.ProjectContext),
		blocksTool(mcp.Tool{
			Name: "searchDocuments", Annotations: mcp.ReadOnly(),
			Description: "Searches documents and code, best first: functions, types, sections.",
		}, limitConcurrency(s, s.SearchDocuments)),
		blocksTool(mcp.Tool{
			Name: "searchIssues", Annotations: remote,
			Description: "Searches " + s.tracker() + "issues.",
		}, s.SearchIssues),
		blocksTool(mcp.Tool{
			Name: "createIssue", Annotations: creating,
			Description: "Creates a new " + s.tracker() + "issue, unless an open one has the same title.",
		}, s.CreateIssue).With(mcp.ToolOptions{Permissions: []string{PermissionCreate}}),
		blocksTool(mcp.Tool{
			Name: "findSimilarCode", Annotations: mcp.ReadOnly(),
			Description: "Finds code similar to the given code, ignoring names, layout and comments.",
		}, limitConcurrency(s, s.FindSimilarCode)).With(mcp.ToolOptions{Enums: map[string][]any{"language": s.languages()}}),
		mcp.NewTool(mcp.Tool{
			Name: "get_index_status", Annotations: mcp.ReadOnly(),
			Description: "Shows how complete and current the search index is, and the state of the plugins.",
		}, s.IndexStatus),
	}
	for i := range defined {
		defined[i] = defined[i].With(mcp.ToolOptions{Timeout: toolTimeout, MaxResult: s.limits.MaxResult()})
	}
	// The tool returns after waitMs by itself while the refresh continues, so its timeout is longer.
	defined = append(defined, mcp.NewTool(mcp.Tool{
		Name: "refresh_index", Annotations: mcp.ReadOnly(),
		Description: "Updates the search index now; searches use the old one meanwhile.",
	}, s.Refresh).With(mcp.ToolOptions{Timeout: maxRefreshWait + time.Minute, Task: mcp.TaskOptional}))

	f := mcp.Features{Tools: defined, Resources: s.resources(), Templates: s.templates(), Prompts: s.prompts()}
	return f, check(f)
}

// check collects the errors of all features in f.
func check(f mcp.Features) error {
	var problems *multierror.Error
	for _, t := range f.Tools {
		problems = appendProblem(problems, t.Err())
	}
	for _, r := range f.Resources {
		problems = appendProblem(problems, r.Err())
	}
	for _, t := range f.Templates {
		problems = appendProblem(problems, t.Err())
	}
	for _, p := range f.Prompts {
		problems = appendProblem(problems, p.Err())
	}
	return problems.ErrorOrNil()
}

func appendProblem(problems *multierror.Error, err error) *multierror.Error {
	if err != nil {
		problems = multierror.Append(problems, err)
	}
	return problems
}

// blocker is a result with its own content blocks in addition to its structured form.
type blocker interface{ blocks() []mcp.Content }

// blocksTool returns a tool like mcp.NewTool whose text content comes from the result's blocks method.
func blocksTool[In any, Out blocker](t mcp.Tool, h func(context.Context, In) (Out, error)) mcp.ServerTool {
	typ := reflect.TypeFor[Out]()
	output, failed := schema.Output(typ, schema.Options{})
	encoder, err := schema.NewEncoder(typ)
	if failed == nil && err == nil {
		t.OutputSchema = output.JSON()
	}
	return mcp.NewTool(t, func(ctx context.Context, in In) (*mcp.ToolResult, error) {
		out, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		structured, err := encoder.Append(nil, out)
		if err != nil {
			return nil, fmt.Errorf("encoding the result: %w", err)
		}
		return &mcp.ToolResult{Content: out.blocks(), Structured: structured}, nil
	})
}
