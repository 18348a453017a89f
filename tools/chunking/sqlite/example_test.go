package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

// One database contains the index and the graph, which returns the callers of a function.
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
	src := "fun push(x: Int) {}\n\nfun fill() {\n    push(1)\n    push(2)\n}\n"
	if err := os.WriteFile(filepath.Join(project, "stack.kt"), []byte(src), 0o600); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}, StateDir: filepath.Join(dir, "state")})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "cache", "chunks.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	chunks, err := chunking.New(ctx, tools.Env{Root: root}, chunking.Options{Store: db.Store(), Graph: db.Graph()})
	if err != nil {
		log.Fatal(err)
	}
	defer chunks.Close(ctx)

	if _, err := chunks.Analyze(ctx, chunking.AnalyzeArgs{ProjectPath: "."}); err != nil {
		log.Fatal(err)
	}
	r, err := chunks.FindCallers(ctx, chunking.CallersArgs{ChunkID: "stack.kt#push"})
	if err != nil {
		log.Fatal(err)
	}
	for _, caller := range r.Callers {
		fmt.Println(caller.ID, caller.Lines, caller.Source)
	}
	// Output:
	// stack.kt#fill() [4 5] same name
}
