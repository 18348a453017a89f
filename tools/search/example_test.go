package search_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// This example indexes the files of a directory in memory and searches them.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"shape.go": "package shape\n\n// Circle is round.\ntype Circle struct{ Radius float64 }\n\n// Area is that of the circle.\nfunc (c Circle) Area() float64 { return 3.14 * c.Radius * c.Radius }\n",
		"guide.md": "# 図形\n\n## 円\n\n円の面積は半径の二乗に比例します。\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	ctx := context.Background()
	env := tools.Env{Root: root}
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	files, err := filesystem.New(env, filesystem.Options{Index: segment.NewMemory(), Parsers: parsers})
	if err != nil {
		log.Fatal(err)
	}
	set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files}, Parsers: parsers})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close(ctx)
	if _, err := set.Refresh(ctx, search.RefreshArgs{}); err != nil {
		log.Fatal(err)
	}

	for _, query := range []string{"circle area", "面積"} {
		found, err := set.SearchDocuments(ctx, search.DocumentsArgs{Query: query, Limit: 1})
		if err != nil {
			log.Fatal(err)
		}
		for _, d := range found.Results {
			fmt.Printf("%s:%d-%d %s %s\n", d.Path, d.StartLine, d.EndLine, d.Kind, d.Name)
		}
	}
	// Output:
	// shape.go:6-7 method Circle.Area
	// guide.md:3-5 section 図形 > 円
}
