package chunking

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// defineRelations makes the tools that a Graph or References answer.
func (c *Chunks) defineRelations() []mcp.ServerTool {
	callers := mcp.NewTool(mcp.Tool{
		Name: "find_callers", Annotations: mcp.ReadOnly(),
		Description: "Finds what calls a function, with a confidence.",
	}, c.FindCallers)
	switch {
	case c.options.Graph != nil:
		return []mcp.ServerTool{callers, mcp.NewTool(mcp.Tool{
			Name: "find_dependencies", Annotations: mcp.ReadOnly(),
			Description: "Shows what a chunk calls and what its file imports.",
		}, c.FindDependencies)}
	case c.options.References != nil:
		return []mcp.ServerTool{callers}
	}
	return nil
}

// RelationsArgs are the arguments of find_callers and find_dependencies.
type RelationsArgs struct {
	// ChunkID is that of get_chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// MaxResults bounds the answer. 0 is 50.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=50"`
}

func rounded(x float64) float64 { return math.Round(x*100) / 100 }

// maxCalls bounds the calls of one name that are looked at.
const maxCalls = 20_000

// related is the chunk that is asked about, with the graph up to date.
func (c *Chunks) related(ctx context.Context, args RelationsArgs) (chunk, int, error) {
	limit, err := results(args.MaxResults)
	if err != nil {
		return chunk{}, 0, err
	}
	if c.index.Snapshot().Len() == 0 {
		return chunk{}, 0, problem(codeNotAnalyzed, "Call analyze_project first.", "no project has been analysed")
	}
	found, err := c.byID(ctx, args.ChunkID)
	if err != nil {
		return chunk{}, 0, err
	}
	return found, limit, c.connect(ctx)
}

// connect brings the graph to what the index has.
func (c *Chunks) connect(ctx context.Context) error {
	if c.options.Graph == nil {
		return nil
	}
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	snapshot := c.index.Snapshot()
	now := snapshot.Generation() + 1
	if c.connected == now {
		return nil
	}
	if err := c.options.Graph.Update(ctx, snapshot); err != nil {
		return err
	}
	c.connected = now
	return nil
}

// DependenciesResult is what find_dependencies answers.
type DependenciesResult struct {
	ID string `json:"id"`
	// Imports are those of the file.
	Imports []string `json:"imports"`
	// Calls are in the order of their first lines.
	Calls []Dependency `json:"calls"`
	// TotalCount is how many names are called.
	TotalCount int  `json:"totalCount"`
	Truncated  bool `json:"truncated,omitempty"`
}

// Dependency is a name that is called.
type Dependency struct {
	Name  string  `json:"name"`
	Lines []int32 `json:"lines"`
	// Targets are the declarations in the project that it may mean, the most certain
	// first, at most 5. Without any it is none of the project's.
	Targets []Target `json:"targets"`
}

// Target is a declaration that a call may mean.
type Target struct {
	ID         string  `json:"id"`
	Confidence float64 `json:"confidence"`
}

const maxTargets = 5

// FindDependencies is find_dependencies.
func (c *Chunks) FindDependencies(ctx context.Context, args RelationsArgs) (DependenciesResult, error) {
	found, limit, err := c.related(ctx, args)
	if err != nil {
		return DependenciesResult{}, err
	}
	r := DependenciesResult{ID: found.id(), Imports: []string{}, Calls: []Dependency{}}
	imports, err := c.options.Graph.Imports(ctx, found.Path)
	if err != nil {
		return DependenciesResult{}, err
	}
	for _, i := range imports {
		r.Imports = append(r.Imports, i.Path)
	}
	calls, err := c.options.Graph.Called(ctx, r.ID, maxCalls)
	if err != nil {
		return DependenciesResult{}, err
	}
	at := make(map[string]int)
	for _, call := range calls {
		if i, ok := at[call.Name]; ok {
			if i < limit {
				r.Calls[i].Lines = append(r.Calls[i].Lines, call.Line)
			}
			continue
		}
		at[call.Name] = len(at)
		if len(r.Calls) == limit {
			continue
		}
		targets, err := c.targets(ctx, call, imports)
		if err != nil {
			return DependenciesResult{}, err
		}
		r.Calls = append(r.Calls, Dependency{Name: call.Name, Lines: []int32{call.Line}, Targets: targets})
	}
	r.TotalCount = len(at)
	r.Truncated = len(r.Calls) < r.TotalCount
	return r, nil
}

func (c *Chunks) targets(ctx context.Context, call graph.Call, imports []parse.Import) ([]Target, error) {
	all, err := c.options.Graph.Declared(ctx, call.Name, maxCalls)
	if err != nil {
		return nil, err
	}
	targets := make([]Target, len(all))
	for i := range all {
		targets[i] = Target{all[i].ID, rounded(graph.Confidence(call, imports, all[i], all))}
	}
	slices.SortStableFunc(targets, func(a, b Target) int { return -cmp.Compare(a.Confidence, b.Confidence) })
	return targets[:min(len(targets), maxTargets)], nil
}

// TextContent is a line for each name that is called.
func (r DependenciesResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[imports: " + strings.Join(r.Imports, ", ") + "]\n")
	for _, d := range r.Calls {
		b.WriteString(d.Name + " lines " + join(d.Lines) + ":")
		for _, t := range d.Targets {
			b.WriteString(" " + t.ID + " (" + percent(t.Confidence) + ")")
		}
		if len(d.Targets) == 0 {
			b.WriteString(" not in the project")
		}
		b.WriteByte('\n')
	}
	if r.Truncated {
		b.WriteString("[" + number(len(r.Calls)) + " of " + number(r.TotalCount) + "]\n")
	}
	return b.String()
}

func percent(x float64) string { return number(int(math.Round(100*x))) + " %" }

func join(lines []int32) string {
	const most = 20
	var b strings.Builder
	for i, line := range lines {
		if i == most {
			b.WriteString(" …")
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(number(line))
	}
	return b.String()
}
