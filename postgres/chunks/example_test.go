package chunks_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/chunks"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// Chunks and calls of a project that several servers analyse.
func Example() {
	ctx := context.Background()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{"."}, ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	db, err := postgres.Open(ctx, os.Getenv("SEARCH_POSTGRES"), postgres.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	project, err := chunks.Open(ctx, db, "shop")
	if err != nil {
		log.Fatal(err)
	}
	x, err := index.Open(ctx, root, index.Options{Parsers: builtin.Parsers(builtin.Options{}), Store: project.Store(), Calls: true})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close(ctx)
	if _, err := x.Analyze(ctx, ".", index.AnalyzeOptions{}, nil); err != nil {
		log.Fatal(err)
	}
	calls := project.Graph()
	if err := calls.Update(ctx, x.Snapshot()); err != nil {
		log.Fatal(err)
	}
	found, err := calls.Calls(ctx, "parse", 20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found))
}
