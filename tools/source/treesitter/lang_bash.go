package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

func bashGrammar() grammar {
	return grammar{language: "shell", file: "bash", adjust: bashChunk, requires: []string{"source", "."}, added: &source.Definition{
		Aliases: []string{"bash", "sh", "zsh"}, Extensions: []string{".sh", ".bash", ".zsh", ".ksh", ".bats"},
		FileNames:    []string{".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"},
		Interpreters: []string{"sh", "bash", "zsh", "ksh", "dash"},
		Signs:        []string{"fi\n", "then\n", "done\n", "esac", "echo ", "$(", `"$`, "[ ", "local ", "#!/bin"},
		Syntax: source.Syntax{
			LineComments: []string{"#"},
			Strings:      []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'", Raw: true}},
			Keywords: []string{
				"case", "do", "done", "elif", "else", "esac", "export", "fi", "for", "function", "if", "in", "local", "readonly", "return",
				"select", "then", "until", "while",
			},
		},
	}}
}

// bashChunk finds constants by their command.
func bashChunk(src []byte, c *source.Chunk) bool {
	if c.Kind == source.Variable && bytes.HasPrefix(src[c.Sig:], []byte("readonly ")) {
		c.Kind = source.Constant
	}
	return true
}
