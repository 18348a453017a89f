package editor_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// A tool without means names one next step, and no editor that is not there beside an adapter that knows the file.
func TestMissingCapability_OneNextStep(t *testing.T) {
	server := func(name string, s adapter.State) *fakeServer {
		b := newFakeServer()
		b.name, b.state = name, s
		return b
	}
	refusing := server("headless", adapter.State{Running: true})
	refusing.definition = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return nil, &mcp.ToolError{Code: "X", Message: "gopls is not installed", Next: "Install gopls.", Err: adapter.ErrUnsupported}
	}
	absent := []adapter.Adapter{server("vscode", adapter.State{Start: "Open VS Code."}), server("emacs", adapter.State{Start: "Start Emacs."})}
	elsewhere := server("neovim", adapter.State{Running: true, Folders: []string{t.TempDir()}})
	for _, c := range []struct {
		adapters      []adapter.Adapter
		message, next string
	}{
		{slices.Concat(absent, []adapter.Adapter{elsewhere, refusing}), "cannot find the definition: neovim does not have the folder of a.go open; gopls is not installed", "Install gopls."},
		{slices.Concat(absent, []adapter.Adapter{elsewhere}), "cannot find the definition: neovim does not have the folder of a.go open", "Ask the user to do this, and call again: open that folder in neovim."},
		{absent, "cannot find the definition: vscode and emacs are not running", "Ask the user to do this, and call again: Open VS Code."},
		{absent[1:], "cannot find the definition: emacs is not running", "Ask the user to do this, and call again: Start Emacs."},
		{nil, "cannot find the definition: no editor is configured for it", "Continue without it, or ask the user to do this in their editor."},
	} {
		p := newProject(t, with(c.adapters...), map[string]string{"a.go": "package a\n"})
		_, err := p.FindDefinition(t.Context(), editor.FindDefinitionArgs{Target: editor.Target{Path: "a.go", Line: 1, Column: 1}})
		toolsettest.WantError(t, err, "NO_LANGUAGE_SERVER")
		if tool, ok := err.(*mcp.ToolError); !ok || tool.Message != c.message || tool.Next != c.next {
			t.Errorf("%v\n%s\nwant %s\n%s", err, tool.Next, c.message, c.next)
		}
	}
}
