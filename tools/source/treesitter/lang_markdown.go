package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func markdownGrammar() grammar {
	return grammar{language: "markdown", adjust: markdownChunk, added: &source.Definition{
		Aliases: []string{"md"}, Extensions: []string{".md", ".markdown", ".mdx"}, Data: true,
		Syntax: source.Syntax{BlockComments: []source.Delimiters{{Open: "<!--", Close: "-->"}}},
	}}
}

// markdownChunk writes a heading in one line.
func markdownChunk(_ []byte, c *source.Chunk) bool {
	c.Name = strings.Join(strings.Fields(c.Name), " ")
	return c.Name != ""
}
