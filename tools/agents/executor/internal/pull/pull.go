// Package pull reads JSON in one pass. The caller of a [Scanner] requests each value as it
// appears, and skips the others without decoding them. The first syntax error ends the
// scan; Scanner.End returns it. The package also has the limits and helpers that decoders
// of agent programs share.
package pull

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Scanner reads one JSON value. Its methods read the next value; a method for another kind
// of value skips it and returns a zero value. After a syntax error all methods return zero
// values. A Scanner is not safe for concurrent use.
type Scanner struct {
	data  []byte
	at    int
	depth int
	err   error
}

// New returns a Scanner at the first value of data. It keeps a reference to data.
func New(data []byte) *Scanner { return &Scanner{data: data} }

// End returns the first syntax error. Input after the value is an error, too.
func (s *Scanner) End() error {
	if s.err == nil && jsonx.Space(s.data, s.at) < len(s.data) {
		s.fail("more input after the value")
	}
	return s.err
}

// fail records the first error.
func (s *Scanner) fail(message string) {
	if s.err == nil {
		s.err = &jsonx.SyntaxError{Offset: s.at, Msg: message}
	}
}

// Peek returns the first byte of the next value, or 0 at the end of the input or after an
// error.
func (s *Scanner) Peek() byte {
	if s.err != nil {
		return 0
	}
	if s.at = jsonx.Space(s.data, s.at); s.at >= len(s.data) {
		return 0
	}
	return s.data[s.at]
}

// Raw reads any value and returns its text, a part of the input.
func (s *Scanner) Raw() []byte {
	if s.err != nil {
		return nil
	}
	start := jsonx.Space(s.data, s.at)
	end, _, err := jsonx.Skip(s.data, start)
	if err != nil {
		s.err = err
		return nil
	}
	s.at = end
	return s.data[start:end]
}

// Skip reads any value and discards it.
func (s *Scanner) Skip() { s.Raw() }

// Text reads a string and returns it without quotes and escapes; "" for another kind of
// value.
func (s *Scanner) Text() string {
	raw := s.Raw()
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	text, err := jsonx.Unquote(raw)
	if err != nil {
		return ""
	}
	return text
}

// Int reads an integer; 0 for another kind of value.
func (s *Scanner) Int() int64 {
	n, err := strconv.ParseInt(string(s.Raw()), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Float reads a number; 0 for another kind of value.
func (s *Scanner) Float() float64 {
	raw := s.Raw()
	if len(raw) == 0 || raw[0] == '"' {
		return 0
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0
	}
	return n
}

// Bool reads true or false; false for another kind of value.
func (s *Scanner) Bool() bool { return bytes.Equal(s.Raw(), []byte("true")) }

// Object calls member for each member of an object. member must read the value of the
// member. key is the text between the quotes, with escapes not decoded, and is valid until
// member reads the value.
func (s *Scanner) Object(member func(key []byte)) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	s.items('}', func() {
		start := s.at
		end, _, err := jsonx.String(s.data, start)
		if err != nil {
			s.err = err
			return
		}
		if s.at = jsonx.Space(s.data, end); s.at >= len(s.data) || s.data[s.at] != ':' {
			s.fail("expected ':' after a member name")
			return
		}
		s.at++
		member(s.data[start+1 : end-1])
	})
}

// Array calls element for each element of an array. element must read the element.
func (s *Scanner) Array(element func()) {
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	s.items(']', element)
}

// items reads the items of an object or array up to its end.
func (s *Scanner) items(end byte, item func()) {
	if s.depth++; s.depth > jsonx.MaxDepth {
		s.fail("nested too deeply")
		return
	}
	defer func() { s.depth-- }()
	s.at++
	if s.Peek() == end {
		s.at++
		return
	}
	for s.err == nil {
		s.Peek()
		item()
		switch s.Peek() {
		case ',':
			s.at++
		case end:
			s.at++
			return
		default:
			s.fail("expected ',' or '" + string(end) + "'")
		}
	}
}

// Limits of the kept output of an agent program, in bytes.
const (
	MaxName    = 256       // identifiers and names
	MaxUnknown = 4 << 10   // text of the event Unknown
	MaxArgs    = 16 << 10  // arguments of a tool
	MaxMCPArgs = 64 << 10  // arguments of an MCP tool, which may be a report
	MaxDiff    = 256 << 10 // a diff
	MaxError   = 1 << 10   // the error of a tool
)

// Line reads a line that contains exactly one object, as Scanner.Object does. It returns
// false for any other line; member may have been called before that is known.
func Line(line []byte, member func(s *Scanner, key []byte)) bool {
	s := New(line)
	if s.Peek() != '{' {
		return false
	}
	s.Object(func(key []byte) { member(s, key) })
	return s.End() == nil
}

// Name reads a string as Text does, and returns at most MaxName bytes of it.
func (s *Scanner) Name() string { return Clip(s.Text(), MaxName) }

// Clip returns the beginning of a text: at most most bytes, without an incomplete character
// at the end.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Unknown returns the text of the event Unknown for a line: at most MaxUnknown bytes, with
// invalid UTF-8 replaced.
func Unknown(line []byte) string {
	return strings.ToValidUTF8(string(line[:min(len(line), MaxUnknown)]), "\uFFFD")
}

// IsName reports whether a text has 1 to most bytes, all of them ASCII letters, digits or
// characters of further.
func IsName(text string, most int, further string) bool {
	return text != "" && len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(further, r)
	})
}
