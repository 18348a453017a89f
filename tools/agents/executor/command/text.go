package command

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tail keeps the last bytes of its input; most is their number.
type tail struct {
	most int
	kept []byte
}

// write adds input.
func (t *tail) write(p []byte) {
	if len(p) >= t.most {
		t.kept = append(t.kept[:0], p[len(p)-t.most:]...)
		return
	}
	if over := len(t.kept) + len(p) - t.most; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	t.kept = append(t.kept, p...)
}

// bytes returns the kept text, from the first complete character on.
func (t *tail) bytes() []byte {
	p := t.kept
	for len(p) > 0 && len(p) > len(t.kept)-utf8.UTFMax && !utf8.RuneStart(p[0]) {
		p = p[1:]
	}
	return p
}

// escapes matches terminal sequences for colors, cursor movements and window titles.
var escapes = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[ -/]+[0-~]|[0-Z\\^_=>c])`)

// Plain returns text without terminal sequences.
func Plain(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	return escapes.ReplaceAllString(text, "")
}

// printable returns at most most bytes of text, without terminal sequences and control
// characters. Cut text ends with an ellipsis.
func printable(p []byte, most int) string {
	cut := len(p) > most
	text := Plain(string(bytes.ToValidUTF8(trimRune(p[:min(len(p), most)], 0), []byte("\uFFFD"))))
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	if cut {
		text += ellipsis
	}
	return text
}
