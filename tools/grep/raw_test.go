package grep_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

var encodings = []textfile.Encoding{textfile.UTF8, textfile.ShiftJIS, textfile.EUCJP, textfile.ISO2022JP, textfile.Windows1252}

// TestCandidate_EncodingsContainASCII checks the assumptions of Candidate: only Unicode encodings have multi-byte ASCII
// characters, ſ or the Kelvin sign, and no ASCII byte stands for another character.
func TestCandidate_EncodingsContainASCII(t *testing.T) {
	t.Parallel()
	for _, e := range encodings[1:] {
		for lead := range 0x100 {
			for trail := range 0x100 {
				for _, code := range [][]byte{{byte(lead)}, {byte(lead), byte(trail)}, {0x8F, byte(lead), byte(trail)}} {
					text, err := textfile.Decode(code, e)
					if err == nil {
						checkSuperset(t, e, code, text.Content)
					}
					if len(code) == 1 && trail > 0 {
						break // one error per encoding
					}
				}
			}
		}
	}
}

func checkSuperset(t *testing.T, e textfile.Encoding, code []byte, content string) {
	t.Helper()
	at := 0
	for _, r := range content {
		switch {
		case r == 'ſ' || r == '\u212A':
			t.Errorf("%v: % X is %c", e, code, r)
		case r < 0x80 && e != textfile.ISO2022JP: // ISO-2022-JP has escapes, see below
			for at < len(code) && code[at] != byte(r) {
				at++
			}
			if at == len(code) {
				t.Errorf("%v: % X is %q: the byte of %q is missing", e, code, content, r)
			}
			at++
		}
	}
	if len(code) == 1 && code[0] < 0x80 && content != string(rune(code[0])) {
		t.Errorf("%v: %X is %q", e, code[0], content)
	}
}

// TestCandidate_Superset checks that a file with a match in some encoding is a candidate in that encoding.
func TestCandidate_Superset(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := drawPattern(t, rapid.IntRange(0, 3).Draw(t, "depth"))
		m, err := grep.Compile(pattern, drawOptions(t))
		if err != nil {
			return
		}
		e := rapid.SampledFrom(encodings).Draw(t, "encoding")
		data, err := textfile.Encode(drawText(t, 30), e, false)
		if err != nil {
			return
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "bytes changed") {
			if at := rapid.IntRange(0, 40).Draw(t, "at"); at < len(data) {
				data[at] = rapid.Byte().Draw(t, "byte") + byte(i)
			}
		}
		text, err := textfile.Decode(data, e)
		if err != nil {
			return
		}
		if m.Match([]byte(text.Content)) && !m.Candidate(data) {
			t.Fatalf("%q: %v file % X is no candidate", pattern, e, data)
		}
	})
}

func TestCandidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern   string
		superset  bool
		raw       string
		candidate bool
	}{
		{"foo", true, "a foo", true},
		{"foo", true, "a fo\x1b(Bo", true}, // ISO-2022-JP has escapes between characters
		{"foo", true, "f\x00o\x00o\x00", true},
		{"foo", true, "\xff\xfe", true},
		{"foo", true, "\xfe\xff", true},
		{"foo", true, "bar", false},
		{"foo", true, "", false},
		{"(?i)mask", true, "MaSK", true},
		{"(?i)mask", true, "maſk", true},
		{"(?i)mask", true, "max", false},
		{`^foo\b`, true, "\ufefffoo\x83\x41", true}, // a byte-order mark; a character whose second byte looks like a letter
		{`日本.*foo`, true, "foo", true},
		{`日本.*foo`, true, "日本", false},
		{"日本", false, "foo", true},
		{"foo|日本", false, "bar", true},
		{`\w+`, false, "-", true},
	} {
		m, err := grep.Compile(c.pattern, grep.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.RawSuperset() != c.superset || m.Candidate([]byte(c.raw)) != c.candidate {
			t.Errorf("%q: superset %v, %q is a candidate: %v", c.pattern, m.RawSuperset(), c.raw, m.Candidate([]byte(c.raw)))
		}
	}
}
