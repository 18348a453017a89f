package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func phpGrammar() grammar { return grammar{language: source.PHP, adjust: phpChunk} }

// phpChunk recognizes constructors and destructors by their names, and constants that
// a call of define makes from other calls.
func phpChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Method:
		switch strings.ToLower(c.Name) {
		case "__construct":
			c.Kind = source.Initializer
		case "__destruct":
			c.Kind = source.Deinitializer
		}
	case source.Property:
		if accessorsOnly(src[c.Body:c.End]) {
			c.Body = 0
		}
	case source.Constant:
		if quote := src[c.Ident-1]; quote == '"' || quote == '\'' {
			called, _, _ := bytes.Cut(src[c.Decl:c.Ident], []byte("("))
			return bytes.EqualFold(bytes.TrimSpace(called), []byte("define"))
		}
	}
	return true
}
