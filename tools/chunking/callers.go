package chunking

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/source"
)

// CallersResult is the result of the tool find_callers.
type CallersResult struct {
	// Callers has resolved callers first. Unresolved callers, which call something of the
	// same name, follow by likelihood.
	Callers []Caller `json:"callers"`
	// TotalCount is the number of callers on all pages, Resolved the number of callers
	// among them whose target is certain: by a language server, or by imports and types.
	TotalCount int `json:"totalCount"`
	Resolved   int `json:"resolved"`
	// Omitted is the number of callers on no page: the language server does not list
	// them, and 10 callers of this kind are listed already.
	Omitted int `json:"omitted,omitempty"`
	// Truncated reports that later pages have more callers.
	Truncated bool `json:"truncated,omitempty"`
	// NextCursor is the cursor of the next page, if there is one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Notes describe the limits of the result and omitted entries.
	Notes []string `json:"notes,omitempty"`

	skipped  int  // callers on earlier pages
	exact    bool // a language server has returned uses
	resolved bool // the uses are resolved by imports and types
	possible int  // callers with sourcePossible
	impact   bool // callers of callers are included
	tests    int  // callers in files of tests, with impact
	gaps     gaps // of a resolved result
}

// Caller is a chunk, or a file, that calls something.
type Caller struct {
	// ID is the ID of the chunk; empty for a call outside of all functions.
	ID       string `json:"id,omitempty"`
	FilePath string `json:"filePath"`
	// Lines are the lines of the calls. Resolved callers include other uses.
	Lines []int32 `json:"lines"`
	// Source is "language server" or "resolved" for a call of the chunk. "may call" is a
	// call of a method that the chunk implements or overrides, or of a variable that holds
	// the chunk. "same name" is a call whose
	// target is unknown. "same name, not listed by the language server" is a call
	// that a language server for this language does not list: it has another target, or is
	// in code that is not built here.
	Source string `json:"source"`

	// Steps is the number of calls from this chunk to the requested one, with Impact.
	Steps int `json:"steps,omitempty"`

	rank float64 // graph.Rank for an unresolved caller
}

const (
	sourceServer   = "language server"
	sourceResolved = "resolved"
	sourcePossible = "may call"
	sourceName     = "same name"
	sourceUnlisted = "same name, not listed by the language server"
	maxUnlisted    = 10 // upper limit of callers with sourceUnlisted in an answer
)

// Fixed ranks outside the range of graph.Rank, which is 0 to 1.
const (
	rankServer   = 2
	rankResolved = 2
	rankPossible = 1.5
	rankUnlisted = -1
)

// guess is a Caller by name.
type guess struct {
	Caller
	language source.Language
}

// FindCallers implements the tool find_callers. Errors: INVALID_PARAMS, INVALID_CURSOR, NOT_ANALYZED, the errors of get_chunk for the chunk, and
// without a Graph that of References. With Impact, the languages of package uses are supported.
func (c *Chunks) FindCallers(ctx context.Context, args CallersArgs) (CallersResult, error) {
	if args.Impact {
		return c.findImpact(ctx, args)
	}
	if c.options.References == nil {
		found, limit, err := c.related(ctx, args.ChunkID, args.MaxResults)
		if err != nil {
			return CallersResult{}, err
		}
		r := CallersResult{Callers: []Caller{}}
		if uses.Supports(found.Language) {
			resolved, err := c.resolvedCallers(ctx, c.finder(), found)
			switch {
			case err == nil:
				return resolved.page(args, limit, c.limits.Answer)
			case ctx.Err() != nil:
				return CallersResult{}, context.Cause(ctx)
			}
			r.Notes = append(r.Notes, "none is resolved: "+firstLine(err.Error()))
		}
		if missing := c.missing(); missing != "" {
			r.Notes = append(r.Notes, missing)
		}
		guesses, err := c.guesses(ctx, found, &r.Notes)
		if err != nil {
			return CallersResult{}, err
		}
		for _, g := range guesses {
			r.Callers = append(r.Callers, g.Caller)
		}
		return r.page(args, limit, c.limits.Answer)
	}
	limit, err := results(args.MaxResults)
	if err != nil {
		return CallersResult{}, err
	}
	found, err := c.byID(ctx, args.ChunkID)
	if err != nil {
		return CallersResult{}, err
	}
	r, err := c.bothCallers(ctx, found)
	if err != nil {
		return CallersResult{}, err
	}
	return r.page(args, limit, c.limits.Answer)
}

