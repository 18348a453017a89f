package document

import (
	"bytes"
	"strings"
)

// Maximum lengths of strings of a piece, in bytes.
const (
	maxSignature = 200
	maxName      = 200
)

// oneLine returns the beginning of text with single spaces.
func oneLine(text []byte) string {
	return strings.Join(strings.Fields(string(text[:min(len(text), 2*maxSignature)])), " ")
}

// firstLine returns the first line of text that contains words, without comment marks; otherwise the first non-empty line.
func firstLine(text []byte) string {
	first := ""
	for line := range bytes.Lines(text[:min(len(text), maxBytes)]) {
		switch s := oneLine(line); {
		case s == "":
		case hasWords([]byte(s)):
			return strings.TrimLeft(strings.TrimLeft(s, "/*"), " ")
		case first == "":
			first = s
		}
	}
	return first
}
