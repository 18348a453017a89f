package segment_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

func Example() {
	ctx := context.Background()
	ix := segment.NewMemory() // or segment.Open(ctx, directory, segment.Options{})
	defer ix.Close(ctx)

	text := []byte("func Push(v int) { stack = append(stack, v) }")
	all := index.Span{End: int32(len(text))}
	w, err := ix.Begin(ctx, index.WriteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	err = w.Put(ctx, index.File{
		Path: "stack.go", Language: "go", Text: text, Verbatim: true,
		Pieces: []index.Piece{{Kind: "function", Name: "Push", Range: all, Own: []index.Span{all}, StartLine: 1, EndLine: 1}},
	})
	if err == nil {
		err = w.Commit(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}

	found, err := ix.Search(ctx, index.Query{Terms: []index.Term{{Words: []string{"append"}}, {Words: []string{"pu*"}}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range found.Candidates {
		fmt.Printf("%s:%d %s %s\n", c.File.Path, c.Piece.StartLine, c.Piece.Kind, c.Piece.Name)
	}
	paths, err := ix.Candidates(ctx, index.Literals{Literal: "append(stack"}, index.Filter{})
	fmt.Println(paths, err)
	// Output:
	// stack.go:1 function Push
	// [stack.go] <nil>
}
