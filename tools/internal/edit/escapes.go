package edit

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// class is a set of kinds of escapes.
type class uint8

const (
	spaceEscapes class = 1 << iota // \n \t \r
	quoteEscapes                   // \" \' \`
	backslashes                    // \\
	otherEscapes                   // \/ \u0000
	allEscapes   = spaceEscapes | quoteEscapes | backslashes | otherEscapes
)

const unexplained = "read with its escapes as characters, or its characters as escapes, oldText is there, but newText has some that oldText does not explain"

// escapeReadings returns the possible readings of an edit whose text was escaped once too often. If slashes is set, the text
// contains backslashes, and Old can also be escaped once too rarely.
func escapeReadings(old, new string, slashes bool) []reading {
	var all []reading
	if strings.Contains(old, `\`) {
		for _, c := range []class{quoteEscapes, spaceEscapes, quoteEscapes | spaceEscapes, allEscapes, backslashes} {
			if r, ok := unescaped(old, new, c); ok && !has(all, r.old) {
				all = append(all, r)
			}
		}
	}
	if slashes {
		present := classesOf(old)
		for c := class(1); c <= spaceEscapes|quoteEscapes|backslashes; c++ {
			if c&^present == 0 {
				all = append(all, escaped(old, new, c, present))
			}
		}
	}
	return all
}

func has(readings []reading, old string) bool {
	for _, r := range readings {
		if r.old == old {
			return true
		}
	}
	return false
}

// unescaped replaces escapes of a class by characters. It treats New alike if Old has this kind of escape. Otherwise the
// meaning in New is unknown, unless New also contains the character.
func unescaped(old, new string, c class) (reading, bool) {
	text, used, left := unescape(old, c)
	if used == 0 {
		return reading{}, false
	}
	r := reading{old: text, by: Escapes}
	known := used
	if used&backslashes != 0 {
		known = allEscapes // an escaped backslash implies that everything is escaped
	}
	var unknown class
	r.new, _, unknown = unescape(new, known)
	if strings.ContainsAny(new, "\n\t") {
		unknown &^= spaceEscapes
	}
	if strings.ContainsAny(strings.ReplaceAll(new, `\"`, ""), `"`) {
		unknown &^= quoteEscapes
	}
	if unknown&^left != 0 {
		r.refused = unexplained
	}
	return r, true
}

// unescape replaces the escapes of a class. It returns the classes that it replaced and those that it left.
func unescape(s string, c class) (out string, used, left class) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String(), used, left
		}
		b.WriteString(s[:i])
		text, size, kind := escape(s[i:])
		if kind&c != 0 {
			b.WriteString(text)
			used |= kind
		} else {
			b.WriteString(s[i : i+size])
			left |= kind
		}
		s = s[i+size:]
	}
}

// escape parses the escape at the beginning of s: its text, its length and its class, or 0 for other text.
func escape(s string) (text string, size int, kind class) {
	switch c := s[1]; c {
	case 'n':
		return "\n", 2, spaceEscapes
	case 't':
		return "\t", 2, spaceEscapes
	case 'r':
		return "\r", 2, spaceEscapes
	case '"', '\'', '`':
		return s[1:2], 2, quoteEscapes
	case '\\':
		return `\`, 2, backslashes
	case '/':
		return "/", 2, otherEscapes
	case 'u':
		if r, ok := hex(s); ok && !utf16.IsSurrogate(r) {
			return string(r), 6, otherEscapes
		} else if low, lowOK := hex(s[min(6, len(s)):]); ok && lowOK {
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return string(r), 12, otherEscapes
			}
		}
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return "", 1 + n, 0
}

// hex reads \u and four digits.
func hex(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// escaped replaces characters by escapes: a line end in Old is \n in the text. In New it replaces only characters in parts that
// it shares with Old.
func escaped(old, new string, c, present class) reading {
	r := reading{old: escapeAll(old, c), new: escapeAll(new, c), by: Escapes}
	was, now := tokens(old), tokens(new)
	for _, s := range textdiff.Compare(was, now) {
		if classesOf(strings.Join(now[s.B0:s.B1], ""))&(c|^present) != 0 {
			r.refused = unexplained
		}
	}
	return r
}

// classesOf returns the kinds of escapes that a text would need.
func classesOf(s string) class {
	var c class
	if strings.ContainsAny(s, "\n\t\r") {
		c |= spaceEscapes
	}
	if strings.Contains(s, `"`) {
		c |= quoteEscapes
	}
	if strings.Contains(s, `\`) {
		c |= backslashes
	}
	return c
}

// escapeAll escapes the characters of a class.
func escapeAll(s string, c class) string {
	var pairs []string
	if c&backslashes != 0 {
		pairs = append(pairs, `\`, `\\`)
	}
	if c&quoteEscapes != 0 {
		pairs = append(pairs, `"`, `\"`)
	}
	if c&spaceEscapes != 0 {
		pairs = append(pairs, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}
