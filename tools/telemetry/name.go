package telemetry

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName  = 128 // bytes of the name of a model
	maxLabel = 64  // bytes of a provider, a version, a code, and what else names something
)

// otherName counts what there are too many different names for.
const otherName = "other"

// checkName says what keeps foreign text from being shown as a name: it could change what a terminal or a log shows.
func checkName(s string, most int) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > most:
		return fmt.Errorf("has %d bytes; at most %d are allowed", len(s), most)
	case !utf8.ValidString(s):
		return errors.New("is not valid UTF-8")
	case strings.TrimSpace(s) != s:
		return errors.New("begins or ends with a space")
	case strings.ContainsFunc(s, isHidden):
		return errors.New("has a character that cannot be shown")
	}
	return nil
}

// isHidden reports whether a character is one that is not shown: a control character, or one that changes the direction of text.
func isHidden(r rune) bool { return !unicode.IsGraphic(r) }

// cleanName makes foreign text fit to be shown as a name. What is left of it may be empty.
func cleanName(s string, most int) string {
	if checkName(s, most) == nil {
		return s
	}
	s = truncateBytes(s, 4*most) // looking at more is of no use
	s = strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(truncateBytes(strings.TrimSpace(s), most))
}

// truncateBytes is as much of s as has at most n bytes and ends with a whole character.
func truncateBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
