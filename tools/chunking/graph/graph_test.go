package graph_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/source"
)

func symbol(file string, lang source.Language) graph.Symbol {
	return graph.Symbol{ID: file + "#push", Name: "push", File: file, Language: lang}
}

func TestRank(t *testing.T) {
	here := graph.Call{Name: "push", File: "src/app/main.ts", Language: source.TypeScript}
	method := symbol("lib/stack.ts", source.TypeScript)
	method.Container = "Stack"
	for name, tc := range map[string]struct {
		imports []string
		target  graph.Symbol
		others  []graph.Symbol
		want    float64
	}{
		"in the same file":                {nil, symbol("src/app/main.ts", source.TypeScript), nil, 0.95},
		"twice in the same file":          {nil, symbol("src/app/main.ts", source.TypeScript), []graph.Symbol{symbol("src/app/main.ts", source.TypeScript)}, 0.475},
		"in the same file and elsewhere":  {nil, symbol("src/app/main.ts", source.TypeScript), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.95},
		"the only one":                    {nil, symbol("lib/far.ts", source.TypeScript), nil, 0.9},
		"the only one, in a kin language": {nil, symbol("lib/far.js", source.JavaScript), nil, 0.9},
		"the only one, in another":        {nil, symbol("lib/far.py", source.Python), nil, 0.27},
		"imported by file":                {[]string{"./lib/stack"}, symbol("lib/stack.ts", source.TypeScript), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.8},
		"imported by what it becomes":     {[]string{"../lib/stack.js"}, symbol("lib/stack.ts", source.TypeScript), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.8},
		"imported by directory":           {[]string{"example.com/lib"}, symbol("lib/stack.ts", source.TypeScript), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.8},
		"imported by type":                {[]string{"com.example.Stack"}, method, []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.8},
		"imported by name":                {[]string{"com::example::push"}, symbol("lib/a.ts", source.TypeScript), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.8},
		"imported, of another language":   {[]string{"./lib/stack"}, symbol("lib/stack.py", source.Python), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.24},
		"in the directory":                {nil, symbol("src/app/other.ts", source.TypeScript), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.7},
		"two in the directory":            {nil, symbol("src/app/other.ts", source.TypeScript), []graph.Symbol{symbol("src/app/third.ts", source.TypeScript)}, 0.35},
		"one of two elsewhere":            {nil, symbol("x.ts", source.TypeScript), []graph.Symbol{symbol("y.ts", source.TypeScript)}, 0.3},
		"beside one of another language":  {nil, symbol("x.ts", source.TypeScript), []graph.Symbol{symbol("y.py", source.Python)}, 0.6},
		"one of another language":         {nil, symbol("y.py", source.Python), []graph.Symbol{symbol("x.ts", source.TypeScript)}, 0.18},
		"imports that name nothing":       {[]string{"", ".", "./", "react", "@scope/"}, symbol("x.ts", source.TypeScript), []graph.Symbol{symbol("y.ts", source.TypeScript)}, 0.3},
	} {
		var imports []source.Import
		for _, path := range tc.imports {
			imports = append(imports, source.Import{Path: path})
		}
		all := append([]graph.Symbol{tc.target}, tc.others...)
		if got := graph.Rank(here, imports, tc.target, all); got < tc.want-1e-9 || got > tc.want+1e-9 {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// TestRank_LanguageFamily checks languages that can call each other.
func TestRank_LanguageFamily(t *testing.T) {
	families := [][]source.Language{
		{source.TypeScript, source.TSX, source.JavaScript}, {source.Kotlin, source.Java, source.Scala}, {source.C, source.CPP},
		{source.Swift}, {source.Go}, {source.Python}, {source.Rust}, {source.CSharp}, {source.Ruby}, {source.PHP},
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
	if known != len(source.Languages()) {
		t.Errorf("%d of %d languages are compared", known, len(source.Languages()))
	}
}
