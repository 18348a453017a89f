package treesitter

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

func cGrammar() grammar { return grammar{language: source.C, adjust: cChunk} }

// cChunk finds the name in a declarator, and ends a macro with its text.
func cChunk(src []byte, c *source.Chunk) bool {
	if c.Kind == source.Macro {
		endMacro(src, c)
		return true
	}
	from, to := declaredName(c.Name)
	if to == 0 {
		return false
	}
	c.Ident += int32(from)
	c.Name = c.Name[from:to]
	if c.Kind.IsCallable() && isStatement(c.Name) || c.Ident >= c.End || c.Body > 0 && c.Body <= c.Ident {
		return false
	}
	// An anonymous type is named after its body, which is too long for a line.
	if c.Kind.IsType() && c.Kind != source.TypeAlias && c.Body == 0 {
		c.Signature = "typedef " + c.Kind.String() + " " + c.Name
	}
	return true
}

// isStatement reports whether a name is a word of the language: where the grammar lost
// its way, it takes statements for functions.
func isStatement(name string) bool {
	switch name {
	case "if", "for", "while", "switch", "do", "else", "return", "catch":
		return true
	}
	return false
}

// endMacro leaves the line feed out that the grammar counts to a definition.
func endMacro(src []byte, c *source.Chunk) {
	c.End = c.Decl + int32(len(bytes.TrimRight(src[c.Decl:c.End], " \t\r\n")))
	if c.Body >= c.End {
		c.Body = 0
	}
}

// declaredName finds the name in a declarator: *name[3], (*name)(int), name = 1.
func declaredName(declarator string) (from, to int) {
	for at := 0; at < len(declarator); {
		if !isIdentifier(declarator[at]) {
			if declarator[at] == '=' {
				return 0, 0
			}
			at++
			continue
		}
		end := at
		for end < len(declarator) && isIdentifier(declarator[end]) {
			end++
		}
		switch declarator[at:end] {
		case "const", "volatile", "restrict", "__restrict", "_Nonnull", "_Nullable", "__ptr64", "__cdecl", "__stdcall":
			at = end
			continue
		}
		rest := bytes.TrimLeft([]byte(declarator[end:]), " \t\r\n")
		if len(rest) > 0 && (rest[0] == '*' || isIdentifier(rest[0])) {
			at = end // a calling convention, a macro
			continue
		}
		return at, end
	}
	return 0, 0
}

func isIdentifier(c byte) bool { return isWord(c) || c == '$' || c >= 0x80 }
