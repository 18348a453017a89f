package treesitter

import "github.com/dougu-go/dougu/tools/source"

func typescriptGrammar() grammar { return grammar{language: source.TypeScript, adjust: scriptChunk} }
