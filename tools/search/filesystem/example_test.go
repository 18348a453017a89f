package filesystem_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// This example indexes the files of a directory once and searches them.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	source := "package queue\n\n// Push appends an element.\nfunc Push() {}\n\n// Pop removes the oldest element.\nfunc Pop() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "queue.go"), []byte(source), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	if err := search(dir, "remove the oldest"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 file
	// queue.go:6 Pop
}

func search(dir, query string) error {
	ctx := context.Background()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := filesystem.New(tools.Env{Root: root}, filesystem.Options{
		Index: segment.NewMemory(), Parsers: builtin.Parsers(builtin.Options{}), Interval: -1,
	})
	if err != nil {
		return err
	}
	defer files.Close(ctx)
	report, err := files.Refresh(ctx, plugin.RefreshOptions{})
	if err != nil {
		return err
	}
	fmt.Println(report.Added, "file")
	q := rank.Parse(query)
	found, err := files.Index().Search(ctx, q.Index(index.Filter{}, 0))
	if err != nil {
		return err
	}
	for _, r := range rank.Order(q, found, rank.Options{Limit: 1}) {
		fmt.Printf("%s:%d %s\n", r.File.Path, r.Piece.StartLine, r.Piece.Name)
	}
	return nil
}
