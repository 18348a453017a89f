package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

func zigGrammar() grammar {
	return grammar{language: "zig", adjust: zigChunk, requires: []string{"@import"}, added: &source.Definition{
		Extensions: []string{".zig", ".zon"},
		Signs:      []string{"pub fn ", "const ", "@import(", "try ", "comptime ", "!void", "[]const u8", "anytype", "catch ", "var "},
		Syntax: source.Syntax{
			LineComments: []string{"//"},
			Strings:      []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}},
			Keywords: []string{
				"and", "anytype", "asm", "break", "catch", "comptime", "const", "continue", "defer", "else", "enum", "errdefer", "error",
				"export", "extern", "fn", "for", "if", "inline", "or", "orelse", "packed", "pub", "return", "struct", "switch", "test", "try",
				"union", "unreachable", "var", "volatile", "while",
			},
		},
	}}
}

// zigChunk finds constants by their keyword. An assignment is no declaration.
func zigChunk(src []byte, c *source.Chunk) bool {
	if c.Kind != source.Variable {
		return true
	}
	for _, word := range bytes.Fields(src[c.Sig:c.Ident]) {
		switch string(word) {
		case "const":
			c.Kind = source.Constant
			return true
		case "var":
			return true
		}
	}
	return false
}
