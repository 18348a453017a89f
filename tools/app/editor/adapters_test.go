package editor

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// pager is an editor of a program that uses this package.
type pager struct {
	name   string
	opened *string // path of the last file that it has shown
}

func (p pager) Name() string              { return p.name }
func (pager) State() adapter.State        { return adapter.State{Running: true, Detail: "a window"} }
func (pager) Watch(func()) (stop func())  { return func() {} }
func (pager) Close(context.Context) error { return nil }
func (pager) Active(context.Context) (adapter.Active, bool, error) {
	return adapter.Active{}, false, nil
}

func (p pager) Open(_ context.Context, path string, _ *adapter.Position, _ bool) error {
	*p.opened = path
	return nil
}

// with returns the program with an additional editor.
func with(name string, open func(*security.Root, *slog.Logger) (adapter.Adapter, error)) apptest.Program {
	return func() *app.App {
		return newApp(func() []string { return nil }, Options{Adapters: map[string]func(*security.Root, *slog.Logger) (adapter.Adapter, error){name: open}})
	}
}

func TestOptions_Adapters(t *testing.T) {
	dir, opened := t.TempDir(), ""
	apptest.Write(t, dir, map[string]string{"a.txt": "text\n"})
	p := with("pager", func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return pager{"pager", &opened}, nil })
	_, out, _ := p.Run(t, "call", "-root", dir, "-editors", "pager", "open_file_in_editor", `{"path":"a.txt"}`)
	apptest.Contains(t, out, "a.txt is open in pager")
	if opened == "" {
		t.Error("the editor has not shown the file")
	}
	_, out, _ = p.Run(t, "doctor", "-root", dir)
	apptest.Contains(t, out, "pager: a window", "vscode: ")
	p.MustFail(t, 1, "one of vscode, neovim, emacs, jetbrains, pager", "tools", "-root", dir, "-editors", "pagr")
}

func TestOptions_InvalidAdapters(t *testing.T) {
	for says, p := range map[string]apptest.Program{
		"opening the editor pager: no screen":    with("pager", func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return nil, errors.New("no screen") }),
		"the adapter of the editor pager is nil": with("pager", func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return nil, nil }),
		"there is no function that opens it":     with("pager", nil),
		`has the name "less"`:                    with("pager", func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return pager{name: "less"}, nil }),
		"cannot have the name vscode":            with("vscode", func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return pager{name: "vscode"}, nil }),
	} {
		_, _, errs := p.Run(t, "tools", "-root", t.TempDir())
		apptest.Contains(t, errs, says)
	}
}
