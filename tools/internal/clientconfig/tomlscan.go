package clientconfig

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// statement is a header of a table, or a key with its value.
type statement struct {
	start, end           int // the lines, with the end of the last one
	header, array        bool
	table                []string // the table of a header, or the one in which the key stands
	key                  []string // relative to table; nil for a header
	valueStart, valueEnd int      // of the value; the end of the header
}

// path returns the name of the table or key from the root of the file.
func (s statement) path() []string { return slices.Concat(s.table, s.key) }

// statements returns the statements of a valid text.
func statements(text []byte) []statement {
	var all []statement
	var table []string
	for at := 0; at < len(text); {
		start := at
		at = skipBlank(text, at)
		if at == len(text) || text[at] == '\n' || text[at] == '\r' || text[at] == '#' {
			at = lineEnd(text, at)
			continue
		}
		s := statement{start: start}
		if text[at] == '[' {
			s.header, s.array = true, bytes.HasPrefix(text[at:], []byte("[["))
			at = skipBlank(text, at+1)
			if s.array {
				at = skipBlank(text, at+1)
			}
			s.table, at = readKey(text, at)
			table = s.table
			s.valueStart, s.valueEnd = at, at
		} else {
			s.table = table
			s.key, at = readKey(text, at)
			s.valueStart = skipBlank(text, at+1) // behind "="
			s.valueEnd = valueEnd(text, s.valueStart)
			at = s.valueEnd
		}
		s.end = lineEnd(text, at)
		at = s.end
		all = append(all, s)
	}
	return all
}

// skipBlank returns the offset of the first byte that is neither a space nor a tab.
func skipBlank(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// lineEnd returns the offset behind the end of the line.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// readKey reads a dotted key. It returns the offset behind the key and blanks after it.
func readKey(text []byte, at int) (key []string, end int) {
	for {
		begin := at
		if text[at] == '"' || text[at] == '\'' {
			at = stringEnd(text, at)
		} else {
			for at < len(text) && isBareKey(text[at]) {
				at++
			}
		}
		key = append(key, unquoteKey(string(text[begin:at])))
		if at = skipBlank(text, at); at >= len(text) || text[at] != '.' {
			return key, at
		}
		at = skipBlank(text, at+1)
	}
}

// isBareKey reports whether a byte may be in a key without quotes.
func isBareKey(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_'
}

// unquoteKey returns a key without quotes and escapes.
func unquoteKey(key string) string {
	var v struct{ K string }
	if strings.ContainsAny(key, `"'`) && toml.Unmarshal([]byte("K = "+key), &v) == nil {
		return v.K
	}
	return key
}

// stringEnd returns the offset behind a string of one or several lines.
func stringEnd(text []byte, at int) int {
	quote := text[at : at+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(text[at:], long) {
		for at += 3; at < len(text); at++ {
			switch {
			case text[at] == '\\' && quote[0] == '"':
				at++
			case bytes.HasPrefix(text[at:], long):
				at += 3
				for n := 0; n < 2 && at < len(text) && text[at] == quote[0]; n++ { // quotes may precede the delimiter
					at++
				}
				return at
			}
		}
		return len(text)
	}
	for at++; at < len(text) && text[at] != quote[0]; at++ {
		if text[at] == '\\' && quote[0] == '"' {
			at++
		}
	}
	return min(at+1, len(text))
}

// valueEnd returns the offset behind a value.
func valueEnd(text []byte, at int) int {
	end, depth := at, 0
	for at < len(text) {
		switch b := text[at]; {
		case b == '"' || b == '\'':
			at = stringEnd(text, at)
			end = at
			continue
		case b == '#' && depth > 0:
			at = lineEnd(text, at)
			continue
		case b == '#' || b == '\n' && depth == 0:
			return end
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			depth--
		}
		if b := text[at]; b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			end = at + 1
		}
		at++
	}
	return end
}

// scanTOML calls visit with the ranges of the strings and comments of a valid text.
func scanTOML(text []byte, visit func(start, end int)) {
	for at := 0; at < len(text); {
		switch text[at] {
		case '"', '\'':
			end := stringEnd(text, at)
			visit(at, end)
			at = end
		case '#':
			end := lineEnd(text, at)
			visit(at, at+len(bytes.TrimRight(text[at:end], "\r\n")))
			at = end
		default:
			at++
		}
	}
}

// tomlKey returns a key as text.
func tomlKey(key string) string {
	for i := range len(key) {
		if !isBareKey(key[i]) {
			return tomlString(key)
		}
	}
	return key
}

// tomlString returns a string as text.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tomlArray returns an array of strings as text.
func tomlArray(all []string) string {
	items := make([]string, len(all))
	for i, s := range all {
		items[i] = tomlString(s)
	}
	return "[" + strings.Join(items, ", ") + "]"
}
