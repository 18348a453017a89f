package index

import (
	"bytes"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Text returns the text of a source file, to which the positions of its chunks refer. A file in UTF-8 is
// its own text, with the byte-order mark. A file in UTF-16, Shift_JIS, EUC-JP, ISO-2022-JP or
// Windows-1252 is converted to UTF-8, without a mark. A binary file, a file of an unknown encoding, and a file
// with bytes that are not characters of its encoding are returned unchanged.
//
// The result can share the memory of content.
func Text(content []byte) []byte {
	const esc = 0x1B // begins the shifts of ISO-2022-JP
	if bytes.IndexByte(content, 0) < 0 && bytes.IndexByte(content, esc) < 0 && utf8.Valid(content) {
		return content
	}
	text, err := textfile.Decode(content, textfile.Auto)
	if err != nil || text.Encoding == textfile.UTF8 {
		return content
	}
	decoded := []byte(text.Content)
	if isUTF16 := text.Encoding == textfile.UTF16LE || text.Encoding == textfile.UTF16BE; isUTF16 && !text.BOM && !isMostlyASCIILines(decoded) {
		return content // binary data
	}
	return decoded
}

// isMostlyASCIILines reports whether a text has a line end, and more than half of its characters are ASCII, as in source code,
// and none is NUL.
func isMostlyASCIILines(text []byte) bool {
	if bytes.IndexByte(text, '\n') < 0 {
		return false
	}
	ascii := 0
	for _, c := range text {
		switch {
		case c == 0:
			return false
		case c < utf8.RuneSelf:
			ascii++
		}
	}
	return 2*ascii > utf8.RuneCount(text)
}
