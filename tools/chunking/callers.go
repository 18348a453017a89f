package chunking

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// CallersResult is what find_callers answers.
type CallersResult struct {
	// Callers are those that are most certain first, then by path.
	Callers []Caller `json:"callers"`
	// TotalCount is how many there are.
	TotalCount int  `json:"totalCount"`
	Truncated  bool `json:"truncated,omitempty"`
	// Notes say what the answer lacks, and what it has left out.
	Notes []string `json:"notes,omitempty"`

	exact bool // a language server has answered
}

// Caller is a chunk, or a file, that calls something.
type Caller struct {
	// ID is that of the chunk; empty for a call outside of all functions.
	ID       string `json:"id,omitempty"`
	FilePath string `json:"filePath"`
	// Lines are those of the calls; a language server counts other uses as well.
	Lines []int32 `json:"lines"`
	// Confidence is from 0 to 1. It is 1 where a language server says so.
	Confidence float64 `json:"confidence"`
	// Source is "language server", or "name" for what is known by its name alone.
	Source string `json:"source"`
}

const (
	sourceServer = "language server"
	sourceName   = "name"
	// denied is the confidence in a call which a language server does not list that
	// knows the language: it is one of something else, unless it is in code that is not
	// built here.
	denied    = 0.05
	maxDenied = 10 // that are listed
)

// guess is a Caller by name.
type guess struct {
	Caller
	language parse.Language
}

// FindCallers is find_callers.
func (c *Chunks) FindCallers(ctx context.Context, args RelationsArgs) (CallersResult, error) {
	if c.options.References == nil {
		found, limit, err := c.related(ctx, args)
		if err != nil {
			return CallersResult{}, err
		}
		guesses, err := c.guesses(ctx, found)
		if err != nil {
			return CallersResult{}, err
		}
		r := CallersResult{Callers: []Caller{}}
		for _, g := range guesses {
			r.Callers = append(r.Callers, g.Caller)
		}
		return r.fit(limit, c.limits.Answer), nil
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
	return r.fit(limit, c.limits.Answer), nil
}

// bothCallers asks References, and the Graph if there is one.
func (c *Chunks) bothCallers(ctx context.Context, found chunk) (CallersResult, error) {
	exact, failed := c.uses(ctx, found)
	if ctx.Err() != nil {
		return CallersResult{}, context.Cause(ctx)
	}
	r := CallersResult{Callers: []Caller{}, exact: failed == nil}
	if exact != nil && exact.unread > 0 {
		r.Notes = append(r.Notes, number(exact.unread)+" files that the language server names could not be read")
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
	if err := c.connect(ctx); err != nil {
		return CallersResult{}, err
	}
	guesses, err := c.guesses(ctx, found)
	if err != nil {
		return CallersResult{}, err
	}
	if failed != nil {
		r.Notes = append(r.Notes, "by name alone: "+firstLine(failed.Error()))
		exact = new(exactUses)
	}
	r.merge(guesses, exact)
	return r, nil
}

// merge puts together what is exact and what was guessed.
func (r *CallersResult) merge(guesses []guess, exact *exactUses) {
	r.Callers = append(r.Callers, exact.callers...)
	listed, all := 0, 0
	for _, g := range guesses {
		g.Lines = slices.DeleteFunc(g.Lines, func(line int32) bool { return exact.lines[g.FilePath][line] })
		if len(g.Lines) == 0 {
			continue
		}
		if slices.Contains(exact.languages, g.language) {
			if all += len(g.Lines); listed == maxDenied {
				continue
			}
			listed++
			g.Confidence = min(g.Confidence, denied)
		}
		r.Callers = append(r.Callers, g.Caller)
	}
	if all > 0 {
		r.Notes = append(r.Notes, number(all)+" calls of the name are of something else, says the language server, or in code that is not built here; at most "+
			number(maxDenied)+" callers of that sort are listed, with "+percent(denied))
	}
}

// guesses are what calls a chunk by what the graph knows.
func (c *Chunks) guesses(ctx context.Context, found chunk) ([]guess, error) {
	name := found.get().Name
	all, err := c.options.Graph.Declared(ctx, name, maxCalls)
	if err != nil {
		return nil, err
	}
	calls, err := c.options.Graph.Calls(ctx, name, maxCalls)
	if err != nil {
		return nil, err
	}
	target := graph.Symbol{ID: found.id(), Name: name, Container: found.get().Container, File: found.Path, Language: found.Language}
	imports := make(map[string][]parse.Import)
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
		sure := rounded(graph.Confidence(call, imports[call.File], target, all))
		guesses = append(guesses, guess{Caller{ID: call.Caller, FilePath: call.File, Lines: []int32{call.Line}, Confidence: sure, Source: sourceName}, call.Language})
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return -cmp.Compare(a.Confidence, b.Confidence) })
	return guesses, nil
}

// fit brings callers into order and leaves as many as are asked for and have room.
func (r CallersResult) fit(limit, room int) CallersResult {
	slices.SortStableFunc(r.Callers, func(a, b Caller) int {
		return cmp.Or(-cmp.Compare(a.Confidence, b.Confidence), strings.Compare(a.FilePath, b.FilePath), cmp.Compare(a.Lines[0], b.Lines[0]))
	})
	r.TotalCount = len(r.Callers)
	for i := range r.Callers {
		if room -= 110 + len(r.Callers[i].ID) + len(r.Callers[i].FilePath) + 8*len(r.Callers[i].Lines); i == limit || room < 0 && i > 0 {
			r.Callers = r.Callers[:i]
			break
		}
	}
	r.Truncated = len(r.Callers) < r.TotalCount
	return r
}

// firstLine is an error as a note.
func firstLine(message string) string {
	const most = 300
	message, _, _ = strings.Cut(message, "\n")
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	return message
}

// TextContent is a line for each caller.
func (r CallersResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + number(len(r.Callers)) + " of " + number(r.TotalCount) + " callers")
	if !r.exact {
		b.WriteString(", by name")
	}
	b.WriteString("]\n")
	for _, caller := range r.Callers {
		who := caller.ID
		if who == "" {
			who = caller.FilePath
		}
		b.WriteString(who + " lines " + join(caller.Lines) + " confidence " + percent(caller.Confidence) + "\n")
	}
	for _, note := range r.Notes {
		b.WriteString("[" + note + "]\n")
	}
	return b.String()
}