// bothCallers queries References, and the Graph if there is one.
func (c *Chunks) bothCallers(ctx context.Context, found chunk) (CallersResult, error) {
	exact, failed := c.uses(ctx, found)
	if ctx.Err() != nil {
		return CallersResult{}, context.Cause(ctx)
	}
	r := CallersResult{Callers: []Caller{}, exact: failed == nil}
	if exact != nil {
		r.Notes = append(r.Notes, exact.notes()...)
	}
	byName := c.options.Graph != nil && c.index.Snapshot().Len() > 0
	if !byName {
		if failed != nil {
			return CallersResult{}, failed
		}
		if c.options.Graph != nil {
			r.Notes = append(r.Notes, "no calls by name: call analyze_project for those in other languages")
		}
		r.Callers = append(r.Callers, exact.callers...)
		return r, nil
	}
	if failed == nil && len(exact.callers) == 0 && !slices.Contains(exact.languages, found.Language) && uses.Supports(found.Language) {
		// The server can miss files that it has not loaded.
		resolved, err := c.resolvedCallers(ctx, c.finder(), found)
		if ctx.Err() != nil {
			return CallersResult{}, context.Cause(ctx)
		}
		if err == nil && slices.ContainsFunc(resolved.Callers, func(one Caller) bool { return one.Source != sourceName }) {
			resolved.Notes = append(resolved.Notes, "the language server lists no use; these are found by imports and types")
			return resolved, nil
		}
	}
	if failed != nil && uses.Supports(found.Language) {
		resolved, err := c.resolvedCallers(ctx, c.finder(), found)
		if err == nil || ctx.Err() != nil {
			resolved.Notes = append(resolved.Notes, "not by the language server: "+firstLine(failed.Error()))
			return resolved, err
		}
	}
	if err := c.connect(ctx); err != nil {
		return CallersResult{}, err
	}
	guesses, err := c.guesses(ctx, found, &r.Notes)
	if err != nil {
		return CallersResult{}, err
	}
	if failed != nil {
		r.Notes = append(r.Notes, "none is resolved: "+firstLine(failed.Error()))
		exact = new(exactUses)
	}
	r.merge(guesses, exact)
	return r, nil
}

// merge adds exact callers, then guesses without an exact line.
func (r *CallersResult) merge(guesses []guess, exact *exactUses) {
	r.Callers = append(r.Callers, exact.callers...)
	listed, calls := 0, 0
	for _, g := range guesses {
		g.Lines = slices.DeleteFunc(g.Lines, func(line int32) bool { return exact.lines[g.FilePath][line] })
		if len(g.Lines) == 0 {
			continue
		}
		if slices.Contains(exact.languages, g.language) {
			if calls += len(g.Lines); listed == maxUnlisted {
				r.Omitted++
				continue
			}
			listed++
			g.Source, g.rank = sourceUnlisted, rankUnlisted
		}
		r.Callers = append(r.Callers, g.Caller)
	}
	if calls == 0 {
		return
	}
	note := number(calls) + " calls of the name are of something else, says the language server, or in code that is not built here"
	if r.Omitted > 0 {
		note += "; " + number(listed) + " of their " + number(listed+r.Omitted) + " callers are listed"
	}
	r.Notes = append(r.Notes, note)
}

// guesses returns the calls of a chunk's name in the graph, the likely ones first. It adds
// its limits to notes.
func (c *Chunks) guesses(ctx context.Context, found chunk, notes *[]string) ([]guess, error) {
	name := found.get().Name
	all, err := c.options.Graph.Declared(ctx, name, maxCalls+1)
	if err != nil {
		return nil, err
	}
	calls, err := c.options.Graph.Calls(ctx, name, maxCalls+1)
	if err != nil {
		return nil, err
	}
	all, calls = firstOf(all, "declarations of the name", notes), firstOf(calls, "calls of the name", notes)
	target := graph.Symbol{ID: found.id(), Name: name, Container: found.get().Container, File: found.Path, Language: found.Language}
	imports := make(map[string][]source.Import)
	var guesses []guess
	at := make(map[string]int)
	for _, call := range calls {
		key := call.Caller + "\x00" + call.File
		if i, ok := at[key]; ok {
			guesses[i].Lines = append(guesses[i].Lines, call.Line)
			continue
		}
		if _, ok := imports[call.File]; !ok {
			if imports[call.File], err = c.options.Graph.Imports(ctx, call.File); err != nil {
				return nil, err
			}
		}
		at[key] = len(guesses)
		rank := graph.Rank(call, imports[call.File], target, all)
		guesses = append(guesses, guess{Caller{ID: call.Caller, FilePath: call.File, Lines: []int32{call.Line}, Source: sourceName, rank: rank}, call.Language})
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return -cmp.Compare(a.rank, b.rank) })
	return guesses, nil
}

