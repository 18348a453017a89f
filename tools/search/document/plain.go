package document

import "github.com/dougu-go/dougu/tools/search/index"

const (
	maxData = 128 << 10 // bytes of data files and minified files that are indexed
	// Limits of a piece of plain text.
	plainLines = 80
	plainBytes = 8 << 10
)

// cutUnparsed splits a text without a parser.
func cutUnparsed(text []byte, lang string) []index.Piece {
	if isData(lang) || isMinified(text) {
		return cutPlain(text, lang)
	}
	if find, ok := formats[lang]; ok {
		return sections(text, find)
	}
	switch lang {
	case "text", "css", "makefile", "dockerfile", "batch", "assembly", "template", "gomod":
		return cutPlain(text, lang)
	case "shell", "perl", "powershell", "lua":
		return sections(text, outline(shellWords))
	}
	return sections(text, outline(declarationWords))
}

// cutPlain splits a text by lines only.
func cutPlain(text []byte, lang string) []index.Piece {
	end := len(text)
	if isData(lang) || isMinified(text) {
		end = min(end, maxData)
	}
	t := newTree(text, end)
	t.limits = budget{plainLines, plainBytes}
	return t.pieces()
}

// isData reports whether files of a language are usually written by programs.
func isData(lang string) bool {
	switch lang {
	case "json", "csv", "xml", "lock", "notebook", "diff":
		return true
	}
	return false
}
