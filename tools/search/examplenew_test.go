package search_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// find searches with an index that is kept in dir.
func find(ctx context.Context, env tools.Env, dir string) error {
	kept, err := segment.Open(ctx, dir, segment.Options{})
	if err != nil {
		return err
	}
	files, err := filesystem.New(env, filesystem.Options{Index: kept, Parsers: builtin.Parsers(builtin.Options{})})
	if err != nil {
		return err
	}
	set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files}})
	if err != nil {
		return err
	}
	found, err := set.SearchDocuments(ctx, search.DocumentsArgs{Query: "parse the request line"})
	if err != nil {
		return err
	}
	for _, d := range found.Results {
		fmt.Println(d.Path, d.Name)
	}
	return set.Close(ctx)
}

// ExampleNew opens an index on disk and keeps it current while the set is open.
func ExampleNew() {
	var root tools.Env // with a Root
	fmt.Println(find(context.Background(), root, "/var/cache/example"))
}
