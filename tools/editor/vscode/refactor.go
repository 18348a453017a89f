package vscode

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// maxRefactorings is the limit of returned refactorings.
const maxRefactorings = 50

// Refactorings returns the refactorings that change text or files, with their edits. Refactorings that run a command of an extension are
// left out; the error then wraps adapter.ErrUnsupported beside the result.
func (v *VSCode) Refactorings(ctx context.Context, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	r, err := toSpan(part)
	if err != nil {
		return nil, fmt.Errorf("requesting refactorings of %s from VS Code: %w", doc.Path, err)
	}
	if len(kinds) == 0 {
		kinds = []string{"refactor", "source"}
	}
	var answer struct {
		Refactorings []struct {
			Title     string     `json:"title"`
			Kind      string     `json:"kind"`
			Preferred bool       `json:"preferred"`
			Disabled  string     `json:"disabled"`
			Edits     []fileEdit `json:"edits"`
		} `json:"refactorings"`
		Left []string `json:"left"`
	}
	params := struct {
		known
		Range span     `json:"range"`
		Kinds []string `json:"kinds"`
	}{knownAs(doc), r, kinds}
	if err := v.about(ctx, doc, "refactorings", params, &answer); err != nil {
		return nil, err
	}
	all := []adapter.Refactoring{}
	for _, f := range answer.Refactorings {
		if len(all) == maxRefactorings || f.Title == "" || !lsp.Rewrites(f.Kind) || !lsp.OfKind(f.Kind, kinds) {
			continue
		}
		edits, err := fromFileEdits(f.Edits)
		if err != nil {
			return nil, fmt.Errorf("requesting refactorings of %s from VS Code: %w", doc.Path, err)
		}
		all = append(all, adapter.Refactoring{Title: truncate.Line(f.Title, maxName), Kind: truncate.Line(f.Kind, maxName), Preferred: f.Preferred, Disabled: truncate.Line(f.Disabled, maxName), Ref: edits})
	}
	if len(answer.Left) > 0 {
		return all, fmt.Errorf("%w: refactorings of VS Code run commands of extensions and must be chosen there, for example %q", adapter.ErrUnsupported, truncate.Line(answer.Left[0], maxName))
	}
	return all, nil
}

// Refactor returns the edits of a refactoring from Refactorings. They are for the text that the document had then.
func (v *VSCode) Refactor(_ context.Context, r adapter.Refactoring) ([]adapter.FileEdit, error) {
	edits, ok := r.Ref.([]adapter.FileEdit)
	if !ok || r.Disabled != "" {
		return nil, fmt.Errorf("applying %q in VS Code: %w", truncate.Line(r.Title, maxName), adapter.ErrUnsupported)
	}
	return edits, nil
}
