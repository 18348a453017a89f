package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// originalTimeout is the timeout of the request that finds the server's original of a diagnostic. Without the original a fix may be
// missed.
const originalTimeout = 5 * time.Second

// maxFixes is the number of fixes that Fixes returns.
const maxFixes = 100

// fixRef is the value of Fix.Ref and Refactoring.Ref.
type fixRef struct {
	instance *instance // session that offered the action
	session  *lsp.Session
	action   lsp.CodeAction
	doc      adapter.Document // document for which the action was offered
}

// Fixes implements adapter.Fixer. It returns at most maxFixes fixes of the first server that supports code actions.
func (h *Headless) Fixes(ctx context.Context, doc adapter.Document, d adapter.Diagnostic) (fixes []adapter.Fix, err error) {
	if err := checkPosition(doc, d.Range.Start); err != nil {
		return nil, err
	}
	err = h.ask(ctx, doc, "textDocument/codeAction", "looking for fixes", func(ctx context.Context, i *instance, session *lsp.Session) error {
		fixes = nil
		original := i.original(ctx, session, doc, d)
		// Older servers do not support kinds. If no quick fix is found, all kinds are requested.
		for _, only := range [][]string{{"quickfix"}, nil} {
			actions, err := i.actions(ctx, session, doc, original, only)
			if err != nil {
				return err
			}
			for _, action := range actions[:min(len(actions), maxFixes)] {
				fix := adapter.Fix{Title: bound(action.Title), Kind: bound(action.Kind), Preferred: action.IsPreferred, Ref: &fixRef{i, session, action, doc}}
				if i.complete(ctx, session, &fix, d) {
					fixes = append(fixes, fix)
				}
			}
			if len(fixes) > 0 {
				break
			}
		}
		return nil
	})
	return fixes, err
}

// organize is the kind of an action that fixes imports. It is a fix for a diagnostic about an import.
const organize = "source.organizeImports"

// complete converts the edits of a fix, if the server has sent them, and reports whether the fix can be used.
func (i *instance) complete(ctx context.Context, session *lsp.Session, fix *adapter.Fix, d adapter.Diagnostic) bool {
	ref, ok := fix.Ref.(*fixRef)
	if !ok {
		return false
	}
	var err error
	if fix.Kind == organize && ref.action.Edit == nil {
		fix.Edits, err = i.resolve(ctx, session, ref)
	} else if ref.action.Edit != nil {
		fix.Edits, err = i.fileEdits(ctx, session, ref.action.Edit, ref.doc)
	}
	if err != nil {
		i.h.o.Log.Warn("a fix cannot be used", "server", i.server.Name, "fix", fix.Title, "error", err)
		return false
	}
	return fix.Kind != organize || touches(fix.Edits, d)
}

// touches reports whether edits overlap the range of a diagnostic.
func touches(edits []adapter.FileEdit, d adapter.Diagnostic) bool {
	for _, file := range edits {
		for _, e := range file.Edits {
			if file.Path == d.Path && !d.Range.End.Before(e.Range.Start) && !e.Range.End.Before(d.Range.Start) {
				return true
			}
		}
	}
	return false
}

// original returns the server's own form of a diagnostic, which it needs to find fixes.
func (i *instance) original(ctx context.Context, session *lsp.Session, doc adapter.Document, d adapter.Diagnostic) lsp.Diagnostic {
	if ref, ok := d.Ref.(*diagnosticRef); ok && ref.instance == i && rangeOf(ref.original.Range) == d.Range {
		return ref.original
	}
	shortCtx, cancel := context.WithTimeout(ctx, originalTimeout)
	defer cancel()
	r := i.report(shortCtx, session, doc, session.Version(doc.Path))
	for _, exact := range []bool{true, false} {
		for _, known := range r.items {
			ref, ok := known.Ref.(*diagnosticRef)
			if ok && known.Message == d.Message && (d.Code == "" || known.Code == d.Code) && known.Range.Start.Line == d.Range.Start.Line && (!exact || known.Range.Start == d.Range.Start) {
				return ref.original
			}
		}
	}
	return lsp.Diagnostic{Range: protocolRange(d.Range), Severity: d.Severity.Number(), Code: d.Code, Source: d.Source, Message: d.Message}
}

// actions requests the code actions that fix a diagnostic. only limits the kinds; nil is all kinds.
func (i *instance) actions(ctx context.Context, session *lsp.Session, doc adapter.Document, d lsp.Diagnostic, only []string) ([]lsp.CodeAction, error) {
	params := lsp.CodeActionParams{
		TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}, Range: d.Range,
		Context: lsp.CodeActionContext{Diagnostics: []lsp.Diagnostic{d}, Only: only, TriggerKind: 1},
	}
	var answers []json.RawMessage
	if err := session.Call(ctx, "textDocument/codeAction", params, &answers); err != nil {
		return nil, err
	}
	var actions []lsp.CodeAction
	for _, raw := range answers {
		var action lsp.CodeAction
		if err := json.Unmarshal(raw, &action); err != nil {
			i.h.o.Log.Debug("an action is not understood", "server", i.server.Name, "error", err)
			continue
		}
		if fixesProblem(action) {
			actions = append(actions, action)
		}
	}
	return actions, nil
}

