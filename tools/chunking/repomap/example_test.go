package repomap_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// Used declarations come first, and the text stays within the budget.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, src := range map[string]string{
		"stack.kt": "class Stack {\n    fun push(x: Int) {\n        items += x\n    }\n}\n",
		"one.kt":   "fun one(s: Stack) = s.push(1)\n",
		"two.kt":   "fun two(s: Stack) = s.push(2)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	ctx := context.Background()
	x, err := index.Open(ctx, root, index.Options{Parsers: source.NewParsers(outline.Parser{})})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close(ctx)
	if _, err := x.Analyze(ctx, ".", index.AnalyzeOptions{}, nil); err != nil {
		log.Fatal(err)
	}

	read := func(ctx context.Context, f *index.File) ([]byte, error) {
		src, _, err := root.ReadFile(ctx, f.Path, source.MaxSource)
		return src, err
	}
	var maps repomap.Maps
	ranked, err := maps.Rank(ctx, x.Snapshot().Files(), read, repomap.Focus{})
	if err != nil {
		log.Fatal(err)
	}
	text, shown := repomap.Render(ranked.All(), 20)
	fmt.Print(text)
	fmt.Println(shown, "of", ranked.Len())
	// Output:
	// stack.kt:
	//   1 class Stack
	//   2 Stack: fun push(x: Int)
	// 2 of 4
}
