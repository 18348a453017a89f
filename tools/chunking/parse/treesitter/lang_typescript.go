package treesitter

import "github.com/dougu-go/dougu/tools/chunking/parse"

func typescriptGrammar() grammar { return grammar{language: parse.TypeScript, adjust: scriptChunk} }
