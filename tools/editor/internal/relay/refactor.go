package relay

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

const maxRefactorings = 100

// refactoringRef is the private data of a refactoring.
type refactoringRef struct {
	subject *Subject
	server  Server
	action  lsp.CodeAction
}

// Refactorings returns the refactorings of a range that change text and files. Refactorings that run a command are left out,
// because their edits would go to the editor. ErrUnsupported, beside the result, leaves them to an adapter that can preview them.
func (r *Relay) Refactorings(ctx context.Context, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	s, err := Find(ctx, r, doc, "textDocument/codeAction")
	if err != nil {
		return nil, err
	}
	out := []adapter.Refactoring{}
	commands := false
	err = s.Each(func(server Server) (bool, error) {
		params := lsp.CodeActionParams{
			TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}, Range: EncodedRange(s.Text, part, server.Encoding),
			Context: lsp.CodeActionContext{Diagnostics: []lsp.Diagnostic{}, Only: kinds, TriggerKind: 1},
		}
		var found []lsp.CodeAction
		if err := s.Ask(ctx, server, "textDocument/codeAction", params, &found); err != nil {
			return false, err
		}
		for _, action := range found {
			switch {
			case action.Title == "" || !lsp.Rewrites(action.Kind) || !lsp.OfKind(action.Kind, kinds) || len(out) == maxRefactorings:
				continue
			case action.Command != nil:
				commands = true
				continue
			}
			one := adapter.Refactoring{Title: truncate.Line(action.Title, maxName), Kind: truncate.Line(action.Kind, maxName), Preferred: action.IsPreferred, Ref: &refactoringRef{s, server, action}}
			if action.Disabled {
				if one.Disabled = truncate.Line(action.Reason, maxName); one.Disabled == "" {
					one.Disabled = "the language server does not say why"
				}
			}
			out = append(out, one)
		}
		return false, nil
	})
	if err == nil && commands {
		err = fmt.Errorf("asking %s for refactorings of %s: they are commands of a language server: %w", r.name, doc.Path, adapter.ErrUnsupported)
	}
	return out, err
}

// Refactor asks the language server of a refactoring for its edits.
func (r *Relay) Refactor(ctx context.Context, f adapter.Refactoring) ([]adapter.FileEdit, error) {
	fail := func(err error) ([]adapter.FileEdit, error) {
		return nil, fmt.Errorf("working out %q in %s: %w", truncate.Line(f.Title, maxName), r.name, err)
	}
	ref, ok := f.Ref.(*refactoringRef)
	if !ok || ref.subject.relay != r || ref.action.Disabled {
		return fail(adapter.ErrUnsupported)
	}
	now, open, err := ref.subject.Editor.Read(ctx, ref.subject.Doc.Path, "")
	switch {
	case err != nil:
		return fail(err)
	case !open || now.Text != ref.subject.found.Text || now.Version != ref.subject.found.Version:
		return fail(adapter.ErrStale)
	}
	action := ref.action
	if action.Edit == nil {
		var whole lsp.CodeAction
		var raw json.RawMessage = action.Raw
		if err := ref.subject.Ask(ctx, ref.server, "codeAction/resolve", raw, &whole); err != nil {
			return fail(err)
		}
		action = whole
	}
	if action.Edit == nil || action.Command != nil {
		return fail(fmt.Errorf("it is a command: %w", adapter.ErrUnsupported))
	}
	edits, err := ref.subject.Texts(ref.server).FileEdits(ctx, action.Edit)
	if err != nil {
		return fail(err)
	}
	return edits, nil
}
