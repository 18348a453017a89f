package cursorcli

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

// pager is an editor of a program that uses this package.
type pager struct{}

func (pager) Name() string                { return "pager" }
func (pager) State() adapter.State        { return adapter.State{Running: true} }
func (pager) Watch(func()) (stop func())  { return func() {} }
func (pager) Close(context.Context) error { return nil }
func (pager) Active(context.Context) (adapter.Active, bool, error) {
	return adapter.Active{}, false, nil
}

func (pager) Open(context.Context, string, *adapter.Position, bool) error { return nil }

// extended returns the program with extensions.
func extended(t *testing.T, o Options) apptest.Program {
	t.Helper()
	environ := []string{"XDG_STATE_HOME=" + t.TempDir()}
	return func() *app.App { return newApp(func() []string { return environ }, o) }
}

func TestOptions_Adapters(t *testing.T) {
	type opener = func(*security.Root, *slog.Logger) (adapter.Adapter, error)
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{"a.txt": "text\n"})
	for want, open := range map[string]opener{
		"a.txt is open in pager":                       func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return pager{}, nil },
		"opening the editor pager: no screen":          func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return nil, errors.New("no screen") },
		"opening the editor pager: the adapter is nil": func(*security.Root, *slog.Logger) (adapter.Adapter, error) { return nil, nil },
	} {
		p := extended(t, Options{Adapters: map[string]opener{"pager": open}})
		_, out, errs := p.Run(t, "call", "-root", dir, "-profile", profileFull, "open_file_in_editor", `{"path":"a.txt"}`)
		apptest.Contains(t, out+errs, want)
	}
}

func TestOptions_Executors(t *testing.T) {
	p := extended(t, Options{Executors: map[string]func(*slog.Logger) (executor.Executor, error){
		"parrot": func(*slog.Logger) (executor.Executor, error) { return nil, errors.New("no cage") },
	}})
	_, _, errs := p.Run(t, "call", "-root", t.TempDir(), "-profile", profileOrchestrator, "list_roles")
	apptest.Contains(t, errs, "opening the executor parrot: no cage")
}

// lineParser is a parser of an added language, in which each line is the name of a function.
type lineParser struct{}

func (lineParser) Name() string                 { return "lines" }
func (lineParser) Languages() []source.Language { return []source.Language{"lines"} }
func (lineParser) Definitions() []source.Definition {
	return []source.Definition{{Language: "lines", Extensions: []string{".lines"}}}
}

func (lineParser) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	at := 0
	for line := range strings.Lines(string(src)) {
		b.Add(source.Chunk{Kind: source.Function, Name: strings.TrimSpace(line), Parent: -1, Decl: int32(at), Ident: int32(at), End: int32(at + len(line))})
		at += len(line)
	}
	return b.File("lines"), nil
}

func TestOptions_Parsers(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{"names.lines": "alpha\nbeta\n"})
	p := extended(t, Options{Parsers: func() []source.Parser { return []source.Parser{lineParser{}} }})
	_, out, errs := p.Run(t, "call", "-root", dir, "-profile", profileCoding, "list_functions_in_file", `{"filePath":"names.lines"}`)
	apptest.Contains(t, out+errs, "beta")
}
