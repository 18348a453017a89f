package index

import (
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// head is how much of a file is looked at to tell its language.
const head = 16 << 10

// languageOf is LanguageOf of the Parsers, for which a prefix of the content is
// enough.
func (x *Index) languageOf(name string, content []byte) (source.Language, bool) {
	return x.o.Parsers.LanguageOf(name, content[:min(len(content), head)])
}

// languageByName says what the name of a file tells about its language. With open, the
// content must be asked, and lang is no more than a guess; without, ok is final.
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

// languages is a set of them.
type languages map[source.Language]bool

func languageSet(all []source.Language) languages {
	set := languages{}
	for _, lang := range all {
		set[lang] = true
	}
	return set
}

// intersect are the languages that are in two sets; the other may be empty for all.
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
