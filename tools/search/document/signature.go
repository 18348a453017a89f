package document

import (
	"bytes"
	"strings"
)

// Lengths in bytes at which strings of a piece are cut.
const (
	maxSignature = 200
	maxName      = 200
)

// oneLine is a text with a blank for all that is white.
func oneLine(text []byte) string {
	return strings.Join(strings.Fields(string(text[:min(len(text), 2*maxSignature)])), " ")
}

// firstLine is the first line of a text that has words, without the mark of a comment;
// if there is none with words, the first one.
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
