package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/index"
)

const (
	promptTimeout = 30 * time.Second
	maxOutline    = 24 << 10 // bytes
	maxModule     = 200      // files
)

// ExplainArgs are the arguments of the prompt explain_module.
type ExplainArgs struct {
	// Path is a directory or file of the project.
	Path string `json:"path" jsonschema:"minLength=1,description=A directory or file of the project"`
}

// ReviewArgs are the arguments of the prompt review_change.
type ReviewArgs struct {
	// Base is a branch, tag or commit to compare with. Empty means HEAD.
	Base string `json:"base,omitempty" jsonschema:"description=Branch or commit to compare with; default: the last commit"`
}

// prompts returns the prompts of the set.
func (s *Search) prompts() []mcp.ServerPrompt {
	return []mcp.ServerPrompt{
		mcp.NewPrompt(mcp.Prompt{Name: "explain_module", Title: "Explain a module", Description: "Explains a directory or file from its outline."}, s.explain).
			With(mcp.PromptOptions{Timeout: promptTimeout}).Complete("path", s.completePath),
		mcp.NewPrompt(mcp.Prompt{Name: "review_change", Title: "Review a change", Description: "Reviews the changes since a commit, and compares them with similar code of the project."}, s.review).
			With(mcp.PromptOptions{Timeout: promptTimeout}),
	}
}

// explain implements the prompt explain_module.
func (s *Search) explain(ctx context.Context, in ExplainArgs) (*mcp.PromptResult, error) {
	name := s.indexPath(in.Path)
	info, err := s.root.Stat(ctx, name)
	if err != nil {
		return nil, protocolError(err)
	}
	outline, err := s.outline(ctx, info)
	if err != nil {
		return nil, protocolError(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Explain the module %s of this project: its purpose, its main types and functions and how they work together, its dependencies and its users.\n", info.Path)
	b.WriteString("Read its code with searchDocuments, restricted to it by the filter path. Name files and lines for each statement. Answer in the language of the user.\n\n")
	b.WriteString("Its outline:\n" + outline)
	return &mcp.PromptResult{Description: "Explain " + info.Path, Messages: []mcp.PromptMessage{mcp.UserText(b.String())}}, nil
}

// outline lists the indexed declarations of a file or directory, up to maxModule files and maxOutline bytes.
func (s *Search) outline(ctx context.Context, info security.FileInfo) (string, error) {
	var b strings.Builder
	files := 0
	for _, d := range s.documents {
		idx := d.Index()
		for known, err := range idx.Files(ctx) {
			if err != nil {
				return "", err
			}
			if known.Path != info.Path && info.Path != "." && !strings.HasPrefix(known.Path, info.Path+"/") {
				continue
			}
			if files++; files > maxModule || b.Len() > maxOutline {
				b.WriteString("… and more files\n")
				return b.String(), nil
			}
			pieces, err := idx.Pieces(ctx, known.Path)
			if err != nil {
				return "", err
			}
			writeOutline(&b, known.Path, pieces)
		}
	}
	if files == 0 {
		return "(no file of it is indexed yet; read it with other tools)\n", nil
	}
	return b.String(), nil
}

// writeOutline writes the path of a file and one line for each piece.
func writeOutline(b *strings.Builder, path string, pieces []index.Piece) {
	b.WriteString(path + "\n")
	for _, p := range pieces {
		if p.Kind == "file" {
			continue
		}
		if b.Len() > maxOutline {
			b.WriteString("  …\n")
			return
		}
		line := p.Signature
		if line == "" || p.Kind == "section" {
			line = fullName(p)
		}
		fmt.Fprintf(b, "  %d-%d %s %s\n", p.StartLine, p.EndLine, p.Kind, truncate.Line(line, 200))
	}
}

const maxDiff = 48 << 10 // bytes

// review implements the prompt review_change.
func (s *Search) review(ctx context.Context, in ReviewArgs) (*mcp.PromptResult, error) {
	r, err := s.repository(ctx)
	if err != nil {
		return nil, protocolError(invalid("", "%v", err))
	}
	base := in.Base
	if base == "" {
		base = "HEAD"
	}
	commit, err := r.Resolve(ctx, base)
	if err != nil {
		return nil, protocolError(invalid("Give a branch, a tag or a commit.", "%v", err))
	}
	changes, err := r.Changed(ctx, commit)
	if err != nil {
		return nil, protocolError(err)
	}
	var paths, lines []string
	for _, c := range changes {
		if !s.hidden(ctx, c.Path) {
			paths, lines = append(paths, c.Path), append(lines, c.Kind+" "+c.Path)
		}
	}
	if _, entries, err := r.Overview(ctx, true); err == nil {
		for _, e := range entries {
			if path, ok := strings.CutPrefix(e.Path, r.Prefix()); ok && e.Untracked() && !s.hidden(ctx, path) {
				lines = append(lines, "untracked "+path)
			}
		}
	}
	if len(lines) == 0 {
		return nil, protocolError(invalid("", "nothing differs from %s", quote(base)))
	}
	diff, err := r.Diff(ctx, commit, paths[:min(len(paths), maxModule)]...)
	if err != nil && diff == "" {
		return nil, protocolError(err)
	}
	return &mcp.PromptResult{Description: "Review of the changes since " + base, Messages: []mcp.PromptMessage{mcp.UserText(reviewText(base, lines, diff))}}, nil
}

// reviewText returns the instructions of the review with the list of files and the diff, cut to maxModule files and maxDiff
// bytes.
func reviewText(base string, files []string, diff string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Review this change, the difference from %s. Look for mistakes first, then for missing parts (tests, documents, callers that must change), then for possible simplifications.\n", base)
	b.WriteString("Use searchDocuments to find the users of changed code, and findSimilarCode to find existing code that the change duplicates. Name files and lines. Answer in the language of the user.\n\n")
	shown := slices.Clone(files[:min(len(files), maxModule)])
	b.WriteString("Files:\n" + strings.Join(shown, "\n") + "\n")
	if len(shown) < len(files) {
		fmt.Fprintf(&b, "… and %d more\n", len(files)-len(shown))
	}
	b.WriteString("\n```diff\n" + strings.ToValidUTF8(diff[:min(len(diff), maxDiff)], "\ufffd"))
	if len(diff) > maxDiff {
		b.WriteString("\n… (the change is longer; read the rest in the files)")
	}
	b.WriteString("\n```\n")
	return b.String()
}
