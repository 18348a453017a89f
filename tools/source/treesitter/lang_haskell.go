package treesitter

import (
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// The signature of a function and its equations are one chunk.
func haskellGrammar() grammar {
	return grammar{language: "haskell", adjust: haskellChunk(), joined: true, added: &source.Definition{
		Aliases: []string{"hs"}, Extensions: []string{".hs", ".hsc"}, Interpreters: []string{"runghc", "runhaskell"},
		Signs: []string{" :: ", "where\n", " -> ", "import qualified", "data ", "instance ", " <- ", "deriving", "module ", "case "},
		Syntax: source.Syntax{
			LineComments:  []string{"--"},
			BlockComments: []source.Delimiters{{Open: "{-", Close: "-}"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}},
			Keywords: []string{
				"case", "class", "data", "deriving", "do", "else", "if", "import", "in", "infix", "infixl", "infixr", "instance", "let",
				"module", "newtype", "of", "then", "type", "where",
			},
		},
	}}
}

// haskellChunk returns a function that adds the type to the name of an instance: "Show (Stack a)".
func haskellChunk() func(src []byte, c *source.Chunk) bool {
	where := regexp.MustCompile(`\bwhere\b`)
	return func(src []byte, c *source.Chunk) bool {
		if c.Kind != source.Extension {
			return true
		}
		end := c.End
		if c.Body > 0 {
			end = c.Body
		}
		head := src[c.Ident:end]
		if at := where.FindIndex(head); at != nil {
			head = head[:at[0]]
		}
		c.Name = strings.Join(strings.Fields(string(head)), " ")
		return c.Name != ""
	}
}
