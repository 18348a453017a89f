package document_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/search/document"
)

func Example() {
	content := []byte("# Guide\n\nHow to begin.\n\n## 使い方\n\nRun it.\n")
	file, err := document.Cut(context.Background(), "docs/guide.md", content, document.Options{})
	if err != nil {
		log.Fatal(document.Reason(err))
	}
	for _, p := range file.Pieces {
		fmt.Printf("%s %q in %q, lines %d to %d\n", p.Kind, p.Name, p.Container, p.StartLine, p.EndLine)
	}
	// Output:
	// section "Guide" in "", lines 1 to 7
	// section "使い方" in "Guide", lines 5 to 7
}
