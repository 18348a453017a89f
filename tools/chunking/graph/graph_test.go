package graph_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

func symbol(file string, lang parse.Language) graph.Symbol {
	return graph.Symbol{ID: file + "#push", Name: "push", File: file, Language: lang}
}

func TestRank(t *testing.T) {
	here := graph.Call{Name: "push", File: "src/app/main.ts", Language: parse.TypeScript}
	method := symbol("lib/stack.ts", parse.TypeScript)
	method.Container = "Stack"
	for name, tc := range map[string]struct {
		imports []string
		target  graph.Symbol
		others  []graph.Symbol
		want    float64
	}{
		"in the same file":                {nil, symbol("src/app/main.ts", parse.TypeScript), nil, 0.95},
		"twice in the same file":          {nil, symbol("src/app/main.ts", parse.TypeScript), []graph.Symbol{symbol("src/app/main.ts", parse.TypeScript)}, 0.475},
		"in the same file and elsewhere":  {nil, symbol("src/app/main.ts", parse.TypeScript), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.95},
		"the only one":                    {nil, symbol("lib/far.ts", parse.TypeScript), nil, 0.9},
		"the only one, in a kin language": {nil, symbol("lib/far.js", parse.JavaScript), nil, 0.9},
		"the only one, in another":        {nil, symbol("lib/far.py", parse.Python), nil, 0.27},
		"imported by file":                {[]string{"./lib/stack"}, symbol("lib/stack.ts", parse.TypeScript), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.8},
		"imported by what it becomes":     {[]string{"../lib/stack.js"}, symbol("lib/stack.ts", parse.TypeScript), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.8},
		"imported by directory":           {[]string{"example.com/lib"}, symbol("lib/stack.ts", parse.TypeScript), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.8},
		"imported by type":                {[]string{"com.example.Stack"}, method, []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.8},
		"imported by name":                {[]string{"com::example::push"}, symbol("lib/a.ts", parse.TypeScript), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.8},
		"imported, of another language":   {[]string{"./lib/stack"}, symbol("lib/stack.py", parse.Python), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.24},
		"in the directory":                {nil, symbol("src/app/other.ts", parse.TypeScript), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.7},
		"two in the directory":            {nil, symbol("src/app/other.ts", parse.TypeScript), []graph.Symbol{symbol("src/app/third.ts", parse.TypeScript)}, 0.35},
		"one of two elsewhere":            {nil, symbol("x.ts", parse.TypeScript), []graph.Symbol{symbol("y.ts", parse.TypeScript)}, 0.3},
		"beside one of another language":  {nil, symbol("x.ts", parse.TypeScript), []graph.Symbol{symbol("y.py", parse.Python)}, 0.6},
		"one of another language":         {nil, symbol("y.py", parse.Python), []graph.Symbol{symbol("x.ts", parse.TypeScript)}, 0.18},
		"imports that name nothing":       {[]string{"", ".", "./", "react", "@scope/"}, symbol("x.ts", parse.TypeScript), []graph.Symbol{symbol("y.ts", parse.TypeScript)}, 0.3},
	} {
		var imports []parse.Import
		for _, path := range tc.imports {
			imports = append(imports, parse.Import{Path: path})
		}
		all := append([]graph.Symbol{tc.target}, tc.others...)
		if got := graph.Rank(here, imports, tc.target, all); got < tc.want-1e-9 || got > tc.want+1e-9 {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// Languages that call each other are of one family.
func TestKinLanguages(t *testing.T) {
	families := [][]parse.Language{
		{parse.TypeScript, parse.TSX, parse.JavaScript}, {parse.Kotlin, parse.Java, parse.Scala}, {parse.C, parse.CPP},
		{parse.Swift}, {parse.Go}, {parse.Python}, {parse.Rust}, {parse.CSharp}, {parse.Ruby}, {parse.PHP},
	}
	known := 0
	for i, family := range families {
		known += len(family)
		for _, from := range family {
			for j, other := range families {
				for _, to := range other {
					target := symbol("far/away", to)
					sure := graph.Rank(graph.Call{Name: "push", File: "here", Language: from}, nil, target, []graph.Symbol{target})
					if kin := sure > 0.5; kin != (i == j) {
						t.Errorf("a call in %s means %s with %v", from, to, sure)
					}
				}
			}
		}
	}
	if known != len(parse.Languages()) {
		t.Errorf("%d of %d languages are compared", known, len(parse.Languages()))
	}
}
