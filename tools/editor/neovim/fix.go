package neovim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// maxFixes is the number of fixes that Fixes returns.
const maxFixes = 50

// subject is the document for which fixes are requested, with its session.
type subject struct {
	*relay.Subject
	session *session
}

// subject finds the session of a document whose language servers support a method.
func (n *Neovim) subject(ctx context.Context, doc adapter.Document, method string) (*subject, error) {
	s, err := relay.Find(ctx, n.relayed, doc, method)
	if err != nil {
		return nil, err
	}
	return &subject{s, s.Editor.(peer).session}, nil
}

// fixRef is the value of Fix.Ref for a fix that must be resolved.
type fixRef struct {
	subject *subject
	server  relay.Server
	action  lsp.CodeAction
}

// Fixes implements adapter.Fixer. It returns quick fixes of the buffer's language servers, at most maxFixes. Fixes that execute a
// command are omitted; if all are commands, the error is adapter.ErrUnsupported.
func (n *Neovim) Fixes(ctx context.Context, doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
	s, err := n.subject(ctx, doc, "textDocument/codeAction")
	if err != nil {
		return nil, err
	}
	known, err := s.findDiagnostic(ctx, d)
	if err != nil {
		return nil, err
	}
	out := []adapter.Fix{}
	commands := ""
	err = s.Each(func(server relay.Server) (bool, error) {
		if known.Client != 0 && known.Client != server.ID {
			return false, nil
		}
		original, err := s.original(d, known, server)
		if err != nil {
			return false, err
		}
		found, err := s.actions(ctx, server, original)
		if err != nil {
			return false, err
		}
		for _, action := range found {
			if len(out) == maxFixes || !fixesProblem(action) {
				continue
			}
			fix := adapter.Fix{Title: truncate.Line(action.Title, maxName), Kind: truncate.Line(action.Kind, maxName), Preferred: action.IsPreferred}
			switch {
			case action.Edit != nil && action.Command == nil:
				if fix.Edits, err = s.Texts(server).FileEdits(ctx, action.Edit); err != nil {
					n.options.Log.Warn("a fix cannot be used", "server", server.Name, "fix", fix.Title, "error", err)
					continue
				}
			case action.Command != nil:
				commands = fix.Title
				continue
			default:
				fix.Ref = &fixRef{s, server, action}
			}
			out = append(out, fix)
		}
		return false, nil
	})
	if err == nil && len(out) == 0 && commands != "" {
		err = fmt.Errorf("asking Neovim for fixes in %s: %w: they are commands of a language server; the user can run them in Neovim, for example %q", doc.Path, adapter.ErrUnsupported, commands)
	}
	return out, err
}

// actions requests the quick fixes for a diagnostic. If there are none, it requests code actions of all kinds, for servers that do
// not support kinds.
func (s *subject) actions(ctx context.Context, server relay.Server, d lsp.Diagnostic) (found []lsp.CodeAction, err error) {
	params := lsp.CodeActionParams{
		TextDocument: lsp.Document{URI: lsp.URI(s.Doc.Path)}, Range: d.Range,
		Context: lsp.CodeActionContext{Diagnostics: []lsp.Diagnostic{d}, Only: []string{"quickfix"}, TriggerKind: 1},
	}
	for range 2 {
		if err := s.Ask(ctx, server, "textDocument/codeAction", params, &found); err != nil || len(found) > 0 {
			return found, err
		}
		params.Context.Only = nil
	}
	return nil, nil
}

// fixesProblem reports whether an action fixes a problem. Refactorings do not.
func fixesProblem(a lsp.CodeAction) bool {
	return !a.Disabled && a.Title != "" && (a.Kind == "quickfix" || strings.HasPrefix(a.Kind, "quickfix.") || len(a.Diagnostics) > 0)
}

// findDiagnostic returns Neovim's own record of a diagnostic, with the original of the language server. It is empty if the diagnostic no
// longer exists.
func (s *subject) findDiagnostic(ctx context.Context, d adapter.Diagnostic) (diagnostic, error) {
	var found findings
	if err := s.session.run(ctx, "diagnostics", map[string]any{"paths": []string{s.Doc.Path}, "max": maxItems}, &found); err != nil {
		return diagnostic{}, fmt.Errorf("asking Neovim for diagnostics of %s: %w", s.Doc.Path, err)
	}
	for _, exact := range []bool{true, false} {
		for _, item := range found.Items {
			sameText := truncate.Cut(item.Message, maxMessage) == d.Message && (d.Code == "" || truncate.Line(item.Code, maxName) == d.Code)
			if sameText && item.Row+1 == d.Range.Start.Line && (!exact || item.Column+1 == d.Range.Start.Column) {
				return item, nil
			}
		}
	}
	return diagnostic{}, nil
}

// original returns the diagnostic in the form of the language server, which the server needs to find fixes.
func (s *subject) original(d adapter.Diagnostic, known diagnostic, server relay.Server) (lsp.Diagnostic, error) {
	fields := map[string]any{}
	if known.LSP != "" {
		_ = json.Unmarshal([]byte(known.LSP), &fields) // fields that cannot be decoded are not sent
	}
	r := d.Range
	if known.Path != "" {
		r = adapter.Range{Start: adapter.Position{Line: known.Row + 1, Column: known.Column + 1}, End: adapter.Position{Line: known.Last + 1, Column: known.Stop + 1}}
	}
	where := relay.EncodedRange(s.Text, r, server.Encoding)
	said := map[string]any{"range": where, "severity": d.Severity.Number(), "message": d.Message}
	if known.Path != "" {
		said["message"] = known.Message
	}
	if d.Source != "" {
		said["source"] = d.Source
	}
	if _, there := fields["code"]; !there && d.Code != "" {
		said["code"] = code(d.Code)
	}
	maps.Copy(fields, said)
	raw, err := json.Marshal(fields)
	if err != nil {
		return lsp.Diagnostic{}, err
	}
	return lsp.Diagnostic{Range: where, Raw: raw}, nil
}

// code returns a diagnostic code as a number if it is one, otherwise as text.
func code(text string) any {
	var n json.Number
	if json.Unmarshal([]byte(text), &n) == nil {
		return n
	}
	return text
}

// Resolve implements adapter.Fixer. It requests the edits of a fix from its language server. A fix that is a command is
// adapter.ErrUnsupported.
func (n *Neovim) Resolve(ctx context.Context, f adapter.Fix) ([]adapter.FileEdit, error) {
	if f.Edits != nil {
		return f.Edits, nil
	}
	fail := func(err error) ([]adapter.FileEdit, error) {
		return nil, fmt.Errorf("resolving the fix %q in Neovim: %w", truncate.Line(f.Title, maxName), err)
	}
	ref, ok := f.Ref.(*fixRef)
	if !ok {
		return fail(adapter.ErrUnsupported)
	}
	var resolved lsp.CodeAction
	if err := ref.subject.Ask(ctx, ref.server, "codeAction/resolve", ref.action.Raw, &resolved); err != nil {
		return fail(err)
	}
	if resolved.Edit == nil || resolved.Command != nil {
		return fail(fmt.Errorf("it is a command: %w", adapter.ErrUnsupported))
	}
	edits, err := ref.subject.Texts(ref.server).FileEdits(ctx, resolved.Edit)
	if err != nil {
		return fail(err)
	}
	return edits, nil
}
