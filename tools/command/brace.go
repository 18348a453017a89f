package command

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words that the braces of one word may become. A word with more of them has unknown text for its braces.
const maxBraces = 64

// expanded returns the words that bash makes of a word with braces: rm {a,b} removes a and b. Other words are returned as they are.
func expanded(word *syntax.Word) []*syntax.Word {
	split := &syntax.Word{Parts: slices.Clone(word.Parts)}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{word}
	}
	all, ok := alternatives(split.Parts)
	if !ok {
		return []*syntax.Word{word}
	}
	words := make([]*syntax.Word, len(all))
	for i, parts := range all {
		words[i] = &syntax.Word{Parts: parts}
	}
	return words
}

// alternatives expands the braces of parts; false means that there are too many words.
func alternatives(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	all := [][]syntax.WordPart{nil}
	for _, part := range parts {
		choices, ok := choicesOf(part)
		if !ok || len(all)*len(choices) > maxBraces {
			return nil, false
		}
		next := make([][]syntax.WordPart, 0, len(all)*len(choices))
		for _, before := range all {
			for _, choice := range choices {
				next = append(next, slices.Concat(before, choice))
			}
		}
		all = next
	}
	return all, true
}

// choicesOf returns the texts that one part can become. A sequence of numbers or letters is one choice, of unknown text.
func choicesOf(part syntax.WordPart) ([][]syntax.WordPart, bool) {
	brace, ok := part.(*syntax.BraceExp)
	switch {
	case !ok:
		return [][]syntax.WordPart{{part}}, true
	case brace.Sequence:
		return [][]syntax.WordPart{{brace}}, true
	}
	var choices [][]syntax.WordPart
	for _, elem := range brace.Elems {
		more, ok := alternatives(elem.Parts)
		if choices = append(choices, more...); !ok || len(choices) > maxBraces {
			return nil, false
		}
	}
	return choices, true
}

// ansiQuoted returns the text of $'…', which has the escapes of C.
func ansiQuoted(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		const letters, meanings = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
		if at := strings.IndexByte(letters, text[i]); at >= 0 {
			b.WriteByte(meanings[at])
			continue
		}
		base, most := 0, 0
		switch c := text[i]; {
		case c == 'x':
			base, most = 16, 2
		case c == 'u':
			base, most = 16, 4
		case c == 'U':
			base, most = 16, 8
		case c == 'c' && i+1 < len(text):
			i++
			b.WriteByte(text[i] & 0x1f)
			continue
		case '0' <= c && c <= '7':
			base, most = 8, 3
			i--
		}
		end := i + 1
		for end < len(text) && end <= i+most && isDigit(text[end], base) {
			end++
		}
		value, err := strconv.ParseUint(text[i+1:end], max(base, 2), 32)
		switch {
		case err != nil:
			b.WriteString(`\` + text[i:i+1])
			continue
		case most <= 3: // a byte
			b.WriteByte(byte(value))
		default:
			b.Write(utf8.AppendRune(nil, rune(value)))
		}
		i = end - 1
	}
	return cleaned(b.String())
}

func isDigit(c byte, base int) bool {
	return '0' <= c && c <= '7' || base == 16 && (c == '8' || c == '9' || 'a' <= c|0x20 && c|0x20 <= 'f')
}
