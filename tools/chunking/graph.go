package chunking

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/source"
)

// defineRelations returns the tools that need a Graph or References.
func (c *Chunks) defineRelations() []mcp.ServerTool {
	description := "Finds the callers of a function. Calls that may or may not mean it are marked."
	callers := mcp.NewTool(mcp.Tool{
		Name: "find_callers", Annotations: mcp.ReadOnly(),
		Description: description,
	}, c.FindCallers)
	switch {
	case c.options.Graph != nil:
		return []mcp.ServerTool{callers, mcp.NewTool(mcp.Tool{
			Name: "find_dependencies", Annotations: mcp.ReadOnly(),
			Description: "Shows which names a chunk calls, the declarations of the same names, and what its file imports.",
		}, c.FindDependencies)}
	case c.options.References != nil:
		return []mcp.ServerTool{callers}
	}
	return nil
}

// CallersArgs are the arguments of find_callers.
type CallersArgs struct {
	// ChunkID is an ID as for get_chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// Impact also returns the callers of the callers, tests first: the code that a change can break.
	Impact bool `json:"impact,omitempty"`
	// MaxResults limits the number of entries. Default: 50.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=50"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// RelationsArgs are the arguments of find_dependencies.
type RelationsArgs struct {
	// ChunkID is an ID as for get_chunk.
	ChunkID string `json:"chunkId" jsonschema:"minLength=1"`
	// MaxResults limits the number of entries. Default: 50.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=50"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// maxCalls limits the calls and the declarations of one name, and the calls of one chunk.
const maxCalls = 20_000

// firstOf returns the first maxCalls entries of a list. If there are more, it adds a note.
func firstOf[T any](all []T, objects string, notes *[]string) []T {
	if len(all) <= maxCalls {
		return all
	}
	if note := "only the first " + number(maxCalls) + " " + objects + " were looked at"; !slices.Contains(*notes, note) {
		*notes = append(*notes, note)
	}
	return all[:maxCalls]
}

// related updates the graph, and returns the chunk of a call and the maximum number of
// results.
func (c *Chunks) related(ctx context.Context, chunkID string, maxResults int) (chunk, int, error) {
	limit, err := results(maxResults)
	if err != nil {
		return chunk{}, 0, err
	}
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return chunk{}, 0, err
	}
	if snapshot.Len() == 0 {
		return chunk{}, 0, problem(codeNotAnalyzed, "Call analyze_project first.", "%s", c.emptiness())
	}
	found, err := c.byID(ctx, chunkID)
	if err != nil {
		return chunk{}, 0, err
	}
	return found, limit, c.connect(ctx)
}

// connect updates the graph from the index.
func (c *Chunks) connect(ctx context.Context) error {
	if c.options.Graph == nil {
		return nil
	}
	if c.connecting.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer c.connecting.Release(1)
	c.indexUnsaved(ctx)
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

// DependenciesResult is the result of the tool find_dependencies.
type DependenciesResult struct {
	ID string `json:"id"`
	// Imports are the imports of the file.
	Imports []string `json:"imports"`
	// Calls are in the order of their first lines.
	Calls []Dependency `json:"calls"`
	// TotalCount is the number of called names on all pages.
	TotalCount int `json:"totalCount"`
	// Truncated reports that later pages have more names.
	Truncated bool `json:"truncated,omitempty"`
	// NextCursor is the cursor of the next page, if there is one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Notes describe files and calls that are missing in the result.
	Notes []string `json:"notes,omitempty"`

	skipped int // names on earlier pages
}

// Dependency is a called name.
type Dependency struct {
	Name  string  `json:"name"`
	Lines []int32 `json:"lines"`
	// Targets are declarations of the same name in the index, at most 5, the likely ones
	// first. The call may have another target. TotalTargets is their number without the
	// limit.
	Targets      []Target `json:"targets"`
	TotalTargets int      `json:"totalTargets"`
}

// Target is a possible target of a call.
type Target struct {
	ID string `json:"id"`

	rank float64
}

const maxTargets = 5

// FindDependencies implements the tool find_dependencies. Errors: INVALID_PARAMS, INVALID_CURSOR, NOT_ANALYZED, and the errors of get_chunk for the chunk.
func (c *Chunks) FindDependencies(ctx context.Context, args RelationsArgs) (DependenciesResult, error) {
	found, limit, err := c.related(ctx, args.ChunkID, args.MaxResults)
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
	calls, err := c.options.Graph.Called(ctx, r.ID, maxCalls+1)
	if err != nil {
		return DependenciesResult{}, err
	}
	calls = firstOf(calls, "calls of the chunk", &r.Notes)
	list := cursor.NewListID("dependencies", r.ID, strconv.Itoa(len(calls)))
	if r.skipped, err = offset(list, args.Cursor); err != nil {
		return DependenciesResult{}, err
	}
	at := make(map[string]int)
	for _, call := range calls {
		i, ok := at[call.Name]
		if !ok {
			i = len(at)
			at[call.Name] = i
		}
		switch {
		case i < r.skipped || i >= r.skipped+limit:
		case ok:
			r.Calls[i-r.skipped].Lines = append(r.Calls[i-r.skipped].Lines, call.Line)
		default:
			targets, total, err := c.targets(ctx, call, imports, &r.Notes)
			if err != nil {
				return DependenciesResult{}, err
			}
			r.Calls = append(r.Calls, Dependency{Name: call.Name, Lines: []int32{call.Line}, Targets: targets, TotalTargets: total})
		}
	}
	r.TotalCount = len(at)
	r.NextCursor = nextCursor(list, r.skipped+len(r.Calls), r.TotalCount)
	r.Truncated = r.NextCursor != ""
	return r, nil
}

// targets returns the likely declarations of a call's name, and their number. It adds its limits to notes.
func (c *Chunks) targets(ctx context.Context, call graph.Call, imports []source.Import, notes *[]string) ([]Target, int, error) {
	all, err := c.options.Graph.Declared(ctx, call.Name, maxCalls+1)
	if err != nil {
		return nil, 0, err
	}
	all = firstOf(all, "declarations of "+call.Name, notes)
	targets := make([]Target, len(all))
	for i := range all {
		targets[i] = Target{all[i].ID, graph.Rank(call, imports, all[i], all)}
	}
	slices.SortStableFunc(targets, func(a, b Target) int { return -cmp.Compare(a.rank, b.rank) })
	return targets[:min(len(targets), maxTargets)], len(targets), nil
}

// TextContent returns the imports, the notes, and a line for each called name.
func (r DependenciesResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[imports: " + strings.Join(r.Imports, ", ") + "]\n[" + number(r.TotalCount) + " names are called; behind each, declarations of the same name, not resolved")
	if shown := pageNote(r.skipped, len(r.Calls), r.TotalCount, r.NextCursor); shown != "" {
		b.WriteString("; " + shown)
	}
	b.WriteString("]\n")
	for _, note := range r.Notes {
		b.WriteString("[" + note + "]\n")
	}
	for _, d := range r.Calls {
		b.WriteString(d.Name + " lines " + join(d.Lines) + ":")
		for _, t := range d.Targets {
			b.WriteString(" " + t.ID)
		}
		switch more := d.TotalTargets - len(d.Targets); {
		case d.TotalTargets == 0:
			b.WriteString(" no declaration of this name is indexed")
		case more > 0:
			b.WriteString(" and " + number(more) + " more, which search_symbols finds")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func join(lines []int32) string {
	const most = 20
	var b strings.Builder
	for i, line := range lines {
		if i == most {
			b.WriteString(" and " + number(len(lines)-most) + " more")
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(number(line))
	}
	return b.String()
}
