package treesitter_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

func Example() {
	p := treesitter.New(treesitter.Options{})
	defer p.Close()
	f, err := p.Parse(context.Background(), []byte("package a\n\nfunc f() {}\n"), source.Go, source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range f.Chunks {
		fmt.Println(c.Line, c.Kind, c.Path())
	}
	// Output:
	// 1 module a
	// 3 function f
}
