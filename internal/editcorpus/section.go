package editcorpus

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// section is text and how its bytes are made.
type section struct {
	text            string
	quoted, open    bool
	crlf, cr, mixed bool
	bom             bool
	encoding        encoding.Encoding
}

// set sets an attribute; false if there is none of the name.
func (s *section) set(key, value string, hasValue bool) bool {
	flags := map[string]*bool{"quoted": &s.quoted, "open": &s.open, "crlf": &s.crlf, "cr": &s.cr, "mixed": &s.mixed, "bom": &s.bom}
	if flag := flags[key]; flag != nil && !hasValue {
		*flag = true
		return true
	}
	if key != "encoding" {
		return false
	}
	switch value {
	case "shift-jis":
		s.encoding = japanese.ShiftJIS
	case "euc-jp":
		s.encoding = japanese.EUCJP
	case "iso-2022-jp":
		s.encoding = japanese.ISO2022JP
	case "windows-1252":
		s.encoding = charmap.Windows1252
	case "utf-16le":
		s.encoding = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		s.encoding = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	default:
		return false
	}
	return true
}

// bytes makes the bytes of the section.
func (s *section) bytes() ([]byte, error) {
	text := s.text
	if s.quoted {
		text = ""
		for line := range strings.Lines(s.text) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			part, err := strconv.Unquote(line)
			if err != nil {
				return nil, fmt.Errorf("%s is not a string in the syntax of Go", line)
			}
			text += part
		}
	}
	if s.open {
		text = strings.TrimSuffix(text, "\n")
	}
	text = s.lineEnds(text)
	if s.bom {
		text = "\uFEFF" + text
	}
	if s.encoding == nil {
		return []byte(text), nil
	}
	return s.encoding.NewEncoder().Bytes([]byte(text))
}

func (s *section) lineEnds(text string) string {
	switch {
	case s.crlf:
		return strings.ReplaceAll(text, "\n", "\r\n")
	case s.cr:
		return strings.ReplaceAll(text, "\n", "\r")
	case !s.mixed:
		return text
	}
	var b strings.Builder
	crlf := true
	for line := range strings.Lines(text) {
		if crlf {
			line = strings.Replace(line, "\n", "\r\n", 1)
		}
		b.WriteString(line)
		crlf = !crlf
	}
	return b.String()
}
