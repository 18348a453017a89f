package symbols_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/symbols"
)

func Example() {
	p := symbols.New(symbols.Options{
		Languages: []source.Language{source.Swift},
		List: func(context.Context, string, source.Language) ([]symbols.Symbol, error) {
			at := func(line, column int) symbols.Position { return symbols.Position{Line: line, Column: column} }
			return []symbols.Symbol{{
				Name: "greet(_:)", Kind: "function",
				Range: symbols.Range{Start: at(2, 1), End: at(4, 2)}, Selection: symbols.Range{Start: at(2, 6), End: at(2, 11)},
			}}, nil
		},
	})
	file, err := p.Parse(context.Background(), []byte("/// Says hello.\nfunc greet(_ name: String) {\n    print(name)\n}\n"), source.Swift, source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := file.Chunks[0]
	fmt.Println(c.Kind, c.Path(), "lines", c.StartLine, "to", c.EndLine)
	// Output: function greet(_:) lines 1 to 4
}
