package uritemplate

import (
	"strings"
	"unicode/utf8"
)

// Expand returns the URI in which every variable stands for its values: one, or
// several if it is a list. A variable without values is undefined (RFC 6570 §3).
func (t *Template) Expand(values map[string][]string) string {
	var out []byte
	for _, p := range t.parts {
		if p.op == nil {
			out = appendEncoded(out, p.literal, true)
			continue
		}
		prefix := p.op.first
		for _, v := range p.vars {
			if len(values[v.name]) > 0 {
				out = appendVariable(append(out, prefix...), p.op, v, values[v.name])
				prefix = p.op.sep
			}
		}
	}
	return string(out)
}

func appendVariable(out []byte, op *operator, v variable, values []string) []byte {
	sep := ","
	if v.explode {
		sep = op.sep
	}
	for i, value := range values {
		if i > 0 {
			out = append(out, sep...)
		}
		if op.named && (i == 0 || v.explode) {
			out = append(out, v.name...)
			if value == "" && (v.explode || len(values) == 1) {
				out = append(out, op.ifEmpty...)
				continue
			}
			out = append(out, '=')
		}
		if v.prefix > 0 {
			value = firstRunes(value, v.prefix)
		}
		out = appendEncoded(out, value, op.reserved)
	}
	return out
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// appendEncoded appends s with all but the unreserved characters encoded; with
// reserved set, reserved ones and triplets stay too. Bytes that are not UTF-8
// become U+FFFD.
func appendEncoded(out []byte, s string, reserved bool) []byte {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isUnreserved(c), reserved && isReserved(c), reserved && c == '%' && isTriplet(s[i:]):
			out = append(out, c)
		default:
			const hex = "0123456789ABCDEF"
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return out
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isUnreserved(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-._~", c) >= 0 }

func isReserved(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }

// isTriplet reports whether s begins with a percent-encoded byte.
func isTriplet(s string) bool { return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
