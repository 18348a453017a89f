// Package pull reads JSON in one pass: whoever reads says of each value, when it
// comes, what it is wanted for, and what is not wanted is only stepped over. The
// first thing that is no JSON ends it all; see Scanner.End.
package pull

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Scanner stands before a value, which one of its methods then reads. A method
// that expects another kind of value steps over it.
type Scanner struct {
	data  []byte
	at    int
	depth int
	err   error
}

// New answers a scanner before the value that data begins with.
func New(data []byte) *Scanner { return &Scanner{data: data} }

// End reports as an error what keeps the input from being exactly the value that was read.
func (s *Scanner) End() error {
	if s.err == nil && jsonx.Space(s.data, s.at) < len(s.data) {
		s.fail("more input after the value")
	}
	return s.err
}

func (s *Scanner) fail(message string) {
	if s.err == nil {
		s.err = &jsonx.SyntaxError{Offset: s.at, Msg: message}
	}
}

// Peek answers the first byte of the value, or 0 if there is none.
func (s *Scanner) Peek() byte {
	if s.err != nil {
		return 0
	}
	if s.at = jsonx.Space(s.data, s.at); s.at >= len(s.data) {
		return 0
	}
	return s.data[s.at]
}

// Raw reads any value and answers it as it stands, a part of the input.
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

// Skip steps over any value.
func (s *Scanner) Skip() { s.Raw() }

// Text reads a string, unquoted; "" for another kind of value.
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

// Int reads a number without a fraction; 0 for another kind of value.
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

// Object calls member for each member, which must read its value. The key is
// valid until then, and as it stands between its quotes: one with escapes is none
// that anybody looks for.
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

// Array calls element for each element, which must read it.
func (s *Scanner) Array(element func()) {
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	s.items(']', element)
}

// items reads what stands between brackets.
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
