package grep_test

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/grep"
)

func ExampleMatcher_Lines() {
	m, err := grep.Compile(`func \w+Error\(`, grep.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := []byte("package a\n\nfunc newError() {}\nfunc run() {}\n")
	for hit := range m.Lines(text) {
		from, to := hit.First()
		fmt.Printf("%d: %s (%s)\n", hit.Line, text[hit.Start:hit.End], text[from:to])
	}
	// Output:
	// 3: func newError() {} (func newError()
}

func ExampleCompile() {
	_, err := grep.Compile(`foo(?=bar)`, grep.Options{})
	var refused *grep.Error
	if errors.As(err, &refused) {
		fmt.Println(refused)
		fmt.Println(refused.NextStep())
	}
	// Output:
	// invalid pattern: column 4, "(?=": look-ahead is not supported
	// search for the text itself, with the text after it
}
