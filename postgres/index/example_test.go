package index_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/index"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// A server that searches with an index that it shares.
func Example() {
	ctx := context.Background()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{"."}, ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	env := tools.Env{Root: root}
	db, err := postgres.Open(ctx, os.Getenv("SEARCH_POSTGRES"), postgres.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	shared, err := index.Open(ctx, db, "shop", index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	files, err := filesystem.New(env, filesystem.Options{Index: shared, Parsers: builtin.Parsers(builtin.Options{})})
	if err != nil {
		log.Fatal(err)
	}
	set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close(ctx)
	found, err := set.SearchDocuments(ctx, search.DocumentsArgs{Query: "parse the request line"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found.Results))
}
