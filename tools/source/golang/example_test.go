package golang_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
)

func Example() {
	src := []byte("package stack\n\n// Push puts x on top.\nfunc (s *Stack) Push(x int) {\n\ts.items = append(s.items, x)\n}\n")
	file, err := golang.Parser{}.Parse(context.Background(), src, source.Go, source.Options{Calls: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range file.Chunks {
		fmt.Printf("%s %s, lines %d to %d: %s\n", c.Kind, c.Path(), c.StartLine, c.EndLine, c.Signature)
	}
	for _, c := range file.Calls {
		fmt.Printf("line %d calls %s\n", c.Line, c.Name)
	}
	// Output:
	// module stack, lines 1 to 1: package stack
	// method Stack.Push, lines 3 to 6: func (s *Stack) Push(x int)
	// line 5 calls append
}
