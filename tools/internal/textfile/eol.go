package textfile

import "strings"

// EOL says how the lines of a text end. The zero value is NoEOL.
type EOL uint8

// The line ends.
const (
	NoEOL EOL = iota // no line is ended
	LF
	CRLF
	CR    // a CR without an LF, as in files of the classic Mac OS
	Mixed // more than one of them
)

var eolNames = [...]string{"none", "lf", "crlf", "cr", "mixed"}

// String is none, lf, crlf, cr or mixed.
func (e EOL) String() string {
	if int(e) < len(eolNames) {
		return eolNames[e]
	}
	return "unknown"
}

// MarshalText gives the name, so that an EOL is a string in JSON.
func (e EOL) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// sequence returns the characters of LF, CRLF or CR, and LF for other values.
func (e EOL) sequence() string {
	switch e {
	case CRLF:
		return "\r\n"
	case CR:
		return "\r"
	}
	return "\n"
}

// DetectEOL returns the kind of the line ends of a text.
func DetectEOL(content string) EOL {
	if !strings.Contains(content, "\r") {
		if strings.Contains(content, "\n") {
			return LF
		}
		return NoEOL
	}
	found := NoEOL
	for rest := content; ; {
		start, end := nextEOL(rest)
		if start == end {
			return found
		}
		if e := kindOf(rest[start:end]); found == NoEOL {
			found = e
		} else if found != e {
			return Mixed
		}
		rest = rest[end:]
	}
}

// WithLF returns a text with LF instead of CRLF. A lone CR stays.
func WithLF(content string) string { return strings.ReplaceAll(content, "\r\n", "\n") }

// nextEOL returns the range of the first line end of s. Without one the range is empty, at the end of s.
func nextEOL(s string) (start, end int) {
	start = strings.IndexAny(s, "\r\n")
	if start < 0 {
		return len(s), len(s)
	}
	if strings.HasPrefix(s[start:], "\r\n") {
		return start, start + 2
	}
	return start, start + 1
}

// kindOf returns the kind of a line end.
func kindOf(sequence string) EOL {
	switch sequence {
	case "\r\n":
		return CRLF
	case "\r":
		return CR
	case "\n":
		return LF
	}
	return NoEOL
}

// countLineEnds counts the line ends of a text, given as a string or as bytes.
func countLineEnds[T string | []byte](text T) int {
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			n++
		}
	}
	return n
}
