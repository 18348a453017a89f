// Package cparams writes the types of the parameters of functions in C++, by
// which overloads are told apart.
package cparams

import (
	"bytes"
	"strings"
)

// maxList is the length of a list of parameters beyond which there are no
// labels.
const maxList = 4000

// Labels are the types of the parameters in round brackets, as written but
// without blanks, qualifiers, names and default values: "(int,Foo<T>&)".
func Labels(list []byte) string {
	if len(list) < 2 || len(list) > maxList {
		return ""
	}
	var out strings.Builder
	out.WriteByte('(')
	list = list[1 : len(list)-1]
	for first := true; len(list) > 0; first = false {
		n := parameter(list)
		one := list[:n]
		list = list[min(n+1, len(list)):]
		label := typeOf(one)
		if label == "" || label == "void" && first && len(list) == 0 {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(label)
	}
	out.WriteByte(')')
	return out.String()
}

// parameter is the length of the first parameter of a list.
func parameter(list []byte) int {
	depth := 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}':
			depth--
		case '>':
			if i > 0 && list[i-1] != '-' {
				depth--
			}
		case '"', '\'':
			i = quoted(list, i) - 1
		case '/':
			i = max(i, comment(list, i)-1)
		case ',':
			if depth <= 0 {
				return i
			}
		}
	}
	return len(list)
}

func comment(src []byte, at int) int {
	if at+1 < len(src) && src[at+1] == '*' {
		if n := bytes.Index(src[at+2:], []byte("*/")); n >= 0 {
			return at + 2 + n + 2
		}
		return len(src)
	}
	if at+1 < len(src) && src[at+1] == '/' {
		return line(src, at)
	}
	return at
}

// typeOf is the type of one parameter.
func typeOf(src []byte) string {
	var parts []string // words and marks of the type, without qualifiers
	depth, name := 0, -1
	for at := 0; at < len(src); {
		c := src[at]
		switch {
		case letter(c):
			end := identifier(src, at)
			w := string(src[at:end])
			at = end
			if qualifier(w) {
				continue
			}
			if depth == 0 && typed(parts) && (len(parts) == 0 || parts[len(parts)-1] != "::") && !builtin(w) {
				name = len(parts)
			}
			parts = append(parts, w)
			continue
		case c == '=' && depth == 0:
			at = len(src)
			continue
		case c == '/' && comment(src, at) > at:
			at = comment(src, at)
			continue
		case c == '#':
			at = line(src, at)
			continue
		case space(c) || c == '\n':
			at++
			continue
		case bytes.HasPrefix(src[at:], []byte("::")):
			parts = append(parts, "::")
			at += 2
			continue
		case c == '(' || c == '<' || c == '[':
			depth++
		case c == ')' || c == '>' || c == ']':
			depth--
		case digit(c):
			end := identifier(src, at)
			parts = append(parts, string(src[at:end]))
			at = end
			continue
		}
		parts = append(parts, string(c))
		at++
	}
	return join(parts, name)
}

// typed reports whether the parts make a type already, so that a word after them is a
// name.
func typed(parts []string) bool {
	for _, p := range parts {
		if letter(p[0]) {
			return true
		}
	}
	return false
}

// join writes the parts without the name; two words stay apart.
func join(parts []string, name int) string {
	var out strings.Builder
	last := ""
	for i, p := range parts {
		if i == name || i > 1 && parts[i-1] == "*" && parts[i-2] == "(" && letter(p[0]) && name < 0 {
			continue
		}
		if last != "" && wordByte(p[0]) && wordByte(last[len(last)-1]) {
			out.WriteByte(' ')
		}
		out.WriteString(p)
		last = p
	}
	return out.String()
}

func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
func digit(c byte) bool    { return '0' <= c && c <= '9' }
func wordByte(c byte) bool { return letter(c) || digit(c) }
func space(c byte) bool    { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

func identifier(src []byte, at int) int {
	for at < len(src) && wordByte(src[at]) {
		at++
	}
	return at
}

func line(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// quoted is the end of the literal that begins at a position.
func quoted(src []byte, at int) int {
	quote := src[at]
	for at++; at < len(src); at++ {
		switch src[at] {
		case quote:
			return at + 1
		case '\\':
			at++
		}
	}
	return len(src)
}

// qualifier is a word that is left out of a type.
func qualifier(w string) bool {
	switch w {
	case "const", "volatile", "restrict", "__restrict", "__restrict__", "register", "struct", "class", "union", "enum",
		"typename", "constexpr", "inline", "extern", "static":
		return true
	}
	return false
}

// builtin is a word that is a type, or a part of one, and names nothing else.
func builtin(w string) bool {
	switch w {
	case "void", "int", "char", "short", "long", "float", "double", "bool", "signed", "unsigned", "auto", "wchar_t", "char8_t", "char16_t", "char32_t":
		return true
	}
	return qualifier(w)
}
