package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	memory "github.com/dougu-go/dougu/examples/extend/adapter"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
)

// A model reads the diagnostics of an open document, and changes the document in the editor.
func Example() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, "tea.txt")
	if err := os.WriteFile(file, []byte("Boil water.\nTODO: tea\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	var window memory.Editor
	window.Start()
	if err := window.Load(file); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	set, err := editor.New(ctx, tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{&window}}) // before headless.New, …
	if err != nil {
		log.Fatal(err)
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, set)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)
	result, err := box.Call(ctx, "get_diagnostics", json.RawMessage(`{"path":"tea.txt"}`))
	if err != nil {
		log.Fatal(err)
	}
	var found editor.DiagnosticsResult
	if err := json.Unmarshal(result.Structured, &found); err != nil {
		log.Fatal(err)
	}
	for _, d := range found.Diagnostics {
		fmt.Printf("%s:%d: %s\n", d.File, d.Range.Start.Line, d.Message)
	}
	_, err = box.Call(ctx, "replace_code", json.RawMessage(`{"path":"tea.txt","pattern":"TODO: tea","replacement":"Make tea.","preview":false}`))
	if err != nil {
		log.Fatal(err)
	}
	doc, _, err := window.Document(ctx, file)
	fmt.Printf("version %d: %q %v\n", doc.Version, doc.Text, err)
	// Output:
	// tea.txt:2: something is left to do
	// version 2: "Boil water.\nMake tea.\n" <nil>
}

func TestContract(t *testing.T) {
	adaptertest.Run(t, adaptertest.Harness{
		New: func(t *testing.T, dir string) adapter.Adapter {
			e := new(memory.Editor)
			e.Start()
			if err := e.Load(filepath.Join(dir, "code.txt")); err != nil {
				t.Fatal(err)
			}
			return e
		},
		NotRunning: func(*testing.T, string) adapter.Adapter { return new(memory.Editor) },
		Open: func(t *testing.T, a adapter.Adapter, path string) {
			if err := a.(*memory.Editor).Load(path); err != nil {
				t.Fatal(err)
			}
		},
		Files: map[string]string{"code.txt": "漢字 😀 TODO\n"}, Code: "code.txt", Diagnostic: "left to do",
	})
}
