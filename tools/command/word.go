package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Words of a script are text in which these control characters stand for something else. cleaned removes them from all input.
const (
	unknown = "\x00" // any text, perhaps none
	some    = "\x01" // any text but none
	star    = "\x02" // an active * of a file name pattern
	one     = "\x03" // an active ? or [...]

	unknowns = unknown + some
	globs    = star + one
)

// known reports whether a text stands for itself alone.
func known(text string) bool { return !strings.ContainsAny(text, unknowns+globs) }

// cleaned returns text from outside without the characters that have a meaning here.
func cleaned(text string) string {
	if known(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r <= 3 {
			return '\uFFFD'
		}
		return r
	}, text)
}

// quoteText returns a text as a message shows it.
func quoteText(text string) string {
	return strings.NewReplacer(unknown, "…", some, "…", star, "*", one, "?").Replace(text)
}

// source returns a text as a script: unknown parts become variables.
func source(text string) string {
	return strings.NewReplacer(unknown, "$_", some, "${_:?}", star, "*", one, "?").Replace(text)
}

// words returns the texts of words. Braces make several words of one.
func (k *checker) words(all []*syntax.Word) []string {
	argv := make([]string, 0, len(all))
	for _, word := range all {
		for _, one := range expanded(word) {
			argv = append(argv, k.word(one))
		}
	}
	return argv
}

func (k *checker) word(word *syntax.Word) string {
	var b strings.Builder
	for i, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			text := lit.Value
			if rest, ok := strings.CutPrefix(text, "~"); ok && i == 0 {
				if user, _, _ := strings.Cut(rest, "/"); user == "" {
					b.WriteString(k.home)
				} else {
					b.WriteString(some)
				}
				_, text, ok = strings.Cut(rest, "/")
				if ok {
					text = "/" + text
				}
			}
			unquoted(&b, text)
			continue
		}
		k.part(&b, part)
	}
	return b.String()
}

// part writes the text of a part of a word that is not plain.
func (k *checker) part(b *strings.Builder, part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.SglQuoted:
		if part.Dollar {
			b.WriteString(ansiQuoted(part.Value))
		} else {
			b.WriteString(part.Value)
		}
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				doubleQuoted(b, lit.Value)
			} else {
				k.part(b, inner)
			}
		}
	case *syntax.ParamExp:
		b.WriteString(k.parameter(part))
	case *syntax.ExtGlob:
		b.WriteString(star)
	default: // substitutions and arithmetic
		b.WriteString(some)
	}
}

// parameter returns the text of a variable: $HOME and $PWD are known. A variable that the script has set, or with a default, is not empty.
func (k *checker) parameter(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return unknown
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return some
		}
		return unknown
	}
	switch name := p.Param.Value; {
	case name == "HOME":
		return k.home
	case name == "PWD" && k.dir != "":
		return k.dir
	case k.assigned[name]:
		return some
	}
	return unknown
}

// unquoted writes plain text of a script: it removes backslashes and marks the patterns of file names. Braces that are not expanded
// become unknown text.
func unquoted(b *strings.Builder, text string) {
	if !strings.ContainsAny(text, `\*?[{`) {
		b.WriteString(text)
		return
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case '*':
			b.WriteString(star)
		case '?':
			b.WriteString(one)
		case '[':
			if n := bracket(text[i:]); n > 0 {
				b.WriteString(one)
				i += n - 1
			} else {
				b.WriteByte('[')
			}
		case '{':
			if !strings.Contains(text[i:], ",") && !strings.Contains(text[i:], "..") {
				b.WriteByte('{')
				continue
			}
			b.WriteString(some)
			n := strings.LastIndexByte(text[i:], '}')
			if n < 0 {
				return // a quoted part follows within the braces
			}
			i += n
		default:
			b.WriteByte(text[i])
		}
	}
}

// bracket returns the length of the bracket expression that a text begins with; 0 for none.
func bracket(text string) int {
	for i := 1; i < len(text) && text[i] != '/'; i++ {
		if text[i] == ']' && i > 1 && !(i == 2 && (text[1] == '!' || text[1] == '^')) {
			return i + 1
		}
	}
	return 0
}

// doubleQuoted writes plain text between double quotes.
func doubleQuoted(b *strings.Builder, text string) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
}

// matches reports whether a pattern can mean a text. In the pattern, one stands for a character, and star and unknown text for any.
func matches(pattern, text string) bool {
	p, t, retry, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && strings.IndexByte(star+unknowns, pattern[p]) >= 0:
			retry, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == one[0] || pattern[p] == text[t]):
			p, t = p+1, t+1
		case retry >= 0:
			from++
			p, t = retry+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], star+unknowns) == ""
}
