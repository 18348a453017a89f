package editor_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// slowServer is a fakeServer that never finds references and never finishes a rename.
type slowServer struct{ *fakeServer }

func (slowServer) References(ctx context.Context, _ adapter.Document, _ adapter.Position) ([]adapter.Location, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (slowServer) Rename(ctx context.Context, _ adapter.Document, _ adapter.Position, _ string) ([]adapter.FileEdit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// After the time for the language server, references are found by name.
func TestReferences_LateServer(t *testing.T) {
	s := withSymbols(t, slowServer{newFakeServer()})
	s.options = editor.WithReferencesTime(s.options, time.Millisecond)
	p := newProject(t, s, symbolFiles)
	const note = "by name, as the language server did not answer within 1ms: comments and strings count, too"

	r := call(t, p.FindReferences, editor.FindReferencesArgs{Target: editor.Target{Symbol: "double"}})
	if text := r.TextContent(); r.TotalCount != 2 || !strings.Contains(text, note) {
		t.Errorf("find_references:\n%s", text)
	}
	_, err := p.DeleteSymbol(t.Context(), editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "double"}})
	toolsettest.WantError(t, err, "SYMBOL_IN_USE", "shape.go:15", note)
	_, err = p.Rename(t.Context(), editor.RenameArgs{Target: editor.Target{Symbol: "double"}, NewName: "twice", DryRun: new(false)})
	toolsettest.WantError(t, err, "TIMEOUT", "did not answer within 1ms. Nothing was written. By name, it occurs at 2 places, also in comments and strings: shape.go:15, shape.go:18")
	p.wantFile(t, "shape.go", symbolFiles["shape.go"])

	deleted := call(t, p.DeleteSymbol, editor.DeleteSymbolArgs{SymbolTarget: editor.SymbolTarget{Symbol: "unused"}})
	if text := deleted.TextContent(); !strings.Contains(text, "deleted unused") || !strings.Contains(text, note) {
		t.Errorf("delete_symbol:\n%s", text)
	}
}
