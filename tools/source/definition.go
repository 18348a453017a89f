package source

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Definer is an optional interface of a Parser that adds languages. Without it, files of an added language are not recognized, and
// only a parameter can select the language.
type Definer interface {
	// Definitions returns the languages that the Parser adds. A definition of a language that the Parser does not support is
	// ignored. The caller does not change the result.
	Definitions() []Definition
}

// Definition describes a language that a Parser adds. Only Language is required. Unmatched brackets of an added language are not
// repaired: its Parser reads damaged texts itself.
type Definition struct {
	// Language is the name that parameters and results of tools use, in lower case.
	Language Language
	// Aliases are further names that parameters accept, regardless of case.
	Aliases []string
	// Extensions are the file extensions with their only dot, regardless of case: ".lua". They take precedence over the built-in
	// languages.
	Extensions []string
	// FileNames are names of files without a telling extension: "Rakefile". They take precedence over extensions.
	FileNames []string
	// Interpreters are the programs in the "#!" line of scripts without an extension, without a version: "lua" also selects
	// lua5.4.
	Interpreters []string
	// Data says that the files hold data, documents or styles. They are read if a tool names the file. The tools that read an
	// entire project leave them out. The default is false.
	Data bool
	// Signs are sequences of characters that are typical of the language, by which code without a file name is recognized. Default: nil,
	// which recognizes code in which the Checker of the language finds no error. An empty list recognizes none.
	Signs []string
	// Syntax describes comments and strings for the tools that read a text without its parser.
	Syntax Syntax
}

// Definition returns the definition that a parser has added for a language. ok is false for a language without
// one, such as most built-in languages.
func (p *Parsers) Definition(lang Language) (d Definition, ok bool) {
	if p == nil {
		return Definition{}, false
	}
	d, ok = p.definitions[lang]
	return d, ok
}

// IsData reports whether the files of a language hold data, documents or styles: see Definition.
func (p *Parsers) IsData(lang Language) bool {
	d, ok := p.Definition(lang)
	return ok && d.Data
}

// define adds the definitions of a parser. A name that an earlier parser uses keeps its language.
func (p *Parsers) define(one Parser) {
	definer, ok := one.(Definer)
	if !ok {
		return
	}
	languages := one.Languages()
	for _, d := range definer.Definitions() {
		if d.Language == "" || !slices.Contains(languages, d.Language) {
			continue
		}
		if _, taken := p.definitions[d.Language]; !taken {
			p.definitions[d.Language] = d
		}
		for _, names := range []struct {
			all   map[string]Language
			add   []string
			lower bool
		}{{p.aliases, d.Aliases, true}, {p.extensions, d.Extensions, true}, {p.fileNames, d.FileNames, false}, {p.interpreters, d.Interpreters, false}} {
			for _, name := range names.add {
				if names.lower {
					name = strings.ToLower(name)
				}
				if _, taken := names.all[name]; !taken && name != "" {
					names.all[name] = d.Language
				}
			}
		}
	}
}

// LanguageOf detects the language of a file like the function LanguageOf. The names and extensions that a parser adds by Definer
// take precedence. A nil Parsers knows the built-in languages.
func (p *Parsers) LanguageOf(name string, head []byte) (Language, bool) {
	if p == nil || len(p.definitions) == 0 {
		return LanguageOf(name, head)
	}
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	ext := path.Ext(base)
	if lang, ok := p.fileNames[base]; ok {
		return lang, true
	}
	if lang, ok := p.extensions[strings.ToLower(ext)]; ok {
		return lang, true
	}
	if ext == "" {
		for program := range interpreters(head) {
			if lang, ok := p.interpreters[program]; ok {
				return lang, true
			}
		}
	}
	if lang := Language("objectivec"); strings.EqualFold(ext, ".h") && p.Supports(lang) && looksLikeObjectiveC(head) {
		return lang, true
	}
	return LanguageOf(name, head)
}

// looksLikeObjectiveC reports whether a line of a header begins with a directive that C and C++ do not have.
func looksLikeObjectiveC(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		for _, word := range [...]string{"@interface", "@protocol", "@class", "@import", "#import"} {
			if bytes.HasPrefix(line, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// LanguageNamed returns a language that a parser supports: by its exact name, its lower-case name, an alias that a parser adds, or
// an alias of the function LanguageNamed.
func (p *Parsers) LanguageNamed(name string) (Language, bool) {
	if lang := Language(name); p.Supports(lang) {
		return lang, true
	}
	lower := strings.ToLower(name)
	if lang := Language(lower); p.Supports(lang) {
		return lang, true
	}
	if lang, ok := p.aliases[lower]; ok {
		return lang, true
	}
	lang, ok := LanguageNamed(name)
	return lang, ok && p.Supports(lang)
}
