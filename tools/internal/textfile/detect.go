package textfile

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	sniffLen = 8 << 10  // how much of a file decides whether it is binary
	scoreLen = 64 << 10 // how much decides between encodings, counted from the first byte above ASCII
)

// Detect returns the encoding of a complete file; the package comment describes the method. The result is never Auto or UTF16.
// It is UTF8 for an empty file and for ASCII. If several encodings are possible, it is the most likely one.
func Detect(data []byte) Encoding { return detect(data, false) }

// DetectSample is Detect for the beginning of a file, which may end inside a character.
func DetectSample(sample []byte) Encoding { return detect(sample, true) }

func detect(data []byte, cut bool) Encoding {
	if e := detectBOM(data); e != Auto {
		return e
	}
	head := data[:min(len(data), sniffLen)]
	if bytes.IndexByte(head, 0) >= 0 {
		return detectUTF16(head)
	}
	if countControls(head)*10 > len(head) {
		return Binary
	}
	return detectText(data, cut)
}

// detectText is detect for bytes that are one byte a character or several, and no binary data at first sight.
func detectText(data []byte, cut bool) Encoding {
	if isISO2022JP(data, cut) {
		return ISO2022JP
	}
	if utf8.Valid(data) {
		return UTF8
	}
	// Text before the first byte above ASCII is equal in the remaining encodings; one byte of it is kept as context.
	rest := data[max(0, asciiLen(data)-1):]
	if len(rest) > scoreLen {
		rest, cut = rest[:scoreLen], true
	}
	if isMostlyUTF8(rest, cut) {
		return UTF8
	}
	head := data[:min(len(data), sniffLen)]
	if countControls(head)*50 > len(head) {
		return Binary
	}
	return detectLegacy(rest, cut)
}

// detectLegacy detects encodings whose text is neither valid UTF-8 nor contains zero bytes.
func detectLegacy(b []byte, cut bool) Encoding {
	best, e := 0, Binary
	for _, candidate := range []Encoding{EUCJP, ShiftJIS} {
		if score := scoreJapanese(b, cut, codecFor(candidate)); score > best {
			best, e = score, candidate
		}
	}
	if scoreWestern(b) > best {
		return Windows1252
	}
	return e
}

func detectBOM(data []byte) Encoding {
	if bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")) {
		return Binary // UTF-32, which no one keeps source files in
	}
	for _, e := range []Encoding{UTF8, UTF16LE, UTF16BE} {
		if bytes.HasPrefix(data, []byte(e.bom())) {
			return e
		}
	}
	return Auto
}

// countControls counts the bytes that text does not have: the control characters but for white space, bell, backspace
// and escape.
func countControls(b []byte) int {
	n := 0
	for _, c := range b {
		if c < 0x07 || 0x0D < c && c < 0x20 && c != esc || c == 0x7F {
			n++
		}
	}
	return n
}

// isISO2022JP reports whether data has escapes to Japanese characters and is well-formed. An escape to ASCII alone is not
// sufficient, because terminal output contains it.
func isISO2022JP(data []byte, cut bool) bool {
	first := bytes.IndexByte(data, esc)
	if first < 0 {
		return false
	}
	rest := data[first:]
	if len(rest) > scoreLen {
		rest, cut = rest[:scoreLen], true
	}
	c, s, japanese := codecFor(ISO2022JP), state(0), false
	for len(rest) > 0 {
		if k := c.plain(s, rest); k > 0 {
			rest = rest[k:]
			continue
		}
		r, size, next := c.decode(s, rest)
		switch {
		case r == short:
			return japanese && cut
		case r == malformed:
			return false
		case r >= utf8.RuneSelf:
			japanese = true
		}
		rest, s = rest[size:], next
	}
	return japanese
}

// isMostlyUTF8 reports whether bytes are UTF-8 except for an incomplete end or a few malformed positions, relative to the
// number of characters above ASCII.
func isMostlyUTF8(b []byte, cut bool) bool {
	runes, bad := 0, 0
	for len(b) > 0 {
		if k := asciiLen(b); k > 0 {
			b = b[k:]
			continue
		}
		if cut && len(b) < utf8.UTFMax && !utf8.FullRune(b) {
			break
		}
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			runes++
		}
		b = b[size:]
	}
	return runes >= 12*bad
}

// detectUTF16 distinguishes UTF-16 without byte-order mark from binary data. Both contain zero bytes.
func detectUTF16(head []byte) Encoding {
	little, big := readableUnits(head, utf16Codec{}), readableUnits(head, utf16Codec{big: true})
	switch n := len(head) / 2; {
	case max(little, big)*2 <= n:
		return Binary
	case little >= big:
		return UTF16LE
	}
	return UTF16BE
}

// readableUnits counts the units that are frequent in Western or Japanese text. It returns 0 if there are units that never
// occur in text.
func readableUnits(b []byte, c utf16Codec) int {
	n := 0
	for len(b) > 1 {
		r, size, _ := c.decode(0, b)
		switch {
		case r == short:
			return n
		case r == malformed, r < 0x20 && !strings.ContainsRune("\t\n\r\f\x1b", r), r&0xFFFE == 0xFFFE:
			return 0
		case r < 0x180 || r <= 0xFFFF && isReadable(r):
			n++
		}
		b = b[size:]
	}
	return n
}

// isReadable reports whether a character of the basic plane is frequent in Japanese text.
func isReadable(r rune) bool {
	switch classTable()[r] {
	case classSymbol:
		_, ok := jisCharset().code(r)
		return ok
	case classRareKanji, classPrivate, classMalformed:
		return false
	}
	return true
}
