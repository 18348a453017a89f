package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// Limits of results. More are dropped.
const (
	maxLocations   = 10_000
	maxSymbols     = 10_000
	maxSymbolDepth = 64 // levels of nested symbols
)

// positionParams returns the LSP parameters of a position.
func positionParams(doc adapter.Document, p adapter.Position) lsp.PositionParams {
	return lsp.PositionParams{TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}, Position: protocolPosition(p)}
}

// checkPosition returns an error if the document does not have the position.
func checkPosition(doc adapter.Document, p adapter.Position) error {
	if _, err := adapter.NewText(doc.Text).Offset(p); err != nil {
		return &mcp.ToolError{Code: string(security.InvalidParams), Message: fmt.Sprintf("%s: %v", quote(doc.Path), err), Next: "Give a line and column that the file has, from 1."}
	}
	return nil
}

// Definition implements adapter.Navigator.
func (h *Headless) Definition(ctx context.Context, doc adapter.Document, p adapter.Position) ([]adapter.Location, error) {
	return h.locate(ctx, doc, p, "textDocument/definition", "looking for a definition", positionParams(doc, p))
}

// References implements adapter.Navigator.
func (h *Headless) References(ctx context.Context, doc adapter.Document, p adapter.Position) ([]adapter.Location, error) {
	return h.locate(ctx, doc, p, "textDocument/references", "looking for references",
		lsp.ReferenceParams{PositionParams: positionParams(doc, p), Context: lsp.ReferenceContext{IncludeDeclaration: true}})
}

// locate requests locations of a position. It repeats the request after indexing if a server finds nothing before.
func (h *Headless) locate(ctx context.Context, doc adapter.Document, p adapter.Position, method, doing string, params any) (locations []adapter.Location, err error) {
	if err := checkPosition(doc, p); err != nil {
		return nil, err
	}
	err = h.ask(ctx, doc, method, doing, func(ctx context.Context, i *instance, session *lsp.Session) error {
		if method != "textDocument/definition" {
			if err := i.awaitIndex(ctx, session); err != nil {
				return err
			}
		}
		var found lsp.Locations
		if err := session.Call(ctx, method, params, &found); err != nil {
			return err
		}
		if len(found) == 0 && i.server.Dialect == Plain { // the index may be incomplete
			if err := i.awaitIndex(ctx, session); err != nil {
				return err
			}
			if err := session.Call(ctx, method, params, &found); err != nil {
				return err
			}
		}
		locations = make([]adapter.Location, 0, min(len(found), maxLocations))
		for _, l := range found {
			path, err := lsp.Path(l.URI)
			location := adapter.Location{Path: path, Range: rangeOf(l.Range)}
			if err != nil || len(locations) == maxLocations || slices.Contains(locations, location) && len(found) < 100 {
				continue
			}
			locations = append(locations, location)
		}
		return nil
	})
	return locations, err
}

// Rename implements adapter.Navigator.
func (h *Headless) Rename(ctx context.Context, doc adapter.Document, p adapter.Position, name string) (edits []adapter.FileEdit, err error) {
	if err := checkPosition(doc, p); err != nil {
		return nil, err
	}
	err = h.ask(ctx, doc, "textDocument/rename", "renaming", func(ctx context.Context, i *instance, session *lsp.Session) error {
		if err := i.awaitIndex(ctx, session); err != nil {
			return err
		}
		if err := prepareRename(ctx, session, positionParams(doc, p)); err != nil {
			return err
		}
		var answer json.RawMessage
		if err := session.Call(ctx, "textDocument/rename", lsp.RenameParams{PositionParams: positionParams(doc, p), NewName: name}, &answer); err != nil {
			return cannotRename(err)
		}
		edits, err = i.fileEdits(ctx, session, answer, doc)
		return err
	})
	return edits, err
}

// prepareRename checks with the server that there is a symbol to rename, if the server supports it.
func prepareRename(ctx context.Context, session *lsp.Session, where lsp.PositionParams) error {
	options, _ := session.Offers("textDocument/rename")
	var o struct {
		PrepareProvider bool `json:"prepareProvider"`
	}
	if json.Unmarshal(options, &o) != nil || !o.PrepareProvider {
		return nil
	}
	var answer json.RawMessage
	if err := session.Call(ctx, "textDocument/prepareRename", where, &answer); err != nil {
		return cannotRename(err)
	}
	if len(answer) == 0 || string(answer) == "null" {
		return cannotRename(errors.New("there is no symbol at this position"))
	}
	return nil
}

