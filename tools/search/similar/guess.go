package similar

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
)

// signsOf are character sequences that are typical of languages.
var signsOf = []struct {
	lang  string
	signs []string
}{
	{"go", []string{"func ", ":= ", "err != nil", "package ", "nil", "chan ", "defer ", "[]byte", "map["}},
	{"typescript", []string{"function ", "const ", "=> ", "===", "let ", "export ", "async ", "await ", "undefined", ": string", ": number", "require("}},
	{"python", []string{"def ", "self", "elif ", "None", "import ", "):\n", "True", "False", " not ", " in ", "except"}},
	{"java", []string{"public ", "private ", "void ", "new ", "String ", "static ", "final ", "@Override", "throws "}},
	{"kotlin", []string{"fun ", "val ", "var ", "?.", "?: ", "override fun", "data class", "when (", "suspend "}},
	{"rust", []string{"fn ", "let ", "mut ", "&self", "impl ", "::", "-> ", "pub ", "Some(", "Ok(", "match "}},
	{"swift", []string{"func ", "let ", "var ", "guard ", "self.", "-> ", "if let", "nil", "init(", "@objc", "override func"}},
	{"cpp", []string{"std::", "#include", "const ", "->", "template", "::", "nullptr", "auto ", "void ", "namespace "}},
	{"c", []string{"#include", "->", "NULL", "struct ", "void ", "char *", "size_t", "static ", "int "}},
	{"csharp", []string{"public ", "using ", "var ", "string ", "async Task", "namespace ", "get;", "=> ", "private ", "override "}},
	{"ruby", []string{"def ", "end\n", "do |", "@", "elsif", "nil", "unless ", "puts ", ".each", "require "}},
	{"php", []string{"<?php", "$this->", "function ", "$", "->", "public function", "array("}},
	{"scala", []string{"def ", "val ", "case class", "=> ", "object ", "trait ", "extends ", ": String", "Option["}},
}

// guess returns the most likely language of code, one of the built-in or the added ones. It can confuse similar languages,
// whose tokens are then nearly the same.
func guess(code []byte, added []source.Definition) string {
	if len(code) > 16<<10 {
		code = code[:16<<10]
	}
	best, lang := 1, ""
	for _, one := range signsOf {
		if score := scoreOf(code, one.signs); score > best {
			best, lang = score, one.lang
		}
	}
	for _, d := range added {
		if score := scoreOf(code, d.Signs); score > best {
			best, lang = score, string(d.Language)
		}
	}
	return lang
}

// scoreOf returns the weight of the signs that a text contains.
func scoreOf(code []byte, signs []string) int {
	score := 0
	for _, sign := range signs {
		if bytes.Contains(code, []byte(sign)) {
			score += 1 + min(len(sign)/4, 2)
		}
	}
	return score
}

// addedLanguages returns the definitions of the languages of code that parsers have added, sorted by name.
func addedLanguages(parsers *source.Parsers) []source.Definition {
	if parsers == nil {
		return nil
	}
	var all []source.Definition
	for _, lang := range parsers.Languages() {
		if d, ok := parsers.Definition(lang); ok && !d.Data {
			all = append(all, d)
		}
	}
	return all
}

// addedLanguage returns the language of code that consists of declarations in one of the added languages: its
// source.Checker finds no error in it. It returns "" if there is none.
func addedLanguage(ctx context.Context, code []byte, parsers *source.Parsers, added []source.Definition) string {
	for _, d := range added {
		if d.Signs != nil {
			continue // guess recognizes it
		}
		lang := d.Language
		if problems, _, err := parsers.Check(ctx, code, lang); err != nil || len(problems) > 0 {
			continue
		}
		if file, err := parsers.Parse(ctx, code, lang, source.Options{}); err == nil && len(file.Chunks) > 0 {
			return string(lang)
		}
	}
	return ""
}
