package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

func goGrammar() grammar { return grammar{language: source.Go, adjust: goChunk} }

// goChunk begins a declaration that is alone after its keyword with that.
func goChunk(src []byte, c *source.Chunk) bool {
	if c.Name == "_" && (c.Kind.IsValue() && c.Kind != source.Property || c.Kind == source.Lambda) {
		return false
	}
	before := bytes.TrimRight(src[:c.Decl], " \t")
	for _, word := range []string{"type", "var", "const"} {
		rest, found := bytes.CutSuffix(before, []byte(word))
		if found && len(before) < int(c.Decl) && (len(rest) == 0 || !isWord(rest[len(rest)-1])) {
			c.Decl = int32(len(rest))
			c.Sig = c.Decl
		}
	}
	return true
}
