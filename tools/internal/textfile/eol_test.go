package textfile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func TestDetectEOL(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"": "none", "a": "none", "a\n": "lf", "\n\n": "lf", "a\r\nb\r\n": "crlf", "\r": "cr", "a\rb": "cr", "a\r\r": "cr",
		"a\nb\r\n": "mixed", "a\r\nb\n": "mixed", "a\rb\n": "mixed", "\n\r": "mixed", "\r\r\n": "mixed",
	} {
		if got := textfile.DetectEOL(content); got.String() != want {
			t.Errorf("%q has %v, want %s", content, got, want)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]textfile.Policy{"": textfile.Keep, "keep": textfile.Keep, "LF": textfile.ToLF, " crlf ": textfile.ToCRLF} {
		if got, err := textfile.ParsePolicy(name); err != nil || got != want || !strings.Contains("keep lf crlf", got.String()) {
			t.Errorf("ParsePolicy(%q) = %v, %v", name, got, err)
		}
	}
	_, err := textfile.ParsePolicy("dos")
	var unknown *textfile.NameError
	if !errors.As(err, &unknown) || unknown.ErrorCode() != "UNKNOWN_LINE_END_POLICY" || !slices.Equal(unknown.Legal, []string{"keep", "lf", "crlf"}) {
		t.Errorf("an unknown name gave %v", err)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, old, new string
		policy               textfile.Policy
		want                 string
	}{
		{"lf in a crlf file", "a\r\nb\r\n", "a", "x\ny", textfile.Keep, "x\r\ny"},
		{"crlf in an lf file", "a\nb\n", "a", "x\r\ny", textfile.Keep, "x\ny"},
		{"both in a crlf file", "a\r\n", "a", "x\r\ny\nz", textfile.Keep, "x\r\ny\r\nz"},
		{"lf in a cr file", "a\rb\r", "a", "x\ny", textfile.Keep, "x\ry"},
		{"a lone cr stays", "a\nb\n", "a", "x\ry\n", textfile.Keep, "x\ry\n"},
		{"a file of one line", "a", "a", "x\r\ny\n", textfile.Keep, "x\r\ny\n"},
		{"asked for lf", "a\r\nb\r\n", "a", "x\r\ny\rz\n", textfile.ToLF, "x\ny\nz\n"},
		{"asked for crlf", "a\n", "a", "x\r\ny\rz\n", textfile.ToCRLF, "x\r\ny\r\nz\r\n"},
		{"mixed: the line in front", "a\r\nb\nc\n", "b", "x\ny", textfile.Keep, "x\r\ny"},
		{"mixed: the line in front, lf", "a\r\nb\nc\r\n", "c", "x\r\ny", textfile.Keep, "x\ny"},
		{"mixed: the line behind", "a\r\nb\n", "a", "x\ny", textfile.Keep, "x\r\ny"},
		{"mixed: each line keeps its own", "a\r\nb\nc\r\n", "a\r\nb\nc\r\n", "a\nB\nc\n", textfile.Keep, "a\r\nB\nc\r\n"},
		{"mixed: a line is put in between", "a\r\nb\nc\r\nd\n", "a\r\nb\nc\r\nd\n", "a\nb\nnew\nc\nd\n", textfile.Keep, "a\r\nb\nnew\nc\r\nd\n"},
		{"mixed: a line is taken away", "a\r\nb\nc\r\nd\n", "a\r\nb\nc\r\nd\n", "a\nc\nd\n", textfile.Keep, "a\r\nc\r\nd\n"},
		{"mixed: more lines than before", "a\r\nb\nc", "b\nc", "x\r\ny\r\nz\r\n", textfile.Keep, "x\ny\nz\n"},
		{"mixed: a lone cr stays", "a\r\nb\n", "b", "x\ry\n", textfile.Keep, "x\ry\r\n"},
		{"nothing", "a\r\nb\n", "b", "", textfile.Keep, ""},
	} {
		text, err := textfile.Decode([]byte(c.file), textfile.UTF8)
		if err != nil {
			t.Fatal(err)
		}
		start := strings.Index(c.file, c.old)
		if got := text.Fit(start, start+len(c.old), c.new, c.policy); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	mixed, err := textfile.Decode([]byte("a\r\nb\n"), textfile.UTF8)
	if err != nil {
		t.Fatal(err)
	}
	if got := mixed.Fit(-5, 500, "x\ny\n", textfile.Keep); got != "x\r\ny\n" {
		t.Errorf("offsets outside of the text gave %q", got)
	}
}

// Text that was read with LF is written without a change of line ends, for every mixture.
func TestFit_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\r\n", "\n", "\r\n", "値\n", "値\r\n"})
		file := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
		text, err := textfile.Decode([]byte(file), textfile.UTF8)
		if err != nil {
			t.Fatal(err)
		}
		if got := text.Fit(0, len(file), strings.ReplaceAll(file, "\r\n", "\n"), textfile.Keep); got != file {
			t.Fatalf("%q became %q", file, got)
		}
	})
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content, text string
		want          []string
	}{
		{"a\r\nb\r\na\nb\n", "a\nb\n", []string{"a\r\nb\r\n", "a\nb\n"}},
		{"a\nb", "a\r\nb", []string{"a\nb"}},
		{"a\rb", "a\nb", []string{"a\rb"}},
		{"aaa", "aa", []string{"aa"}},
		{"x\r\n\r\ny", "\n", []string{"\r\n", "\r\n"}},
		{"a\r\n", "a\r", []string{"a\r\n"}},
		{"a\r\nb", "\nb", []string{"\r\nb"}},
		{"値\r\n値", "値", []string{"値", "値"}},
		{"abc", "", nil},
		{"abc", "d", nil},
		{"", "a", nil},
	} {
		var got []string
		for start, end := range textfile.Matches(c.content, c.text) {
			got = append(got, c.content[start:end])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %q, want %q", c.text, c.content, got, c.want)
		}
	}
	n := 0
	for range textfile.Matches("\r\n"+strings.Repeat("a", 1<<17), "a") {
		n++
	}
	if n != 1<<17 {
		t.Errorf("%d matches in a long line, want %d", n, 1<<17)
	}
	for start := range textfile.Matches("a\r\na\r\na", "a") {
		if start == 3 {
			break // a caller may stop
		}
	}
}

// A match reads as the text when both have LF, and all of them are found.
func TestEOL_Matches(t *testing.T) {
	t.Parallel()
	lf := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "\r"})
		content := strings.Join(rapid.SliceOf(part).Draw(t, "content"), "")
		text := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "text"), "")
		n, at := 0, 0
		for start, end := range textfile.Matches(content, text) {
			if start < at || lf.Replace(content[start:end]) != lf.Replace(text) {
				t.Fatalf("%q at %d:%d of %q is not %q", content[start:end], start, end, content, text)
			}
			n, at = n+1, end
		}
		if want := strings.Count(lf.Replace(content), lf.Replace(text)); n != want {
			t.Fatalf("%q is found %d times in %q, want %d", text, n, content, want)
		}
	})
}
