package index

import (
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// head is the number of bytes from which the language of a file is detected.
const head = 16 << 10

// languageOf is Parsers.LanguageOf for the beginning of the content.
func (x *Index) languageOf(name string, content []byte) (source.Language, bool) {
	return x.o.Parsers.LanguageOf(name, content[:min(len(content), head)])
}

// languageByName returns the language that a file name implies. open reports that the
// content decides, so that lang is a guess.
func (x *Index) languageByName(name string) (lang source.Language, open, ok bool) {
	lang, ok = x.o.Parsers.LanguageOf(name, nil)
	switch strings.ToLower(path.Ext(name)) {
	case ".h":
		return lang, lang == source.C, ok
	case "":
		return lang, !ok, ok
	}
	return lang, false, ok
}

// languages is a set of languages.
type languages map[source.Language]bool

func languageSet(all []source.Language) languages {
	set := languages{}
	for _, lang := range all {
		set[lang] = true
	}
	return set
}

// intersect returns the languages in both sets. An empty other stands for all.
func (l languages) intersect(other []source.Language) languages {
	if len(other) == 0 {
		return l
	}
	set := languages{}
	for _, lang := range other {
		if l[lang] {
			set[lang] = true
		}
	}
	return set
}
