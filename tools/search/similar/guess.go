package similar

import "bytes"

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

// guess returns the most likely language of code. It can confuse similar languages,
// whose tokens are then nearly the same.
func guess(code []byte) string {
	if len(code) > 16<<10 {
		code = code[:16<<10]
	}
	best, lang := 1, ""
	for _, one := range signsOf {
		score := 0
		for _, sign := range one.signs {
			if bytes.Contains(code, []byte(sign)) {
				score += 1 + min(len(sign)/4, 2)
			}
		}
		if score > best {
			best, lang = score, one.lang
		}
	}
	return lang
}
