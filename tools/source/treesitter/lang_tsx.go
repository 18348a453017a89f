package treesitter

import "github.com/dougu-go/dougu/tools/source"

// tsxGrammar has the declarations of TypeScript, with elements in expressions.
func tsxGrammar() grammar {
	return grammar{language: source.TSX, query: source.TypeScript, adjust: scriptChunk}
}
