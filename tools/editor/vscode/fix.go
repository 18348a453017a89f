package vscode

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// maxFixes is the limit of returned fixes.
const maxFixes = 50

// Fixes returns the quick fixes that change text or files, with their edits. Fixes that run a command of an extension are left
// out. A document without a tab gets one temporarily if VS Code needs it to find the diagnostic.
func (v *VSCode) Fixes(ctx context.Context, doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
	fail := func(err error) ([]adapter.Fix, error) {
		return nil, fmt.Errorf("requesting fixes in %s from VS Code: %w", doc.Path, err)
	}
	w, err := v.window(ctx, doc.Path)
	if err != nil {
		return fail(err)
	}
	r, err := toSpan(d.Range)
	if err != nil {
		return fail(err)
	}
	var answer struct {
		Fixes []struct {
			Title     string     `json:"title"`
			Kind      string     `json:"kind"`
			Preferred bool       `json:"preferred"`
			Edits     []fileEdit `json:"edits"`
		} `json:"fixes"`
		Left []string `json:"left"`
	}
	err = w.call(ctx, "fixes", struct {
		known
		Diagnostic diagnostic `json:"diagnostic"`
	}{knownAs(doc), diagnostic{Range: r, Severity: string(d.Severity), Message: d.Message, Code: d.Code, Source: d.Source}}, &answer)
	if err != nil {
		return fail(err)
	}
	if len(answer.Fixes) == 0 && len(answer.Left) > 0 {
		return fail(fmt.Errorf("%w: its fixes run commands of extensions and must be chosen in VS Code, for example %q", adapter.ErrUnsupported, truncate.Line(answer.Left[0], maxName)))
	}
	all := make([]adapter.Fix, 0, min(len(answer.Fixes), maxFixes))
	for _, f := range answer.Fixes[:min(len(answer.Fixes), maxFixes)] {
		edits, err := fromFileEdits(f.Edits)
		if err != nil {
			return fail(err)
		}
		all = append(all, adapter.Fix{Title: truncate.Line(f.Title, maxName), Kind: truncate.Line(f.Kind, maxName), Preferred: f.Preferred, Edits: edits})
	}
	return all, nil
}

// Resolve returns the edits of a fix from Fixes. A fix without edits gives adapter.ErrUnsupported.
func (v *VSCode) Resolve(_ context.Context, f adapter.Fix) ([]adapter.FileEdit, error) {
	if f.Edits == nil {
		return nil, fmt.Errorf("resolving the fix %q in VS Code: %w", truncate.Line(f.Title, maxName), adapter.ErrUnsupported)
	}
	return f.Edits, nil
}
