package treesitter

import "github.com/dougu-go/dougu/tools/source"

func juliaGrammar() grammar {
	return grammar{language: "julia", added: &source.Definition{
		Aliases: []string{"jl"}, Extensions: []string{".jl"}, Interpreters: []string{"julia"},
		Signs: []string{"function ", "end\n", "::", "using ", "struct ", "where {", "@assert", "println(", "julia", "mutable struct"},
		Syntax: source.Syntax{
			LineComments:  []string{"#"},
			BlockComments: []source.Delimiters{{Open: "#=", Close: "=#"}},
			Strings:       []source.Delimiters{{Open: `"""`, Close: `"""`, Raw: true}, {Open: `"`, Close: `"`}},
			Keywords: []string{
				"abstract", "baremodule", "begin", "break", "catch", "const", "continue", "do", "else", "elseif", "end", "export", "false",
				"finally", "for", "function", "global", "if", "import", "in", "isa", "let", "local", "macro", "module", "mutable", "primitive",
				"quote", "return", "struct", "true", "try", "using", "where", "while",
			},
		},
	}}
}