// fixesProblem reports whether an action fixes a problem. Refactorings do not.
func fixesProblem(a lsp.CodeAction) bool {
	if a.Disabled || a.Title == "" {
		return false
	}
	return a.Kind == "quickfix" || a.Kind == organize || strings.HasPrefix(a.Kind, "quickfix.") || len(a.Diagnostics) > 0 || a.Kind == "" && a.Edit == nil
}

// Resolve implements adapter.Fixer. It returns adapter.ErrStale if the server has restarted or the document has changed since the
// fix was offered.
func (h *Headless) Resolve(ctx context.Context, f adapter.Fix) ([]adapter.FileEdit, error) {
	if f.Edits != nil {
		return f.Edits, nil
	}
	ref, ok := f.Ref.(*fixRef)
	if !ok || ref.instance.h != h {
		return nil, fmt.Errorf("resolve a fix that the headless editor did not offer: %w", adapter.ErrUnsupported)
	}
	return h.resolveAction(ctx, ref, "", "resolving a fix")
}

// resolveAction returns the edits of an action. The document must still have the text for which the action was offered. target is the
// file for an action that needs one.
func (h *Headless) resolveAction(ctx context.Context, ref *fixRef, target, doing string) ([]adapter.FileEdit, error) {
	ctx, cancel := context.WithTimeout(ctx, h.o.RequestTimeout)
	defer cancel()
	i := ref.instance
	session, done, err := i.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if session != ref.session {
		return nil, fmt.Errorf("%s has restarted since it offered the action: %w", i.server.Name, adapter.ErrStale)
	}
	if ref.doc.Version == 0 {
		if now, _, err := h.read(ctx, ref.doc.Path); err != nil || now.Text != ref.doc.Text {
			return nil, fmt.Errorf("%s has changed since: %w", quote(ref.doc.Path), adapter.ErrStale)
		}
	}
	versions, err := i.syncDocuments(ctx, session, []adapter.Document{ref.doc}, false)
	if err != nil {
		return nil, h.explain(ctx, doing, err)
	}
	resolve := i.resolve
	if i.isTSRefactoring(ref.action) {
		resolve = func(ctx context.Context, session *lsp.Session, ref *fixRef) ([]adapter.FileEdit, error) {
			return i.tsRefactor(ctx, session, ref, target)
		}
	}
	edits, err := resolve(ctx, session, ref)
	if err == nil && session.Version(ref.doc.Path) != versions[0] {
		return nil, fmt.Errorf("%s has changed meanwhile: %w", quote(ref.doc.Path), adapter.ErrStale)
	}
	return edits, h.explain(ctx, doing, err)
}

// resolve completes an action at the server (codeAction/resolve), or executes its command.
func (i *instance) resolve(ctx context.Context, session *lsp.Session, ref *fixRef) ([]adapter.FileEdit, error) {
	action := ref.action
	options, _ := session.Offers("textDocument/codeAction")
	var o struct {
		ResolveProvider bool `json:"resolveProvider"`
	}
	if json.Unmarshal(options, &o) == nil && o.ResolveProvider && action.Edit == nil && len(action.Raw) > 0 {
		var complete lsp.CodeAction
		err := session.Call(ctx, "codeAction/resolve", action.Raw, &complete)
		if err != nil && action.Command == nil {
			return nil, err
		}
		if err == nil {
			action.Edit = complete.Edit
			if complete.Command != nil {
				action.Command = complete.Command
			}
		}
	}
	if action.Edit != nil {
		return i.fileEdits(ctx, session, action.Edit, ref.doc)
	}
	if action.Command == nil {
		return nil, nil
	}
	captured, err := i.execute(ctx, session, *action.Command)
	if err != nil {
		return nil, err
	}
	return i.captured(ctx, session, captured, ref.doc)
}

// captured converts the edits that a command requested with workspace/applyEdit. Several edits of one file are an error: the later
// ones are for a text that does not exist yet.
func (i *instance) captured(ctx context.Context, session *lsp.Session, captured []json.RawMessage, doc adapter.Document) ([]adapter.FileEdit, error) {
	var all []adapter.FileEdit
	touched := make(map[string]bool)
	for _, raw := range captured {
		edits, err := i.fileEdits(ctx, session, raw, doc)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			if touched[e.Path] {
				return nil, invalidResponse(i.server.Name, "wants to change %s in several steps", quote(e.Path))
			}
		}
		for _, e := range edits {
			touched[e.Path] = true
		}
		all = append(all, edits...)
	}
	return all, nil
}
