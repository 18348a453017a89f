package treesitter

import (
	"bytes"
	"regexp"

	"github.com/dougu-go/dougu/tools/source"
)

func perlGrammar() grammar {
	return grammar{language: "perl", adjust: perlChunk, mask: perlMask(), added: &source.Definition{
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

// perlMask returns a function that replaces what the grammar takes for an interpolated variable in a string or pattern, and then reads to
// the end of the text: an arrow before the closing quote, "$name->", and an at sign before a character that begins no name, /^@/.
func perlMask() func(src []byte) []byte {
	text := regexp.MustCompile(`@[/#]|->"|\blocal[ \t]+\$"`)
	return func(src []byte) []byte {
		found := text.FindAllIndex(src, -1)
		if found == nil {
			return src
		}
		out := bytes.Clone(src)
		for _, at := range found {
			switch last := at[1] - 1; {
			case src[at[0]] == '@':
				out[at[0]] = 'x'
			case src[at[0]] == '-':
				out[last-1] = '.'
			default: // the separator of lists, $", in place of which $, is as good
				out[last] = ','
			}
		}
		return out
	}
}

// perlChunk keeps the names of "use constant" alone of all lists behind "use".
func perlChunk(src []byte, c *source.Chunk) bool {
	if c.Kind != source.Constant {
		return true
	}
	words := bytes.Fields(src[c.Sig:c.Ident])
	return len(words) > 1 && bytes.Equal(words[1], []byte("constant"))
}
