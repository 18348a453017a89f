package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

func phpGrammar() grammar { return grammar{language: parse.PHP, adjust: phpChunk} }

// phpChunk knows constructors and destructors by their names, and constants that
// a call of define makes from other calls.
func phpChunk(src []byte, c *parse.Chunk) bool {
	switch c.Kind {
	case parse.Method:
		switch strings.ToLower(c.Name) {
		case "__construct":
			c.Kind = parse.Initializer
		case "__destruct":
			c.Kind = parse.Deinitializer
		}
	case parse.Property:
		if accessorsOnly(src[c.Body:c.End]) {
			c.Body = 0
		}
	case parse.Constant:
		if quote := src[c.Ident-1]; quote == '"' || quote == '\'' {
			called, _, _ := bytes.Cut(src[c.Decl:c.Ident], []byte("("))
			return bytes.EqualFold(bytes.TrimSpace(called), []byte("define"))
		}
	}
	return true
}
