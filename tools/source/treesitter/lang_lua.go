package treesitter

import "github.com/dougu-go/dougu/tools/source"

func luaGrammar() grammar {
	return grammar{language: "lua", added: &source.Definition{
		Aliases: []string{"luajit"}, Extensions: []string{".lua", ".rockspec"}, FileNames: []string{".luacheckrc"},
		Interpreters: []string{"lua", "luajit"},
		Signs:        []string{"local ", "function ", "end\n", "then\n", "nil", "~=", " .. ", "elseif ", "ipairs(", "self."},
		Syntax: source.Syntax{
			LineComments:  []string{"--"},
			BlockComments: []source.Delimiters{{Open: "--[[", Close: "]]"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}, {Open: "[[", Close: "]]", Raw: true}},
			Keywords: []string{
				"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
				"repeat", "return", "then", "true", "until", "while",
			},
		},
	}}
}
