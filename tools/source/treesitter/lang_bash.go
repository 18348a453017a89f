package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/internal/definitions"
)

func bashGrammar() grammar {
	return grammar{language: "shell", file: "bash", adjust: bashChunk, requires: []string{"source", "."}, added: new(definitions.Shell())}
}

// bashChunk finds constants by their command.
func bashChunk(src []byte, c *source.Chunk) bool {
	if c.Kind == source.Variable && bytes.HasPrefix(src[c.Sig:], []byte("readonly ")) {
		c.Kind = source.Constant
	}
	return true
}
