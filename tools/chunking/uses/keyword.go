package uses

import (
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// Keywords that can stand before a parenthesis.
var (
	scriptKeywords = []string{"if", "for", "while", "switch", "catch", "with", "return", "function", "await", "typeof", "new", "in", "case", "else", "do", "yield", "void", "delete", "throw", "instanceof"}
	javaKeywords   = []string{"if", "for", "while", "switch", "catch", "return", "new", "case", "else", "do", "yield", "throw", "synchronized", "try", "assert", "instanceof"}
	pythonKeywords = []string{"and", "as", "assert", "await", "del", "elif", "else", "except", "for", "from", "if", "import", "in", "is", "lambda", "not", "or", "raise", "return", "while", "with", "yield"}
)

// keywordsOf returns the keywords of a language.
func keywordsOf(language source.Language) []string {
	switch language {
	case source.Java:
		return javaKeywords
	case source.Python:
		return pythonKeywords
	}
	return scriptKeywords
}

// isKeyword reports whether a token is a keyword. A keyword after a dot is the name of a
// member.
func (f *text) isKeyword(i int) bool {
	if !f.isName(i) {
		return false
	}
	switch f.at(i - 1) {
	case ".", "?.", "::", "#":
		return false
	}
	if slices.Contains(f.keywords, f.at(i)) {
		return true
	}
	// "of" is a keyword only after the variable of a loop.
	return f.at(i) == "of" && f.language != source.Java && f.language != source.Python && !f.newLine(i) &&
		(f.isName(i-1) && !f.isKeyword(i-1) || f.at(i-1) == "]" || f.at(i-1) == "}")
}
