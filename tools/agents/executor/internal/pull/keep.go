package pull

import "strings"

// What is kept of what an agent program prints, in bytes.
const (
	MaxName    = 256       // of an identifier or a name
	MaxUnknown = 4 << 10   // of what is not known
	MaxArgs    = 16 << 10  // of the arguments of a tool
	MaxMCPArgs = 64 << 10  // of those of an MCP tool, which may be a report
	MaxDiff    = 256 << 10 // of a diff
	MaxError   = 1 << 10   // of why a tool has failed
)

// Line reads a line that is one object, as Scanner.Object does, and reports whether it is exactly that.
func Line(line []byte, member func(s *Scanner, key []byte)) bool {
	s := New(line)
	if s.Peek() != '{' {
		return false
	}
	s.Object(func(key []byte) { member(s, key) })
	return s.End() == nil
}

// Name reads a string as Text does, and keeps at most MaxName bytes of it.
func (s *Scanner) Name() string { return Clip(s.Text(), MaxName) }

// Clip is the beginning of a text: at most most bytes, no half of a character.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Unknown is what is told of a line that is not known.
func Unknown(line []byte) string {
	return strings.ToValidUTF8(string(line[:min(len(line), MaxUnknown)]), "\uFFFD")
}

// IsName reports whether a text is letters of English, digits and some further characters, 1 to most of them.
func IsName(text string, most int, further string) bool {
	return text != "" && len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(further, r)
	})
}
