package index_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	src := "package stack\n\n// Push adds an element.\nfunc (s *Stack) Push(v int) {}\n"
	if err := os.WriteFile(filepath.Join(dir, "stack.go"), []byte(src), 0o600); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	store, err := index.NewJSONStore(root, index.JSONOptions{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := index.Open(ctx, root, index.Options{Parsers: source.NewParsers(golang.Parser{}), Store: store})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close(ctx)

	report, err := x.Analyze(ctx, ".", index.AnalyzeOptions{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Files, "file,", report.Functions, "function")
	hits, _ := x.Snapshot().Search(index.Query{Text: "stack.push"})
	for _, hit := range hits {
		fmt.Println(hit.File.ID(hit.Chunk))
	}
	file, text, err := x.ReadFile(ctx, "stack.go", "")
	if err != nil {
		log.Fatal(err)
	}
	parsed, err := file.Parsed()
	if err != nil {
		log.Fatal(err)
	}
	c := parsed.Chunks[file.Len()-1]
	fmt.Printf("%s\n", text[c.Start:c.End])
	// Output:
	// 1 file, 1 function
	// stack.go#Stack.Push
	// // Push adds an element.
	// func (s *Stack) Push(v int) {}
}
