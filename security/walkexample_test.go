package security_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
)

// Walk passes by what version control ignores, and what holds secrets.
func ExampleRoot_Walk() {
	dir, err := os.MkdirTemp("", "walk")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string]string{".gitignore": "*.log\n", "debug.log": "…", ".env": "KEY=…", "main.go": "package main\n", "docs/big.md": "…"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	ctx := context.Background()
	var buf []byte
	stats, err := root.Walk(ctx, ".", security.WalkOptions{}, func(e *security.WalkEntry) error {
		if e.Kind == security.Directory {
			fmt.Println(e.Rel() + "/")
			return fs.SkipDir
		}
		var err error
		buf, err = e.ReadFile(ctx, buf, 1<<20)
		fmt.Println(e.Rel(), len(buf))
		return err
	})
	fmt.Println(stats.Entries, stats.Skipped, err)
	// Output:
	// docs/
	// main.go 13
	// 4 2 <nil>
}
