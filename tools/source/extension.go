package source

import (
	"path"
	"strings"
)

// Extender is an optional interface of a Parser for files that LanguageOf does not recognize by
// name.
type Extender interface {
	// Extensions maps file extensions, with the dot and in lower case (".zig"), to languages. They
	// take precedence over LanguageOf. An entry for a language that the Parser does not support is
	// ignored.
	Extensions() map[string]Language
}

// registerExtensions adds the file extensions of a parser. An extension that an earlier parser
// registered keeps its language.
func (p *Parsers) registerExtensions(one Parser) {
	e, ok := one.(Extender)
	if !ok {
		return
	}
	reads := map[Language]bool{}
	for _, lang := range one.Languages() {
		reads[lang] = true
	}
	for ext, lang := range e.Extensions() {
		if _, taken := p.extensions[ext]; !taken && reads[lang] {
			p.extensions[ext] = lang
		}
	}
}

// LanguageOf detects the language of a file like the function LanguageOf. Extensions that a parser
// registers by Extender take precedence.
func (p *Parsers) LanguageOf(name string, head []byte) (Language, bool) {
	if len(p.extensions) > 0 {
		if lang, ok := p.extensions[strings.ToLower(path.Ext(name))]; ok {
			return lang, true
		}
	}
	return LanguageOf(name, head)
}

// LanguageNamed returns a language that a parser supports: by its exact name, its lower-case name,
// or an alias of the function LanguageNamed.
func (p *Parsers) LanguageNamed(name string) (Language, bool) {
	if lang := Language(name); p.Supports(lang) {
		return lang, true
	}
	if lang := Language(strings.ToLower(name)); p.Supports(lang) {
		return lang, true
	}
	lang, ok := LanguageNamed(name)
	return lang, ok && p.Supports(lang)
}
