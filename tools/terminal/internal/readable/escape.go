package readable

import (
	"bytes"
	"strings"
)

// The bytes of escapes (ECMA-48). C1 controls are taken only in their form with
// ESC: as single bytes they are parts of characters.
const (
	esc  = 0x1b
	bell = 0x07
	// st is the second byte of the string terminator ESC \.
	st = '\\'
)

// strip removes escape sequences, and characters that a backspace has deleted.
func strip(text string) string {
	at := strings.IndexAny(text, "\x1b\b")
	if at < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for at >= 0 {
		out = append(out, text[:at]...)
		if text[at] == '\b' {
			out, text = erase(out), text[at+1:]
		} else {
			n, _ := sequence(text[at:])
			text = text[at+n:]
		}
		at = strings.IndexAny(text, "\x1b\b")
	}
	return string(append(out, text...))
}

// erase takes the last character of a line away.
func erase(out []byte) []byte {
	for i := len(out) - 1; i >= 0 && out[i] != '\n' && out[i] != '\r'; i-- {
		if out[i]&0xC0 != 0x80 { // where a character of UTF-8 begins
			return out[:i]
		}
	}
	return out
}

// sequence returns the length of the escape sequence at the beginning of a text, and whether it is complete. Of a malformed
// sequence only the part before the fault counts.
func sequence(text string) (n int, complete bool) {
	if len(text) < 2 {
		return len(text), false
	}
	switch c := text[1]; {
	case c == '[':
		return control(text)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_': // OSC, DCS, SOS, PM, APC
		return controlString(text)
	case c >= 0x20 && c <= 0x2f: // with intermediate bytes, for example ESC ( B
		n = 2
		for n < len(text) && text[n] >= 0x20 && text[n] <= 0x2f {
			n++
		}
		if n == len(text) {
			return n, false
		}
		if text[n] >= 0x30 && text[n] <= 0x7e {
			n++
		}
		return n, true
	case c >= 0x30 && c <= 0x7e:
		return 2, true
	}
	return 1, true
}

// control is the length of a control sequence: ESC [, parameters and a final byte.
func control(text string) (n int, complete bool) {
	for n = 2; n < len(text); n++ {
		switch c := text[n]; {
		case c >= 0x40 && c <= 0x7e:
			return n + 1, true
		case c < 0x20 || c > 0x3f:
			return n, true
		}
	}
	return n, false
}

// maxString is the longest control string, for example a title or a link. A longer one is treated as unterminated.
const maxString = 4 << 10

// controlString is the length of a control string, which ends with BEL or ESC \.
func controlString(text string) (n int, complete bool) {
	for n = 2; n < len(text) && n < maxString; n++ {
		switch {
		case text[n] == bell:
			return n + 1, true
		case text[n] == esc && n+1 < len(text):
			if text[n+1] == st {
				return n + 2, true
			}
			return n, true // another escape has begun
		case text[n] == '\n':
			return n, true // a title has one line: its end is lost
		}
	}
	if n == maxString {
		return 2, true // its text is shown rather than lost
	}
	return n, false
}

// cutEscape is how many bytes at the end are the beginning of an escape.
func cutEscape(p []byte) int {
	from := max(0, len(p)-maxSequence)
	for {
		at := bytes.IndexByte(p[from:], esc)
		if at < 0 {
			return 0
		}
		n, complete := sequence(string(p[from+at:]))
		if !complete {
			return len(p) - from - at
		}
		from += at + n
	}
}
