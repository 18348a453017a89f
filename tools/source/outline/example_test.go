package outline_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

func Example() {
	src := []byte("struct Stack {\n    /// Puts x on top.\n    mutating func push(_ x: Int) { items.append(x) }\n}\n")
	file, err := outline.Parser{}.Parse(context.Background(), src, source.Swift, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range file.Chunks {
		fmt.Printf("%s %s, lines %d to %d: %s\n", c.Kind, c.Path(), c.StartLine, c.EndLine, c.Signature)
	}

	// A text with unmatched brackets is left to another parser.
	_, err = outline.Parser{}.Parse(context.Background(), []byte("struct Stack {\n"), source.Swift, source.Options{})
	fmt.Println(errors.As(err, new(*source.UnsureError)))
	// Output:
	// struct Stack, lines 1 to 4: struct Stack
	// method Stack.push(_:), lines 2 to 3: mutating func push(_ x: Int)
	// true
}