// cannotRename converts a refusal of the server into an InvalidParams error. Failures of the server and cancellations are returned
// unchanged.
func cannotRename(err error) error {
	if _, failed := errors.AsType[*lsp.Error](err); failed || lsp.IsRetryable(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &mcp.ToolError{Code: string(security.InvalidParams), Message: "the server refuses the rename: " + bound(err.Error()), Next: "Give the position of a name that is declared in the project, and another new name.", Err: err}
}

// Symbols implements adapter.Navigator.
func (h *Headless) Symbols(ctx context.Context, doc adapter.Document) (symbols []adapter.Symbol, err error) {
	err = h.ask(ctx, doc, "textDocument/documentSymbol", "listing symbols", func(ctx context.Context, _ *instance, session *lsp.Session) error {
		var found []lsp.Symbol
		if err := session.Call(ctx, "textDocument/documentSymbol", lsp.DocumentParams{TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}}, &found); err != nil {
			return err
		}
		symbols = flatten(nil, found, doc.Path, "", 0)
		return nil
	})
	return symbols, err
}

// flatten appends symbols to all, each container before its members.
func flatten(all []adapter.Symbol, found []lsp.Symbol, path, container string, depth int) []adapter.Symbol {
	for _, s := range found {
		if len(all) >= maxSymbols || depth > maxSymbolDepth {
			break
		}
		one := adapter.Symbol{Name: bound(s.Name), Kind: lsp.SymbolKind(s.Kind), Container: container, Location: adapter.Location{Path: path, Range: rangeOf(s.Range)}, Selection: rangeOf(s.SelectionRange)}
		if s.Location != nil {
			one.Location.Range = rangeOf(s.Location.Range)
			one.Selection = one.Location.Range
			one.Container = bound(s.ContainerName)
		}
		all = append(all, one)
		inner := one.Name
		if container != "" {
			inner = container + "." + inner
		}
		all = flatten(all, s.Children, path, inner, depth+1)
	}
	return all
}

// stragglerTimeout is the time that the other servers may take after the first one has responded.
const stragglerTimeout = 5 * time.Second

// FindSymbols implements adapter.Navigator. It sends the query to the servers of all languages of the project.
func (h *Headless) FindSymbols(ctx context.Context, query string) ([]adapter.Symbol, error) {
	ctx, cancel := context.WithTimeout(ctx, h.o.RequestTimeout)
	defer cancel()
	var mu sync.Mutex
	var all []adapter.Symbol
	var problems []error
	var hurry *time.Timer // cancels the other servers after the first response
	defer func() {
		if hurry != nil {
			hurry.Stop()
		}
	}()
	asked := 0
	var work group.Group
	work.OnPanic = h.work.OnPanic
	for _, s := range h.o.Servers {
		if _, err := h.command(s, h.dirs[0]); err != nil {
			continue
		}
		folders, _, err := h.filesOf(ctx, s)
		if err != nil {
			return nil, h.explain(ctx, "looking for symbols", err)
		}
		for folder, paths := range folders {
			i, err := h.instance(s, folder)
			if err != nil {
				continue
			}
			asked++
			work.Go(func() {
				found, err := i.findSymbols(ctx, query, paths[0])
				mu.Lock()
				defer mu.Unlock()
				if all = append(all, found...); err != nil {
					problems = append(problems, err)
				} else if hurry == nil {
					hurry = group.AfterFunc(stragglerTimeout, cancel)
				}
			})
		}
	}
	work.Wait()
	if asked == 0 {
		return nil, unsupported("Search the text of the files instead.", "no language server is available for the files of the project")
	}
	if len(problems) == asked {
		return nil, errors.Join(problems...)
	}
	return all[:min(len(all), maxSymbols)], nil
}

// findSymbols sends the query to one server. file is a file of the server's languages: some servers find nothing before a file is
// open.
func (i *instance) findSymbols(ctx context.Context, query, file string) (symbols []adapter.Symbol, err error) {
	doc, _, err := i.h.read(ctx, file)
	if err != nil {
		return nil, err
	}
	known, err := i.ask(ctx, doc, "workspace/symbol", func(ctx context.Context, i *instance, session *lsp.Session) error {
		if err := i.awaitIndex(ctx, session); err != nil {
			return err
		}
		var found []lsp.Symbol
		if err := session.Call(ctx, "workspace/symbol", lsp.SymbolParams{Query: query}, &found); err != nil {
			return err
		}
		for _, s := range found {
			if s.Location == nil {
				continue
			}
			if path, err := lsp.Path(s.Location.URI); err == nil {
				symbols = flatten(symbols, []lsp.Symbol{s}, path, "", 0)
			}
		}
		return nil
	})
	if !known && err == nil {
		err = unsupported("Search the text of the files instead.", "%s does not support symbol search", i.server.Name)
	}
	return symbols, i.h.explain(ctx, "looking for symbols", err)
}
