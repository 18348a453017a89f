package source

import (
	"path"
	"strings"
)

// Extender is what a Parser may be as well: it says in which files its languages
// are written. One whose languages LanguageOf knows need not.
type Extender interface {
	// Extensions are the ends of the names of files, from the last dot on and in lower
	// case (".zig"), with the languages of such files. They come before what LanguageOf
	// says. Those of languages that the Parser does not read count for nothing.
	Extensions() map[string]Language
}

// extend notes what a parser says of the names of files; the first who says
// something of an extension has the word.
func (p *Parsers) extend(one Parser) {
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

// LanguageOf is the function LanguageOf, with what the parsers themselves say of
// the names of their files: see Extender.
func (p *Parsers) LanguageOf(name string, head []byte) (Language, bool) {
	if len(p.extensions) > 0 {
		if lang, ok := p.extensions[strings.ToLower(path.Ext(name))]; ok {
			return lang, true
		}
	}
	return LanguageOf(name, head)
}

// LanguageNamed finds a language that some parser knows: by its name, or by one that
// the function LanguageNamed takes.
func (p *Parsers) LanguageNamed(name string) (Language, bool) {
	if lang := Language(name); p.Knows(lang) {
		return lang, true
	}
	if lang := Language(strings.ToLower(name)); p.Knows(lang) {
		return lang, true
	}
	lang, ok := LanguageNamed(name)
	return lang, ok && p.Knows(lang)
}
