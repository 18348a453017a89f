package mcpheader

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"
)

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

var (
	errCharacters = errors.New("it has characters that a header cannot have")
	errBase64     = errors.New("the text between =?base64? and ?= is not Base64 of UTF-8")
)

// Encode returns the header value for a text ("Value Encoding"): the text
// itself if it is printable ASCII, and its Base64 between markers if it is not,
// if blanks at its ends would be lost, or if it looks encoded already.
func Encode(text string) string {
	if isPlain(text) && !(strings.HasPrefix(text, encodedPrefix) && strings.HasSuffix(text, encodedSuffix)) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

// isPlain reports whether a text survives as the value of a header.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return text == "" || text[0] != ' ' && text[len(text)-1] != ' '
}

// Decode returns the text that a header value stands for.
func Decode(value string) (string, error) {
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c > '~' {
			return "", errCharacters
		}
	}
	inside, ok := strings.CutPrefix(value, encodedPrefix)
	if !ok {
		return value, nil
	}
	if inside, ok = strings.CutSuffix(inside, encodedSuffix); !ok {
		return value, nil
	}
	text, err := base64.StdEncoding.DecodeString(inside)
	if err != nil || !utf8.Valid(text) {
		return "", errBase64
	}
	return string(text), nil
}
