package treesitter

import "github.com/dougu-go/dougu/tools/chunking/parse"

func tsxGrammar() grammar { return grammar{language: parse.TSX, adjust: scriptChunk} }
