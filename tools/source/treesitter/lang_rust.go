package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func rustGrammar() grammar {
	return grammar{language: source.Rust, adjust: rustChunk, imported: rustImport}
}

// rustChunk names an impl block after its type.
func rustChunk(_ []byte, c *source.Chunk) bool {
	if c.Kind == source.Extension {
		c.Name = rustType(c.Name)
	}
	return c.Name != ""
}

// rustImport is a path in one line.
func rustImport(path string) string { return strings.Join(strings.Fields(path), " ") }

// rustType is the name of a type without path, arguments, lifetimes and
// references: Stack of a::Stack<'_, T>. Types without a name stay as they are
// written, but for the blanks.
func rustType(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for {
		rest := strings.TrimLeft(text, "&* ")
		switch {
		case strings.HasPrefix(rest, "'"):
			_, rest, _ = strings.Cut(rest, " ")
		case strings.HasPrefix(rest, "mut "), strings.HasPrefix(rest, "dyn "), strings.HasPrefix(rest, "const "):
			_, rest, _ = strings.Cut(rest, " ")
		}
		if rest == text || rest == "" {
			break
		}
		text = rest
	}
	if text == "" || !isIdentifier(text[0]) && text[0] != ':' {
		return text
	}
	if before, _, found := strings.Cut(text, "<"); found {
		text = before
	}
	if before, _, found := strings.Cut(text, " +"); found {
		text = before
	}
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, ':')+1:])
}
