package vscode

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// about calls a method of the window for a document.
func (v *VSCode) about(ctx context.Context, doc adapter.Document, method string, params, answer any) error {
	w, err := v.window(ctx, doc.Path)
	if err == nil {
		err = w.call(ctx, method, params, answer)
	}
	if err != nil {
		return fmt.Errorf("requesting %s of %s from VS Code: %w", method, doc.Path, err)
	}
	return nil
}

// Format returns the edits of VS Code's formatter for the language.
func (v *VSCode) Format(ctx context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	params := struct {
		known
		Range *span `json:"range,omitempty"`
	}{known: knownAs(doc)}
	if part != nil {
		r, err := toSpan(*part)
		if err != nil {
			return nil, err
		}
		params.Range = &r
	}
	var answer struct {
		Edits []textEdit `json:"edits"`
	}
	if err := v.about(ctx, doc, "format", params, &answer); err != nil {
		return nil, err
	}
	return fromEdits(answer.Edits)
}

// positionParams are the parameters of a request about a position in a document. Name is the new name of a rename.
type positionParams struct {
	known
	At   position `json:"at"`
	Name string   `json:"name,omitempty"`
}

// Definition returns the declarations of the symbol at a position. If there are none, the error wraps adapter.ErrUnsupported, because
// VS Code does not report whether an extension supports the language.
func (v *VSCode) Definition(ctx context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	return v.locations(ctx, "definition", doc, at)
}

// References returns the uses of the symbol at a position, and its declaration. If there are none, the error wraps
// adapter.ErrUnsupported, as with Definition.
func (v *VSCode) References(ctx context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	return v.locations(ctx, "references", doc, at)
}

func (v *VSCode) locations(ctx context.Context, method string, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	p, err := toPosition(at)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Locations []location `json:"locations"`
	}
	if err := v.about(ctx, doc, method, positionParams{known: knownAs(doc), At: p}, &answer); err != nil {
		return nil, err
	}
	return fromLocations(answer.Locations)
}

// Rename returns the edits that rename a symbol everywhere.
func (v *VSCode) Rename(ctx context.Context, doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
	p, err := toPosition(at)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Edits []fileEdit `json:"edits"`
	}
	if err := v.about(ctx, doc, "rename", positionParams{knownAs(doc), p, name}, &answer); err != nil {
		return nil, err
	}
	return fromFileEdits(answer.Edits)
}

// symbol is a declaration in the protocol of the extension. Selection is the range of its name.
type symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Container string `json:"container"`
	Path      string `json:"path"`
	Range     span   `json:"range"`
	Selection span   `json:"selection"`
}

type symbolAnswer struct {
	Symbols []symbol `json:"symbols"`
}

// Symbols returns the declarations of a document.
func (v *VSCode) Symbols(ctx context.Context, doc adapter.Document) ([]adapter.Symbol, error) {
	var answer symbolAnswer
	if err := v.about(ctx, doc, "symbols", knownAs(doc), &answer); err != nil {
		return nil, err
	}
	for i := range answer.Symbols {
		answer.Symbols[i].Path = doc.Path
	}
	return fromSymbols(answer.Symbols)
}

// FindSymbols returns the declarations with names similar to query, from all windows. If there are none, the error wraps
// adapter.ErrUnsupported.
func (v *VSCode) FindSymbols(ctx context.Context, query string) ([]adapter.Symbol, error) {
	questions, err := v.questions(ctx, nil)
	var all []symbol
	for _, q := range questions {
		var answer symbolAnswer
		if err = q.window.call(ctx, "workspaceSymbols", map[string]string{"query": query}, &answer); err != nil {
			break
		}
		all = append(all, answer.Symbols...)
	}
	if err == nil && len(all) == 0 { // the same as without an extension for the language
		err = fmt.Errorf("%w: its extensions found none", adapter.ErrUnsupported)
	}
	if err != nil {
		return nil, fmt.Errorf("requesting symbols similar to %q from VS Code: %w", truncate.Line(query, maxName), err)
	}
	return fromSymbols(all)
}

func fromSymbols(all []symbol) ([]adapter.Symbol, error) {
	out := make([]adapter.Symbol, 0, min(len(all), maxItems))
	for _, s := range all {
		if len(out) == maxItems {
			break
		}
		whole, err := fromLocation(location{s.Path, s.Range})
		if err != nil {
			return nil, err
		}
		selection, err := fromSpan(s.Selection)
		if err != nil {
			return nil, err
		}
		out = append(out, adapter.Symbol{
			Name: truncate.Line(s.Name, maxName), Kind: truncate.Line(s.Kind, maxName), Container: truncate.Line(s.Container, 5*maxName), Location: whole, Selection: selection,
		})
	}
	return out, nil
}
