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

// escapeReadings are the ways to understand an edit whose text was escaped once too often, or, if slashes tells that the
// text has any, once too rarely.
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

// unescaped reads escapes of a class as characters. Those in New are read alike if Old has their kind. Of a kind that Old
// does not have it cannot be known how they are meant, unless New itself shows it: it has the character too.
func unescaped(old, new string, c class) (reading, bool) {
	text, used, left := unescape(old, c)
	if used == 0 {
		return reading{}, false
	}
	r := reading{old: text, by: Escapes}
	known := used
	if used&backslashes != 0 {
		known = allEscapes // what escapes backslashes escapes everything
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

// unescape reads the escapes of a class. It answers which it read and which others it left.
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

// escape reads the escape that s begins with: what it stands for, how long it is and its kind, which is 0 for what is none.
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

// escaped reads characters as escapes: what Old has as a line end is \n in the text. In New only what it shares with Old is
// read so; other such characters may be meant as they are.
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

// classesOf answers which kinds of escapes would be needed for a text.
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
