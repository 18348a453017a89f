package headless_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// The adapter formats code with a configured program, because no language server supports the language.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	editor := headless.New(root, headless.Options{
		Servers:    []headless.Server{},
		Formatters: []headless.Formatter{{Name: "gofmt", Languages: []string{"go"}, Command: "gofmt"}},
	})
	defer editor.Close(context.Background())

	doc := adapter.Document{Path: filepath.Join(dir, "tea.go"), Text: "package tea\n\nvar   Cups=2\n"}
	edits, err := editor.Format(context.Background(), doc, nil)
	if err != nil {
		log.Fatal(err)
	}
	text, err := adapter.Apply(doc.Text, edits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// package tea
	//
	// var Cups = 2
}
