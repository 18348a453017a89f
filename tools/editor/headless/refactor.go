package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// maxRefactorings is the number of refactorings that Refactorings returns.
const maxRefactorings = 100

// Refactorings implements adapter.Refactorer. It returns the refactorings of all servers of the document's language, at most
// maxRefactorings.
func (h *Headless) Refactorings(ctx context.Context, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	for _, p := range []adapter.Position{part.Start, part.End} {
		if err := checkPosition(doc, p); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.RequestTimeout)
	defer cancel()
	instances, err := h.instancesFor(doc.Path, h.language(doc))
	if err != nil {
		return nil, err
	}
	var all []adapter.Refactoring
	var failures []error
	asked := false
	for _, i := range instances {
		var found []adapter.Refactoring
		known, err := i.ask(ctx, doc, "textDocument/codeAction", func(ctx context.Context, i *instance, session *lsp.Session) (err error) {
			found, err = i.tsFixAll(ctx, kinds, func() ([]adapter.Refactoring, error) { return i.refactorings(ctx, session, doc, part, kinds) })
			return err
		})
		if err != nil {
			failures = append(failures, err)
			continue
		}
		asked = asked || known
		all = append(all, found[:min(len(found), maxRefactorings-len(all))]...)
	}
	const doing = "looking for refactorings"
	switch {
	case asked:
		return all, nil
	case len(failures) > 0:
		return nil, h.explain(ctx, doing, errors.Join(failures...))
	}
	return nil, unsupported("Do it by other means.", "%s: no language server for %s can do that", doing, quote(doc.Path))
}

// refactorings requests the refactorings of a range from one server. kinds limits them; nil is all kinds.
func (i *instance) refactorings(ctx context.Context, session *lsp.Session, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	params := lsp.CodeActionParams{
		TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}, Range: protocolRange(part),
		Context: lsp.CodeActionContext{Diagnostics: []lsp.Diagnostic{}, Only: kinds, TriggerKind: 1},
	}
	var answers []json.RawMessage
	if err := session.Call(ctx, "textDocument/codeAction", params, &answers); err != nil {
		return nil, err
	}
	var all []adapter.Refactoring
	for _, raw := range answers {
		var action lsp.CodeAction
		if err := json.Unmarshal(raw, &action); err != nil {
			i.h.o.Log.Debug("a code action cannot be decoded", "server", i.server.Name, "error", err)
			continue
		}
		if action.Title == "" || !lsp.Rewrites(action.Kind) || !lsp.OfKind(action.Kind, kinds) {
			continue
		}
		r := adapter.Refactoring{Title: bound(action.Title), Kind: bound(action.Kind), Preferred: action.IsPreferred, NeedsTarget: i.needsTarget(action), Ref: &fixRef{i, session, action, doc}}
		if action.Disabled {
			r.Disabled = bound(action.Reason)
			if r.Disabled == "" {
				r.Disabled = "the language server gives no reason"
			}
		}
		all = append(all, r)
	}
	if r := i.organizeByCommand(session, doc, kinds); r != nil && !slices.ContainsFunc(all, func(other adapter.Refactoring) bool { return lsp.OfKind(other.Kind, []string{organize}) }) {
		all = append(all, *r)
	}
	return all, nil
}

// Refactor implements adapter.Refactorer. It returns adapter.ErrStale if the document has changed since the refactoring was
// offered.
func (h *Headless) Refactor(ctx context.Context, r adapter.Refactoring) ([]adapter.FileEdit, error) {
	ref, ok := r.Ref.(*fixRef)
	if !ok || ref.instance.h != h || ref.action.Disabled {
		return nil, fmt.Errorf("apply a refactoring that the headless editor did not offer: %w", adapter.ErrUnsupported)
	}
	if r.NeedsTarget != (r.Target != "") {
		return nil, fmt.Errorf("apply %s: the target %s: %w", quote(r.Title), quote(r.Target), adapter.ErrUnsupported)
	}
	return h.resolveAction(ctx, ref, r.Target, "resolving a refactoring")
}
