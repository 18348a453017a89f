package treesitter_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/treesitter"
)

func TestTry(t *testing.T) {
	name := os.Getenv("TRY")
	if name == "" {
		t.Skip()
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lang, _ := parse.LanguageOf(name, src)
	p := treesitter.New(treesitter.Options{CacheDir: "/tmp/try/cache"})
	defer p.Close()
	for range 3 {
		now := time.Now()
		f, err := p.Parse(context.Background(), src, lang, parse.Options{Calls: true})
		fmt.Println(time.Since(now), err)
		if err == nil && os.Getenv("SHOW") != "" {
			for _, c := range f.Chunks {
				fmt.Printf("%d-%d %s %s | %s | body %d doc %d sig %d decl %d parent %d\n", c.Line, c.EndLine, c.Kind, c.Path(), c.Signature, c.Body, c.Doc, c.Sig, c.Decl, c.Parent)
			}
			fmt.Println(f.Imports, f.Problems, len(f.Calls))
			break
		}
	}
}
