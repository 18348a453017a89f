package telemetry

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxName is the longest name of a model, in bytes.
	maxName = 128
	// maxLabel is the longest provider, version, error code or client name, in bytes.
	maxLabel = 64
)

// otherName is the name under which entries over a limit are counted together.
const otherName = "other"

// checkName returns an error if s is empty, longer than most bytes, or not safe to display. Control
// characters could change the output of a terminal or a log.
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

// isHidden reports whether a character is not graphic: a control character, or one that changes the
// direction of text.
func isHidden(r rune) bool { return !unicode.IsGraphic(r) }

// cleanName removes characters that checkName rejects and truncates s to most bytes. The result may
// be empty.
func cleanName(s string, most int) string {
	if checkName(s, most) == nil {
		return s
	}
	s = truncateBytes(s, 4*most) // limits the work on long input
	s = strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(truncateBytes(strings.TrimSpace(s), most))
}

// truncateBytes returns the longest prefix of s with at most n bytes that does not split a
// character.
func truncateBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
