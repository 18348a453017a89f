package grep

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Error is the error of an invalid or unsupported pattern, with its position and the next step.
type Error struct {
	Column int    // position of Part in characters, from 1; 0 if the error concerns the complete pattern
	Part   string // invalid part of the pattern; "" for the complete pattern
	Why    string // reason
	Next   string // advice for a correction
	// Literal is true if a search for exactly the text of the pattern may be intended, Multiline if a match across lines may
	// be. Callers add their parameters for these with WithAdvice.
	Literal, Multiline bool
}

// WithAdvice adds the caller's advice for a literal and a multiline search to the next step of an Error. Empty advice is
// omitted. Errors of other types are returned unchanged.
func WithAdvice(err error, literal, multiline string) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	advised := *e
	for _, a := range []struct {
		helps bool
		text  string
	}{{e.Literal, literal}, {e.Multiline, multiline}} {
		if a.helps && a.text != "" {
			advised.Next += ", or " + a.text
		}
	}
	return &advised
}

func (e *Error) Error() string {
	if e.Column == 0 {
		return "invalid pattern: " + e.Why
	}
	return fmt.Sprintf("invalid pattern: column %d, %q: %s", e.Column, e.Part, e.Why)
}

// ErrorCode returns INVALID_PATTERN.
func (e *Error) ErrorCode() string { return "INVALID_PATTERN" }

// NextStep returns Next.
func (e *Error) NextStep() string { return e.Next }

func tooLong(n int) error {
	return &Error{Why: fmt.Sprintf("it has %d bytes, more than %d", n, maxPattern), Next: "search for a shorter part of it"}
}

func tooLarge() error {
	return &Error{Why: "it is too large with its repetitions and classes written out", Next: "use smaller counts, or * and + instead of counts"}
}

func notUTF8(pattern string) error {
	valid := strings.ToValidUTF8(pattern, "\x00")
	at := strings.IndexByte(valid, 0)
	return &Error{Column: columnOf(pattern, at), Part: clip(pattern[at:]), Why: "it is not UTF-8", Next: "send the pattern as UTF-8"}
}

func acrossLines() error {
	return &Error{Why: "it requires a line end, but each line is matched separately",
		Next: "use $ for the end of a line", Multiline: true}
}

// columnOf converts an offset in a pattern to a column.
func columnOf(pattern string, offset int) int { return utf8.RuneCountInString(pattern[:offset]) + 1 }

// clip cuts a part of a pattern to 20 characters.
func clip(s string) string {
	const most = 20
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// advice maps error codes of package syntax to next steps.
var advice = map[syntax.ErrorCode]string{
	syntax.ErrInvalidCharClass:      `write \[ for the character [`,
	syntax.ErrInvalidCharRange:      `put the smaller character of the range first, or write \- for the character -`,
	syntax.ErrInvalidEscape:         `write \\ for a backslash`,
	syntax.ErrInvalidNamedCapture:   "name each group once, with letters, digits and _, as in (?P<name>…)",
	syntax.ErrInvalidPerlOp:         `write \( and \? for these characters`,
	syntax.ErrInvalidRepeatOp:       `write \*, \+ or \? for the character`,
	syntax.ErrInvalidRepeatSize:     "use counts up to 1000, multiplied for nested groups, and the smaller count first",
	syntax.ErrMissingBracket:        `close the class with ], or write \[ for the character [`,
	syntax.ErrMissingParen:          `close the group with ), or write \( for the character (`,
	syntax.ErrUnexpectedParen:       `open the group with (, or write \) for the character )`,
	syntax.ErrMissingRepeatArgument: `put the repeated expression in front of it (.* is any text), or write \*, \+ or \? for the character`,
	syntax.ErrTrailingBackslash:     `write \\ for a backslash`,
	syntax.ErrLarge:                 "use smaller counts, or * and + instead of counts",
	syntax.ErrNestingDepth:          "use fewer groups within groups",
}

// explain converts an error of package syntax to an Error.
func explain(pattern string, err error) error {
	var cause *syntax.Error
	if !errors.As(err, &cause) {
		return &Error{Why: err.Error(), Next: "correct the pattern", Literal: true}
	}
	if e := unsupported(pattern); e != nil {
		return e
	}
	e := &Error{Why: cause.Code.String(), Next: advice[cause.Code], Literal: cause.Code != syntax.ErrLarge && cause.Code != syntax.ErrNestingDepth}
	if e.Next == "" {
		e.Next = "correct the pattern"
	}
	at, part := strings.Index(pattern, cause.Expr), cause.Expr
	if cause.Code == syntax.ErrMissingParen || cause.Code == syntax.ErrUnexpectedParen {
		if at = unbalanced(pattern); at >= 0 {
			part = pattern[at:]
		}
	}
	if at >= 0 && part != "" {
		e.Column, e.Part = columnOf(pattern, at), clip(part)
	}
	return e
}
