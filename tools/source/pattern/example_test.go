package pattern_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
	"github.com/dougu-go/dougu/tools/source/pattern"
)

// A pattern finds calls, and a template writes other calls in their place.
func Example() {
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	ctx := context.Background()
	p, err := pattern.Compile(ctx, parsers, source.Go, "errors.New(fmt.Sprintf($$$ARGS))")
	if err != nil {
		log.Fatal(err)
	}
	template, err := pattern.ParseTemplate(p, "fmt.Errorf($$$ARGS)", nil)
	if err != nil {
		log.Fatal(err)
	}
	src := "package a\n\nvar err = errors.New(\n\tfmt.Sprintf(\"no %s\", name))\n"
	found, err := p.Find(ctx, []byte(src))
	if err != nil {
		log.Fatal(err)
	}
	text := pattern.NewText(src, parsers.StringLines([]byte(src), source.Go))
	for _, m := range found.Matches {
		fmt.Println(src[m.Start:m.End])
		code, err := template.Expand(text, m)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(code)
	}
	// Output:
	// errors.New(
	// 	fmt.Sprintf("no %s", name))
	// fmt.Errorf("no %s", name)
}
