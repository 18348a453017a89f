package headless

import (
	"context"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// maxHover limits the documentation of a name, in bytes.
const maxHover = 8 << 10

// maxCallRanges limits the calls of one function in another one.
const maxCallRanges = 1000

// Hover implements adapter.Hoverer.
func (h *Headless) Hover(ctx context.Context, doc adapter.Document, p adapter.Position) (text string, err error) {
	if err := checkPosition(doc, p); err != nil {
		return "", err
	}
	err = h.ask(ctx, doc, "textDocument/hover", "reading the documentation of a name", func(ctx context.Context, _ *instance, session *lsp.Session) error {
		var found lsp.Hover
		if err := session.Call(ctx, "textDocument/hover", positionParams(doc, p), &found); err != nil {
			return err
		}
		text = truncate.Cut(string(found.Contents), maxHover)
		return nil
	})
	return text, err
}

// hierarchyMethods are the LSP methods of a relation: the first one prepares an item, the second one returns its relatives.
func hierarchyMethods(r adapter.Relation) (prepare, relatives string, ok bool) {
	switch r {
	case adapter.Supertypes:
		return "textDocument/prepareTypeHierarchy", "typeHierarchy/supertypes", true
	case adapter.Subtypes:
		return "textDocument/prepareTypeHierarchy", "typeHierarchy/subtypes", true
	case adapter.Callers:
		return "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", true
	case adapter.Callees:
		return "textDocument/prepareCallHierarchy", "callHierarchy/outgoingCalls", true
	}
	return "", "", false
}

// Hierarchy implements adapter.HierarchyProvider.
func (h *Headless) Hierarchy(ctx context.Context, doc adapter.Document, p adapter.Position, r adapter.Relation) (related []adapter.Related, known bool, err error) {
	if err := checkPosition(doc, p); err != nil {
		return nil, false, err
	}
	prepare, relatives, ok := hierarchyMethods(r)
	if !ok {
		return nil, false, unsupported("Use another direction.", "the hierarchy %s is unknown", bound(string(r)))
	}
	err = h.ask(ctx, doc, prepare, "looking for "+string(r), func(ctx context.Context, i *instance, session *lsp.Session) error {
		related, known = nil, false
		if err := i.awaitIndex(ctx, session); err != nil {
			return err
		}
		var items []lsp.HierarchyItem
		if err := session.Call(ctx, prepare, positionParams(doc, p), &items); err != nil {
			return err
		}
		if len(items) == 0 {
			return nil
		}
		known = true
		params := lsp.HierarchyParams{Item: items[0]}
		if prepare == "textDocument/prepareTypeHierarchy" {
			var found []lsp.HierarchyItem
			if err := session.Call(ctx, relatives, params, &found); err != nil {
				return err
			}
			for _, item := range found {
				related = appendRelated(related, &item, nil)
			}
			return nil
		}
		var found []lsp.HierarchyCall
		if err := session.Call(ctx, relatives, params, &found); err != nil {
			return err
		}
		for _, call := range found {
			item := call.From
			if r == adapter.Callees {
				item = call.To
			}
			related = appendRelated(related, item, call.FromRanges)
		}
		return nil
	})
	// clangd 14 announces the capability for its own older method.
	if lsp.IsMethodNotFound(err) {
		return nil, false, unsupported("Do it by other means.", "%s", bound(err.Error()))
	}
	return related, known, err
}

// appendRelated appends an item of a hierarchy. Items without a file are left out.
func appendRelated(related []adapter.Related, item *lsp.HierarchyItem, calls []lsp.Range) []adapter.Related {
	if item == nil || len(related) == maxLocations {
		return related
	}
	path, err := lsp.Path(item.URI)
	if err != nil {
		return related
	}
	one := adapter.Related{Symbol: adapter.Symbol{
		Name: bound(item.Name), Kind: lsp.SymbolKind(item.Kind), Location: adapter.Location{Path: path, Range: rangeOf(item.Range)}, Selection: rangeOf(item.SelectionRange),
	}}
	for _, call := range calls[:min(len(calls), maxCallRanges)] {
		if r := rangeOf(call); !slices.Contains(one.Calls, r) {
			one.Calls = append(one.Calls, r)
		}
	}
	return append(related, one)
}
