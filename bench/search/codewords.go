package main

import (
	"strings"
	"unicode"

	"github.com/blevesearch/go-porterstemmer"
)

// codeWords returns the words of a text for the strong baseline: identifiers as a whole and their parts, stemmed, and runs of
// Japanese as pairs of characters.
func codeWords(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			for part := range scripts(word) {
				if isJapanese([]rune(part)[0]) {
					if !pairs(part, yield) {
						return
					}
					continue
				}
				parts := splitIdentifier(part)
				if len(parts) != 1 && !yield(strings.ToLower(part)) {
					return
				}
				for _, p := range parts {
					if !yield(porterstemmer.StemString(strings.ToLower(p))) {
						return
					}
				}
			}
		}
	}
}

func isJapanese(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// scripts returns the parts of a word, each all Japanese or without Japanese.
func scripts(word string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, japanese := 0, false
		for i, r := range word {
			if now := isJapanese(r); now != japanese {
				if i > start && !yield(word[start:i]) {
					return
				}
				start, japanese = i, now
			}
		}
		if start < len(word) {
			yield(word[start:])
		}
	}
}

// pairs yields the pairs of neighbouring characters, or a single character.
func pairs(text string, yield func(string) bool) bool {
	runes := []rune(text)
	if len(runes) == 1 {
		return yield(text)
	}
	for i := range len(runes) - 1 {
		if !yield(string(runes[i : i+2])) {
			return false
		}
	}
	return true
}
