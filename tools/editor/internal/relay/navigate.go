package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

const maxSymbolDepth = 64

// Format returns the edits of the buffer's first language server with a formatter.
func (r *Relay) Format(ctx context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	method := "textDocument/formatting"
	if part != nil {
		method = "textDocument/rangeFormatting"
	}
	s, err := Find(ctx, r, doc, method)
	if err != nil {
		return nil, err
	}
	var out []adapter.TextEdit
	err = s.Each(func(server Server) (bool, error) {
		params := lsp.FormattingParams{
			TextDocument: lsp.Document{URI: lsp.URI(doc.Path)},
			Options:      lsp.FormattingOptions{TabSize: min(max(s.found.Tab, 1), 64), InsertSpaces: s.found.Spaces},
		}
		if part != nil {
			r := EncodedRange(s.Text, *part, server.Encoding)
			params.Range = &r
		}
		var edits []lsp.TextEdit
		if err := s.Ask(ctx, server, method, params, &edits); err != nil {
			return false, err
		}
		out, err = s.Texts(server).textEdits(ctx, doc.Path, edits)
		return err == nil, err
	})
	return out, err
}

// at is a position in the document as a language server counts.
func (s *Subject) at(server Server, p adapter.Position) lsp.PositionParams {
	return lsp.PositionParams{TextDocument: lsp.Document{URI: lsp.URI(s.Doc.Path)}, Position: Encoded(s.Text, p, server.Encoding)}
}

// Definition answers where that is declared which stands at a position.
func (r *Relay) Definition(ctx context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	return r.locations(ctx, doc, at, "textDocument/definition", func(p lsp.PositionParams) any { return p })
}

// References answers where it is used, the declaration included.
func (r *Relay) References(ctx context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	return r.locations(ctx, doc, at, "textDocument/references", func(p lsp.PositionParams) any {
		return lsp.ReferenceParams{PositionParams: p, Context: lsp.ReferenceContext{IncludeDeclaration: true}}
	})
}

// locations asks all language servers of a buffer.
func (r *Relay) locations(ctx context.Context, doc adapter.Document, at adapter.Position, method string, params func(lsp.PositionParams) any) ([]adapter.Location, error) {
	s, err := Find(ctx, r, doc, method)
	if err != nil {
		return nil, err
	}
	out := []adapter.Location{}
	seen := map[adapter.Location]bool{}
	err = s.Each(func(server Server) (bool, error) {
		var found lsp.Locations
		if err := s.Ask(ctx, server, method, params(s.at(server, at)), &found); err != nil {
			return false, err
		}
		t := s.Texts(server)
		for _, l := range found {
			path, err := lsp.Path(l.URI)
			if err != nil { // a text without a file, for example a part of a library
				continue
			}
			one := adapter.Location{Path: path, Range: t.rangeOf(ctx, path, l.Range)}
			if !seen[one] && len(out) < maxItems {
				seen[one] = true
				out = append(out, one)
			}
		}
		return false, nil
	})
	return out, err
}

// Rename returns the edits of the first language server that supports the rename.
func (r *Relay) Rename(ctx context.Context, doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
	const method = "textDocument/rename"
	s, err := Find(ctx, r, doc, method)
	if err != nil {
		return nil, err
	}
	var out []adapter.FileEdit
	err = s.Each(func(server Server) (bool, error) {
		var answer json.RawMessage
		if err := s.Ask(ctx, server, method, lsp.RenameParams{PositionParams: s.at(server, at), NewName: name}, &answer); err != nil {
			return false, err
		}
		if string(answer) == "null" {
			return false, errors.New("there is nothing at the position that can be renamed")
		}
		out, err = s.Texts(server).FileEdits(ctx, answer)
		return err == nil, err
	})
	return out, err
}

// Symbols returns the declarations of a document.
func (r *Relay) Symbols(ctx context.Context, doc adapter.Document) ([]adapter.Symbol, error) {
	const method = "textDocument/documentSymbol"
	s, err := Find(ctx, r, doc, method)
	if err != nil {
		return nil, err
	}
	out := []adapter.Symbol{}
	err = s.Each(func(server Server) (bool, error) {
		var found []lsp.Symbol
		if err := s.Ask(ctx, server, method, lsp.DocumentParams{TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}}, &found); err != nil {
			return false, err
		}
		out = s.Texts(server).symbols(ctx, out, found, doc.Path, "", 0)
		return len(out) > 0, nil
	})
	return out, err
}

// symbols appends symbols; containers come before their members. path is empty if the symbols have locations of their own.
func (t *Texts) symbols(ctx context.Context, all []adapter.Symbol, found []lsp.Symbol, path, container string, depth int) []adapter.Symbol {
	for _, s := range found {
		if len(all) >= maxItems || depth > maxSymbolDepth {
			break
		}
		where, whole, selection := path, s.Range, s.SelectionRange
		one := adapter.Symbol{Name: truncate.Line(s.Name, maxName), Kind: lsp.SymbolKind(s.Kind), Container: container}
		if s.Location != nil {
			whole, selection = s.Location.Range, s.Location.Range
			one.Container = truncate.Line(s.ContainerName, maxName)
			if path == "" {
				var err error
				if where, err = lsp.Path(s.Location.URI); err != nil {
					continue
				}
			}
		} else if path == "" {
			continue
		}
		one.Location = adapter.Location{Path: where, Range: t.rangeOf(ctx, where, whole)}
		one.Selection = t.rangeOf(ctx, where, selection)
		all = append(all, one)
		inner := one.Name
		if container != "" {
			inner = truncate.Cut(container+"."+inner, 5*maxName)
		}
		all = t.symbols(ctx, all, s.Children, path, inner, depth+1)
	}
	return all
}

// FindSymbols answers declarations whose names are like query, of all language servers of every Neovim.
func (r *Relay) FindSymbols(ctx context.Context, query string) ([]adapter.Symbol, error) {
	const method = "workspace/symbol"
	out := []adapter.Symbol{}
	asked := 0
	var failures []error
	editors := r.all()
	for _, e := range editors {
		servers, err := e.Servers(ctx, method)
		if err != nil {
			asked++
			failures = append(failures, err)
			continue
		}
		for _, server := range servers[:min(len(servers), maxServers)] {
			asked++
			var found []lsp.Symbol
			if err := e.Request(ctx, server, nil, method, lsp.SymbolParams{Query: query}, &found); err != nil {
				failures = append(failures, err)
				continue
			}
			out = NewTexts(e, server.Encoding).symbols(ctx, out, slices.DeleteFunc(found, func(s lsp.Symbol) bool { return s.Location == nil }), "", "", 0)
		}
	}
	doing := "looking for symbols in " + r.name
	switch {
	case asked == 0 && len(editors) == 0:
		return nil, fmt.Errorf("%s: %w", doing, adapter.ErrNotRunning)
	case asked == 0:
		return nil, fmt.Errorf("%s: no language server there knows how: %w", doing, adapter.ErrUnsupported)
	case len(failures) == asked:
		return nil, fmt.Errorf("%s: %w", doing, errors.Join(failures...))
	}
	return out, nil
}
