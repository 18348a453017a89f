package treesitter

import "github.com/dougu-go/dougu/tools/source"

func ocamlGrammar() grammar {
	return grammar{language: "ocaml", added: &source.Definition{
		Aliases: []string{"ml"}, Extensions: []string{".ml"}, Interpreters: []string{"ocaml"}, Signs: []string{"let ", " in\n", "match ", " with\n", "fun ", "-> ", "rec ", "module ", "type ", "|> "}, Syntax: ocamlSyntax(),
	}}
}

// ocamlInterfaceGrammar is that of signatures, which have a grammar of their own.
func ocamlInterfaceGrammar() grammar {
	return grammar{language: "ocaml-interface", file: "ocamlinterface", added: &source.Definition{
		Aliases: []string{"mli"}, Extensions: []string{".mli"}, Signs: []string{}, Syntax: ocamlSyntax(),
	}}
}

func ocamlSyntax() source.Syntax {
	return source.Syntax{
		BlockComments: []source.Delimiters{{Open: "(*", Close: "*)"}},
		Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "{|", Close: "|}", Raw: true}},
		Keywords: []string{
			"and", "as", "assert", "begin", "class", "constraint", "do", "done", "downto", "else", "end", "exception", "external", "false",
			"for", "fun", "function", "functor", "if", "in", "include", "inherit", "initializer", "lazy", "let", "match", "method", "module",
			"mutable", "new", "object", "of", "open", "or", "private", "rec", "sig", "struct", "then", "to", "true", "try", "type", "val",
			"virtual", "when", "while", "with",
		},
	}
}
