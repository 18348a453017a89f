package document

import "github.com/dougu-go/dougu/tools/search/index"

const (
	maxData = 128 << 10 // how much of data, and of what is minified, is found by its words
	// What a piece of a plain text may have.
	plainLines = 80
	plainBytes = 8 << 10
)

// other cuts a text that no parser has read.
func other(text []byte, lang string) []index.Piece {
	if isData(lang) || minified(text) {
		return plain(text, lang)
	}
	if find, ok := formats[lang]; ok {
		return sections(text, find)
	}
	switch lang {
	case "text", "css", "makefile", "dockerfile", "batch", "assembly", "template", "gomod":
		return plain(text, lang)
	case "shell", "perl", "powershell", "lua":
		return sections(text, outline(shells))
	}
	return sections(text, outline(declaring))
}

// plain cuts a text of which nothing is known but lines.
func plain(text []byte, lang string) []index.Piece {
	end := len(text)
	if isData(lang) || minified(text) {
		end = min(end, maxData)
	}
	t := newTree(text, end)
	t.most = room{plainLines, plainBytes}
	return t.pieces()
}

// isData says that files of a language are written by programs, most of them.
func isData(lang string) bool {
	switch lang {
	case "json", "csv", "xml", "lock", "notebook", "diff":
		return true
	}
	return false
}
