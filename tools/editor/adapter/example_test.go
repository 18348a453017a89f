package adapter_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// pager shows files and can do nothing else. So it is an Adapter and has Windows; of the other interfaces it implements none, and
// the tools do not ask it for anything more.
type pager struct {
	show func(path string, line int) error
}

// Name is the name for users.
func (p *pager) Name() string { return "pager" }

// State answers from memory. A pager is always there, and any file is its business.
func (p *pager) State() adapter.State { return adapter.State{Running: true} }

// Watch has nothing to tell: the State never changes.
func (p *pager) Watch(func()) (stop func()) { return func() {} }

// Close has nothing to end.
func (p *pager) Close(context.Context) error { return nil }

// Open shows a file. The path is absolute, and one that the tools may use.
func (p *pager) Open(_ context.Context, path string, at *adapter.Position, _ bool) error {
	line := 1
	if at != nil {
		line = at.Line
	}
	if err := p.show(path, line); err != nil {
		return fmt.Errorf("showing %s: %w", path, err)
	}
	return nil
}

// Active is not supported by a pager. ErrUnsupported makes the tools try the next adapter.
func (p *pager) Active(context.Context) (adapter.Active, bool, error) {
	return adapter.Active{}, false, adapter.ErrUnsupported
}

// An adapter is a type of its own. Its capabilities are the interfaces that it implements.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}, StateDir: filepath.Join(dir, "state")})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	shows := &pager{show: func(path string, line int) error {
		fmt.Printf("less +%d %s\n", line, filepath.Base(path))
		return nil
	}}
	ctx := context.Background()
	set, err := editor.New(ctx, tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{shows}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close(ctx)

	opened, err := set.OpenFile(ctx, editor.OpenFileArgs{Path: "main.go", Line: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(opened.TextContent())

	// No other adapter has the capabilities that the pager lacks.
	_, err = set.ActiveFile(ctx, editor.ActiveFileArgs{})
	fmt.Println(err)
	_, err = set.Diagnostics(ctx, editor.DiagnosticsArgs{})
	fmt.Println(err)
	// Output:
	// less +3 main.go
	// [main.go is open in pager]
	// cannot tell the active file: pager does not support it
	// cannot get diagnostics: no editor is configured for it
}
