package jsonx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// AppendQuoted appends s to dst as a JSON string. Bytes that are not UTF-8
// become U+FFFD; nothing is escaped that JSON does not require to be.
func AppendQuoted[T ~string | ~[]byte](dst []byte, s T) []byte {
	b := bytesOf(s)
	dst = append(dst, '"')
	run := 0 // start of the stretch not yet copied
	for i := 0; i < len(b); {
		if len(b)-i >= 8 {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
		}
		c := b[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, b[run:i]...), "\uFFFD"...)
				run = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = appendEscape(append(dst, b[run:i]...), c)
		i++
		run = i
	}
	return append(append(dst, b[run:]...), '"')
}

// bytesOf views s as bytes that must not be written to: for a string, without
// the copy that a conversion would make.
func bytesOf[T ~string | ~[]byte](s T) []byte {
	switch v := any(s).(type) {
	case string:
		return unsafe.Slice(unsafe.StringData(v), len(v))
	case []byte:
		return v
	}
	return []byte(s)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// Unquote returns the text of a JSON string token, quotes included in raw. A
// lone surrogate becomes U+FFFD, as do bytes that are not UTF-8.
func Unquote(raw []byte) (string, error) {
	end, f, err := String(raw, 0)
	if err != nil {
		return "", err
	}
	if end != len(raw) {
		return "", fmt.Errorf("more input after the string at byte %d", end)
	}
	if f == 0 {
		return string(raw[1 : end-1]), nil
	}
	return unescape(raw[1 : end-1]), nil
}

// unescape decodes the inside of a string token that has been scanned.
func unescape(s []byte) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && s[i+1] == 'u':
			r, _ := hex4(s, i+2)
			i += 6
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+1 < len(s) && s[i] == '\\' && s[i+1] == 'u' {
					low, ok = hex4(s, i+2)
				}
				if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		case c == '\\':
			out = append(out, unescaped(s[i+1]))
			i += 2
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return string(out)
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
