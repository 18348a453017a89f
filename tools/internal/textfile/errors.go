package textfile

import (
	"fmt"
	"strings"
)

// ErrBinary is wrapped by the errors of Decode, Encode, ReadRange and Decoder for a file that is not text. Its
// ErrorCode is BINARY_FILE.
var ErrBinary error = binaryError{}

type binaryError struct{}

func (binaryError) Error() string     { return "not a text file" }
func (binaryError) ErrorCode() string { return "BINARY_FILE" }
func (binaryError) NextStep() string {
	return "read it as binary, or name its encoding if it is text; windows-1252 shows any bytes and keeps them"
}

// NameError is an unknown name.
type NameError struct {
	// kind of the name: "encoding" or "line end policy"
	What  string
	Name  string   // the name as given
	Legal []string // the names that can be given
}

func (e *NameError) Error() string {
	return fmt.Sprintf("unknown %s %q: use one of %s", e.What, clip(e.Name), strings.Join(e.Legal, ", "))
}

// ErrorCode is stable: UNKNOWN_ENCODING or UNKNOWN_LINE_END_POLICY.
func (e *NameError) ErrorCode() string {
	return "UNKNOWN_" + strings.ToUpper(strings.ReplaceAll(e.What, " ", "_"))
}

// NextStep lists the valid names.
func (e *NameError) NextStep() string { return "use one of " + strings.Join(e.Legal, ", ") }

// DecodeError is a position whose bytes are not a character of the encoding.
type DecodeError struct {
	Encoding Encoding
	Offset   int64  // of the first malformed byte in the file
	Line     int    // 1-based; 0 if unknown, as it is in the middle of a file
	Bytes    []byte // the malformed bytes, at most four
}

func (e *DecodeError) Error() string {
	where := fmt.Sprintf("byte %d", e.Offset)
	if e.Line > 0 {
		where += fmt.Sprintf(" (line %d)", e.Line)
	}
	return fmt.Sprintf("%s: % X is not %s", where, e.Bytes, e.Encoding)
}

// ErrorCode is stable: MALFORMED_TEXT.
func (e *DecodeError) ErrorCode() string { return "MALFORMED_TEXT" }

// NextStep says how the file can be read instead.
func (e *DecodeError) NextStep() string {
	return "read it with encoding auto or the encoding that it is really in, or as binary; windows-1252 shows any bytes and keeps them"
}

// EncodeError is a character that the encoding cannot hold.
type EncodeError struct {
	Encoding Encoding
	Rune     rune // utf8.RuneError if the text itself is not valid UTF-8
	Line     int  // 1-based, in the text that was to be written
	Column   int  // 1-based, in characters
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s cannot be written in %s", e.Line, e.Column, quoteRune(e.Rune), e.Encoding)
}

// ErrorCode is stable: UNENCODABLE_CHARACTER.
func (e *EncodeError) ErrorCode() string { return "UNENCODABLE_CHARACTER" }

// NextStep names the character of the encoding that stands for this one in Japanese text, if there is one, and utf-8.
func (e *EncodeError) NextStep() string {
	switch like, ok := lookalike(e.Rune); {
	case ok && e.Encoding != Windows1252:
		return fmt.Sprintf("write %s instead, or use utf-8", quoteRune(like))
	case e.Encoding == UTF8:
		return "send the text as valid UTF-8"
	}
	return "leave the character out, or use utf-8"
}

func quoteRune(r rune) string { return fmt.Sprintf("%q (U+%04X)", string(r), r) }

// lookalike returns the character that code page 932 has at the code for which other tables have r. Imported text contains the
// other characters.
func lookalike(r rune) (rune, bool) {
	switch r {
	case '〜':
		return '～', true
	case '−':
		return '－', true
	case '‖':
		return '∥', true
	case '—':
		return '―', true
	case '¢':
		return '￠', true
	case '£':
		return '￡', true
	case '¬':
		return '￢', true
	case '¦':
		return '￤', true
	case '¥':
		return '￥', true
	case '‾':
		return '￣', true
	}
	return 0, false
}

// RangeError is a range that a text does not have.
type RangeError struct {
	What string // "lines", "bytes" or "edits"
	Why  string // description of the error with the numbers
	Next string // advice
}

func (e *RangeError) Error() string { return e.What + ": " + e.Why }

// ErrorCode is stable: BAD_RANGE.
func (e *RangeError) ErrorCode() string { return "BAD_RANGE" }

// NextStep returns the advice.
func (e *RangeError) NextStep() string { return e.Next }

// clip keeps a foreign string from filling a message.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "…"
	}
	return s
}
