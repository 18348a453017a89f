package chunking

import (
	"context"
	"crypto/sha256"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/source"
)

// RepoMapArgs are the arguments of get_repo_map.
type RepoMapArgs struct {
	// BudgetTokens limits the size of the map, in tokens. Default: 1,000.
	BudgetTokens int `json:"budgetTokens,omitempty" jsonschema:"minimum=50,maximum=100000,default=1000"`
	// FocusFiles are files or directories whose surroundings have priority.
	FocusFiles []string `json:"focusFiles,omitempty" jsonschema:"description=Files or directories of interest"`
	// FocusIdentifiers are names whose surroundings have priority.
	FocusIdentifiers []string `json:"focusIdentifiers,omitempty" jsonschema:"description=Names of interest"`
	// Query is a question or words; declarations with these words and what they use come first.
	Query string `json:"query,omitempty" jsonschema:"maxLength=1000,description=Question or words the map is about"`
}

// RepoMapResult is the result of the tool get_repo_map. Its text is Map.
type RepoMapResult struct {
	// Map has a line for each file, followed by a line for each declaration with its line
	// number.
	Map string `json:"map"`
	// Shown is the number of declarations in the map, Total the number of all declarations.
	Shown  int `json:"shown"`
	Total  int `json:"total"`
	Files  int `json:"files"`
	Tokens int `json:"tokens"` // estimated
	// Missing describes files that are not in the index: no parser reads them, or settings
	// exclude them. It also reports that the index was not compared with the files.
	Missing string `json:"missing,omitempty"`
}

const (
	defaultBudget = 1000
	maxBudget     = 100_000
	maxFocus      = 100
)

// RepoMap implements the tool get_repo_map. It uses the analyzed files.
func (c *Chunks) RepoMap(ctx context.Context, args RepoMapArgs) (RepoMapResult, error) {
	budget := args.BudgetTokens
	if budget == 0 {
		budget = defaultBudget
	}
	switch {
	case budget < 50 || budget > maxBudget:
		return RepoMapResult{}, invalid("Give budgetTokens of 50 to 100000.", "budgetTokens %d is out of bounds", budget)
	case len(args.FocusFiles) > maxFocus || len(args.FocusIdentifiers) > maxFocus:
		return RepoMapResult{}, invalid("Give at most 100 of each.", "there are too many focusFiles or focusIdentifiers")
	}
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return RepoMapResult{}, err
	}
	if snapshot.Len() == 0 {
		return RepoMapResult{}, problem(codeNotAnalyzed, "Call analyze_project first.", "%s", c.emptiness())
	}
	focus := repomap.Focus{
		Identifiers: args.FocusIdentifiers, Query: args.Query,
		Recent: recentFiles(snapshot.Files()), Entries: c.entryPaths(ctx, snapshot.Files()),
	}
	for _, file := range args.FocusFiles {
		info, err := c.root.Stat(ctx, file)
		if err != nil {
			return RepoMapResult{}, err
		}
		focus.Files = append(focus.Files, info.Path)
	}
	ranked, err := c.maps.Rank(ctx, snapshot.Files(), c.described, focus)
	if err != nil {
		return RepoMapResult{}, err
	}
	text, shown := repomap.Render(ranked.All(), budget)
	if snapshot.Len() > manyFiles {
		c.mapped.Do(debug.FreeOSMemory) // the first map reads all files
	}
	return RepoMapResult{Map: text, Shown: shown, Total: ranked.Len(), Files: snapshot.Len(), Tokens: repomap.Tokens(text), Missing: c.missing()}, nil
}

// errChanged reports that a file differs from the index.
var errChanged = errors.New("the file has changed")

// described reads the text of a file if its content equals the indexed content.
func (c *Chunks) described(ctx context.Context, f *index.File) ([]byte, error) {
	content, _, err := c.root.ReadFile(ctx, f.Path, source.MaxSource)
	if err == nil && sha256.Sum256(content) != f.Hash {
		err = errChanged
	}
	return index.Text(content), err
}

// TextContent returns the map.
func (r RepoMapResult) TextContent() string {
	var b strings.Builder
	b.WriteString(r.Map)
	b.WriteString("[" + number(r.Shown) + " of " + number(r.Total) + " declarations in " + plural.Count(r.Files, "file"))
	if r.Shown < r.Total {
		b.WriteString("; a larger budgetTokens shows more")
	}
	if r.Missing != "" {
		b.WriteString("; " + r.Missing)
	}
	b.WriteString("]\n")
	return b.String()
}
