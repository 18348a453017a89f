// Package definitions describes the languages that have both a scanner and a grammar and that package source does not know: their file
// names, signs and syntax for people. The parsers of both kinds return the same Definition.
package definitions

import "github.com/dougu-go/dougu/tools/source"

// Dart describes Dart.
func Dart() source.Definition {
	return source.Definition{
		Language:   "dart",
		Extensions: []string{".dart"}, Interpreters: []string{"dart"},
		Signs: []string{"final ", "void ", "@override", "Widget ", "late ", "required ", "import 'package:", "List<", "Future<", "=> "},
		Syntax: source.Syntax{
			LineComments:  []string{"//"},
			BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}},
			Strings: []source.Delimiters{
				{Open: `"""`, Close: `"""`, Raw: true}, {Open: "'''", Close: "'''", Raw: true}, {Open: `"`, Close: `"`}, {Open: "'", Close: "'"},
			},
			Keywords: []string{
				"abstract", "as", "assert", "async", "await", "break", "case", "catch", "class", "const", "continue", "default", "do", "else",
				"enum", "extends", "extension", "factory", "false", "final", "finally", "for", "get", "if", "implements", "import", "in", "is",
				"late", "mixin", "new", "null", "on", "operator", "rethrow", "return", "set", "static", "super", "switch", "this", "throw",
				"true", "try", "typedef", "var", "void", "while", "with", "yield",
			},
		},
	}
}

// Shell describes the shell scripts of the POSIX shell, bash, ksh and zsh.
func Shell() source.Definition {
	return source.Definition{
		Language: "shell",
		Aliases:  []string{"bash", "sh", "zsh"}, Extensions: []string{".sh", ".bash", ".zsh", ".ksh", ".bats"},
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
	}
}
