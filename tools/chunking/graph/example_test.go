package graph_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/source"
)

// Two functions have the name push. The function in the imported file is the more likely
// target.
func Example() {
	call := graph.Call{Name: "push", Caller: "main.py#main", File: "main.py", Language: source.Python, Line: 3}
	imports := []source.Import{{Path: "lib.stack", Line: 1}}
	declared := []graph.Symbol{
		{ID: "lib/stack.py#push", Name: "push", File: "lib/stack.py", Language: source.Python},
		{ID: "web/server.js#push", Name: "push", File: "web/server.js", Language: source.JavaScript},
	}
	for _, target := range declared {
		fmt.Printf("%s %.2f\n", target.ID, graph.Rank(call, imports, target, declared))
	}
	// Output:
	// lib/stack.py#push 0.80
	// web/server.js#push 0.18
}
