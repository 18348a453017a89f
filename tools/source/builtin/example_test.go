package builtin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// A scanner reads texts that it is sure of. A text that lacks a bracket is read as its layout suggests, and its File says so.
func Example() {
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	for _, src := range []struct {
		lang source.Language
		text string
	}{
		{source.Kotlin, "class Stack {\n    fun push(x: Int) {}\n}\n"},
		{source.Go, "package stack\n\nfunc push(x int) {\n"},
	} {
		file, err := parsers.Parse(context.Background(), []byte(src.text), src.lang, source.Options{})
		if err != nil {
			log.Fatal(err)
		}
		last := file.Chunks[len(file.Chunks)-1]
		fmt.Printf("%s: %s, all of it read: %t\n", file.Parser, last.Path(), len(file.Problems) == 0)
	}
	// Output:
	// outline: Stack.push(Int), all of it read: true
	// outline: push, all of it read: false
}
