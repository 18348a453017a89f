package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

func perlGrammar() grammar {
	return grammar{language: "perl", adjust: perlChunk, added: &source.Definition{
		Aliases: []string{"pl"}, Extensions: []string{".pl", ".pm", ".t", ".psgi"}, FileNames: []string{"cpanfile"}, Interpreters: []string{"perl"},
		Signs: []string{"my $", "sub ", "@_", "$self", "->{", "use strict", "foreach ", "=~", "elsif", "%"},
		Syntax: source.Syntax{
			LineComments:  []string{"#"},
			BlockComments: []source.Delimiters{{Open: "\n=pod", Close: "\n=cut"}, {Open: "\n=head", Close: "\n=cut"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}},
			Keywords: []string{
				"and", "cmp", "do", "else", "elsif", "eq", "for", "foreach", "ge", "gt", "if", "last", "le", "local", "lt", "my", "ne", "next",
				"no", "not", "or", "our", "package", "redo", "require", "return", "sub", "unless", "until", "use", "while",
			},
		},
	}}
}

// perlChunk keeps the names of "use constant" alone of all lists behind "use".
func perlChunk(src []byte, c *source.Chunk) bool {
	if c.Kind != source.Constant {
		return true
	}
	words := bytes.Fields(src[c.Sig:c.Ident])
	return len(words) > 1 && bytes.Equal(words[1], []byte("constant"))
}
