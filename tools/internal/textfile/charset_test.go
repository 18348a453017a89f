package textfile_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// shortCodes are all byte sequences of a length that can be one character.
func shortCodes(n int) [][]byte {
	var codes [][]byte
	for a := range 0x100 {
		if n == 1 {
			codes = append(codes, []byte{byte(a)})
			continue
		}
		for b := range 0x100 {
			if n == 3 {
				codes = append(codes, []byte{0x8F, byte(a), byte(b)})
			} else if a >= 0x80 {
				codes = append(codes, []byte{byte(a), byte(b)})
			}
		}
	}
	return codes
}

// The package decodes to the same characters as golang.org/x/text. Every character that it decodes, it encodes so that it is
// decoded again.
func TestDecode_AllCodesMatchTables(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		encoding textfile.Encoding
		tables   encoding.Encoding
		lengths  []int
		extra    int // codes that only this package reads
	}{
		{textfile.ShiftJIS, japanese.ShiftJIS, []int{1, 2}, 1880}, // the user-defined area
		{textfile.EUCJP, japanese.EUCJP, []int{1, 2, 3}, 0},
	} {
		extra := 0
		for _, n := range of.lengths {
			for _, code := range shortCodes(n) {
				want, err := of.tables.NewDecoder().Bytes(code)
				known := err == nil && !bytes.ContainsRune(want, utf8.RuneError)
				text, err := textfile.Decode(code, of.encoding)
				switch {
				case err != nil && known:
					t.Errorf("%v: % X is refused, but is %q", of.encoding, code, want)
				case err != nil:
				case !known:
					extra++
				case text.Content != string(want):
					t.Errorf("%v: % X is read as %q, want %q", of.encoding, code, text.Content, want)
				}
				if err == nil {
					checkReadsBack(t, text.Content, of.encoding)
				}
			}
		}
		if extra != of.extra {
			t.Errorf("%v: %d codes are read that the tables do not have, want %d", of.encoding, extra, of.extra)
		}
	}
}

func checkReadsBack(t *testing.T, content string, e textfile.Encoding) {
	t.Helper()
	data, err := textfile.Encode(content, e, false)
	if err != nil {
		t.Errorf("%v: %q was read but cannot be written: %v", e, content, err)
		return
	}
	again, err := textfile.Decode(data, e)
	if err != nil || again.Content != content || !again.Canonical() {
		t.Errorf("%v: %q is written as % X and read as %+v, %v", e, content, data, again, err)
	}
}

// Characters with two codes are written with the one of Windows in Shift_JIS; the other is kept where it stands.
func TestDuplicateCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		encoding     textfile.Encoding
		char         string
		written, odd string
	}{
		{textfile.ShiftJIS, "髙", "\xFB\xFC", "\xEE\xE0"},
		{textfile.ShiftJIS, "﨑", "\xFA\xB1", "\xED\x95"},
		{textfile.ShiftJIS, "纊", "\xFA\x5C", "\xED\x40"},
		{textfile.ShiftJIS, "ⅰ", "\xFA\x40", "\xEE\xEF"},
		{textfile.ShiftJIS, "Ⅰ", "\x87\x54", "\xFA\x4A"},
		{textfile.ShiftJIS, "㈱", "\x87\x8A", "\xFA\x58"},
		{textfile.ShiftJIS, "№", "\x87\x82", "\xFA\x59"},
		{textfile.ShiftJIS, "∵", "\x81\xE6", "\x87\x9A"},
		{textfile.ShiftJIS, "￢", "\x81\xCA", "\xEE\xF9"},
		{textfile.ShiftJIS, "￢", "\x81\xCA", "\xFA\x54"},
		{textfile.EUCJP, "≒", "\xA2\xE2", "\xAD\xF0"},
		{textfile.EUCJP, "～", "\xA1\xC1", "\x8F\xA2\xB7"},
		{textfile.EUCJP, "丨", "\xF9\xAD", "\x8F\xB0\xA9"},
		{textfile.ISO2022JP, "亜", "\x1b$B0!\x1b(B", "\x1b$@0!\x1b(J"},
	} {
		got, err := textfile.Encode(c.char, c.encoding, false)
		if err != nil || string(got) != c.written {
			t.Errorf("%v: %s is written as % X, %v; want % X", c.encoding, c.char, got, err, c.written)
		}
		text, err := textfile.Decode([]byte(c.odd), c.encoding)
		if err != nil || text.Content != c.char || text.Canonical() {
			t.Errorf("%v: % X is read as %+v, %v", c.encoding, c.odd, text, err)
			continue
		}
		kept, err := text.Update(c.char + "!")
		if err != nil || !strings.HasPrefix(string(kept), c.odd[:2]) {
			t.Errorf("%v: % X became % X, %v by an edit behind it", c.encoding, c.odd, kept, err)
		}
	}
}

func TestDecode_ShiftJISUserDefined(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"\xF0\x40": "\uE000", "\xF0\x7E": "\uE03E", "\xF0\x80": "\uE03F", "\xF0\xFC": "\uE0BB", "\xF9\xFC": "\uE757",
	} {
		text, err := textfile.Decode([]byte(code), textfile.ShiftJIS)
		if err != nil || text.Content != want || !text.Canonical() {
			t.Errorf("% X is read as %+v, %v; want %U", code, text, err, []rune(want))
		}
	}
}

func TestDecode_Windows1252AllBytes(t *testing.T) {
	t.Parallel()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	text, err := textfile.Decode(all, textfile.Windows1252)
	if err != nil || !text.Canonical() || utf8.RuneCountInString(text.Content) != 256 {
		t.Fatalf("read as %+v, %v", text, err)
	}
	for _, want := range []string{"€", "“", "é", "ÿ", "\u0081"} {
		if !strings.Contains(text.Content, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
