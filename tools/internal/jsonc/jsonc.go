// Package jsonc reads JSON with comments and trailing commas from files of users and projects.
//
// [Parse] and [Standardize] are the functions of package hujson for untrusted texts. The parser of hujson is recursive, and the overflow of
// a stack ends the program; a text whose arrays and objects are nested deeper than [MaxDepth] is therefore a [DepthError] before it is
// parsed. A comment may end the text without a line end. [Scan] finds the characters outside of strings and comments, also in invalid
// texts, and [CommentLength] the end of a comment.
package jsonc

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"
)

// MaxDepth is the maximum nesting depth of arrays and objects.
const MaxDepth = 256

// DepthError reports a text whose arrays and objects are nested too deep.
type DepthError struct {
	// Offset is the offset of the first bracket beyond MaxDepth.
	Offset int
}

// Error returns the limit. It quotes nothing from the text.
func (e *DepthError) Error() string {
	return fmt.Sprintf("more than %d arrays and objects lie in each other", MaxDepth)
}

// Parse parses a text. The error is a *DepthError for too deep nesting, and otherwise that of hujson.Parse.
func Parse(text []byte) (hujson.Value, error) {
	if err := checkDepth(text); err != nil {
		return hujson.Value{}, err
	}
	return hujson.Parse(ended(text))
}

// Standardize returns a text as standard JSON. Offsets of values stay the same. The errors are the errors of Parse.
func Standardize(text []byte) ([]byte, error) {
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	return hujson.Standardize(ended(text))
}

// ended returns a copy of a text with a line end, which the parser requires after a comment in the last line.
func ended(text []byte) []byte { return append(text[:len(text):len(text)], '\n') }

// checkDepth returns a *DepthError for too deep nesting.
func checkDepth(text []byte) (err error) {
	depth := 0
	Scan(text, func(at int) bool {
		switch text[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > MaxDepth {
			err = &DepthError{at}
		}
		return err == nil
	})
	return err
}

// Scan calls visit with the offset of each byte outside white space, strings and comments, and of the first byte of each string and
// comment. It stops when visit returns false. The text may be invalid.
func Scan(text []byte, visit func(at int) bool) {
	for i := 0; i < len(text); i++ {
		if bytes.IndexByte([]byte(" \t\r\n"), text[i]) >= 0 {
			continue
		}
		if !visit(i) {
			return
		}
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += max(0, CommentLength(text[i:])-1)
		}
	}
}

// CommentLength returns the length of the comment at the beginning of a text, without the line end after it; 0 without a comment.
func CommentLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return len(text)
		}
		return len(bytes.TrimSuffix(text[:end], []byte("\r")))
	case bytes.HasPrefix(text, []byte("/*")):
		if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
			return 2 + end + 2
		}
		return len(text)
	}
	return 0
}