// page sorts callers and keeps the page at the cursor, at most limit callers in about room bytes.
func (r CallersResult) page(args CallersArgs, limit, room int) (CallersResult, error) {
	slices.SortStableFunc(r.Callers, func(a, b Caller) int {
		return cmp.Or(-cmp.Compare(a.rank, b.rank), strings.Compare(a.FilePath, b.FilePath), cmp.Compare(a.Lines[0], b.Lines[0]))
	})
	r.TotalCount = len(r.Callers)
	for i := range r.Callers {
		switch r.Callers[i].Source {
		case sourceServer, sourceResolved:
			r.Resolved++
		case sourcePossible:
			r.possible++
		}
	}
	list := cursor.NewListID("callers", args.ChunkID, strconv.Itoa(r.TotalCount))
	var err error
	if r.skipped, err = offset(list, args.Cursor); err != nil {
		return CallersResult{}, err
	}
	r.Callers = r.Callers[min(r.skipped, r.TotalCount):]
	for i := range r.Callers {
		if room -= 110 + len(r.Callers[i].ID) + len(r.Callers[i].FilePath) + 8*len(r.Callers[i].Lines); i == limit || room < 0 && i > 0 {
			r.Callers = r.Callers[:i]
			break
		}
	}
	r.NextCursor = nextCursor(list, r.skipped+len(r.Callers), r.TotalCount)
	r.Truncated = r.NextCursor != ""
	return r, nil
}

// firstLine formats an error as a note: its first line, at most 300 bytes.
func firstLine(message string) string {
	const most = 300
	message, _, _ = strings.Cut(message, "\n")
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	return message
}

// TextContent returns the numbers of resolved and unresolved callers, the notes, and a line for each caller.
func (r CallersResult) TextContent() string {
	var b strings.Builder
	names := r.TotalCount - r.Resolved + r.Omitted
	switch {
	case r.impact:
		b.WriteString("[a change can break " + plural.Count(r.TotalCount, "chunk") + ", " + number(r.tests) + " of them in tests")
	case r.resolved:
		b.WriteString("[" + plural.Count(r.Resolved, "caller"))
		if r.possible > 0 {
			b.WriteString("; " + number(r.possible) + " may call it through an interface, a base type or a variable")
		}
		if unknown := names - r.possible; unknown > 0 {
			b.WriteString("; " + number(unknown) + " of the same name with an unknown target")
		}
	case !r.exact:
		b.WriteString("[" + plural.Count(names, "caller") + " of the same name, not resolved: another function of the name may be meant")
	case names > 0:
		b.WriteString("[" + plural.Count(r.Resolved, "caller") + " by the language server, and " + number(names) + " of the same name, not resolved")
	default:
		b.WriteString("[" + plural.Count(r.Resolved, "caller") + " by the language server")
	}
	if shown := pageNote(r.skipped, len(r.Callers), r.TotalCount, r.NextCursor); shown != "" {
		b.WriteString("; " + shown)
	}
	b.WriteString("]\n")
	for _, note := range r.Notes {
		b.WriteString("[" + note + "]\n")
	}
	for _, caller := range r.Callers {
		named := caller.ID
		if named == "" {
			named = caller.FilePath
		}
		b.WriteString(named + " lines " + join(caller.Lines))
		if r.exact && caller.Source != sourceServer || r.resolved && caller.Source != sourceResolved {
			b.WriteString(" (" + caller.Source + ")")
		}
		if caller.Steps > 1 {
			b.WriteString(" in " + number(caller.Steps) + " steps")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
