package treesitter

import "github.com/dougu-go/dougu/tools/chunking/parse"

// tsxGrammar has the declarations of TypeScript, with elements in expressions.
func tsxGrammar() grammar {
	return grammar{language: parse.TSX, query: parse.TypeScript, adjust: scriptChunk}
}
