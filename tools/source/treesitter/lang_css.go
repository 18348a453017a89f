package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func cssGrammar() grammar {
	return grammar{language: "css", adjust: cssChunk, added: &source.Definition{
		Extensions: []string{".css"}, Data: true,
		Syntax: source.Syntax{
			BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}},
		},
	}}
}

// cssChunk keeps the custom properties of all declarations, and names rules as they are written: "@media (max-width: 3px)".
func cssChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Property:
		return strings.HasPrefix(c.Name, "--")
	case source.Object:
		if head, _, _ := bytes.Cut(src[c.Sig:c.End], []byte("{")); src[c.Sig] == '@' {
			c.Name, c.Ident = strings.Join(strings.Fields(string(head)), " "), c.Sig
		}
	default:
		c.Name = strings.Join(strings.Fields(c.Name), " ")
	}
	return c.Name != ""
}
