package command

import "strings"

// What a script computes is followed as text in which some bytes stand for what cannot be known before it runs. They are control
// characters that Check takes out of everything that comes from outside.
const (
	unknown = "\x00" // any text, perhaps none
	foreign = "\x01" // any text that came from the network or was decoded, so that nobody has read it
	inner   = "\x02" // a name, a number or a path below what stands before it, never empty and without ".."
	hook    = "\x03" // commands for the shell that a known program prints so that they are evaluated
	star    = "\x04" // an active * of a file name pattern
	one     = "\x05" // an active ? or [...]
	end     = "\x06" // no text has it: ends a list of arguments that is longer than what is known

	unknowns = unknown + foreign + inner + hook + end
	globs    = star + one
)

// known reports whether nothing in the text is open.
func known(text string) bool { return !strings.ContainsAny(text, unknowns+globs) }

// certain reports whether nothing but names of files is open in the text.
func certain(text string) bool { return !strings.ContainsAny(text, unknowns) }

// cleaned is text from outside without the bytes that have a meaning here. They have none for a shell.
func cleaned(text string) string {
	if !strings.ContainsAny(text, unknowns+globs) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r <= 6 {
			return '\uFFFD'
		}
		return r
	}, text)
}

// shown makes what is known of a text fit to be read.
func shown(text string) string {
	return strings.NewReplacer(unknown, "…", foreign, "…", inner, "…", hook, "…", star, "*", one, "?", end, "…").Replace(text)
}

// unquoted makes the characters of a file name pattern active.
func unquoted(text string) string {
	if !strings.ContainsAny(text, "*?[") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*':
			out.WriteString(star)
		case '?':
			out.WriteString(one)
		case '[':
			n := bracket(text[i:])
			if n == 0 {
				out.WriteByte('[')
				continue
			}
			out.WriteString(one)
			i += n - 1
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// bracket is the length of the bracket expression that a text begins with.
func bracket(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == ']' && i > 1 && !(i == 2 && (text[1] == '!' || text[1] == '^')) {
			return i + 1
		}
		if text[i] == '/' {
			break
		}
	}
	return 0
}

// plain turns active patterns back into the characters that they were written with.
func plain(text string) string {
	if !strings.ContainsAny(text, globs) {
		return text
	}
	return strings.NewReplacer(star, "*", one, "?").Replace(text)
}

// matches reports whether a pattern with star and one can mean a text; what is unknown can be anything.
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
	for p < len(pattern) && strings.IndexByte(star+unknowns, pattern[p]) >= 0 {
		p++
	}
	return p == len(pattern)
}

// source is text with open places as a script that can be parsed: they become variables that only this package sets.
func source(text string) string {
	if known(text) {
		return text
	}
	return strings.NewReplacer(unknown, "${"+varUnknown+"}", foreign, "${"+varForeign+"}", inner, "${"+varInner+"}", hook, "", star, "*", one, "?", end, "").Replace(text)
}

// The variables that stand for open places in a script that is parsed.
const (
	varUnknown = "__dougu_unknown"
	varForeign = "__dougu_foreign"
	varInner   = "__dougu_inner"
)

// literal is text as one word of a script.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// firstLine is text up to its first line end.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// taint is what is left of a text when a program changes it in a way that is not followed.
func taint(text string) string {
	if strings.Contains(text, foreign) {
		return foreign
	}
	return unknown
}
