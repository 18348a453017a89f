package textfile_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for content, want := range map[string][]string{
		"": {}, "a": {"a"}, "a\n": {"a"}, "\n": {""}, "a\nb": {"a", "b"}, "a\r\nb\rc\n\n": {"a", "b", "c", ""}, "\r\r\n": {"", ""},
		"値\r\n": {"値"},
	} {
		lines := textfile.NewLines(content)
		if lines.Len() != len(want) {
			t.Errorf("%q has %d lines, want %d", content, lines.Len(), len(want))
			continue
		}
		for i, line := range want {
			if got := lines.Line(i + 1); got != line {
				t.Errorf("line %d of %q is %q, want %q", i+1, content, got, line)
			}
		}
		if lines.Line(0) != "" || lines.Line(len(want)+1) != "" {
			t.Errorf("%q has lines outside of it", content)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	const content = "one\ntwo\r\nthree"
	lines := textfile.NewLines(content)
	for _, c := range []struct {
		first, last int
		want        string
		from, to    int
	}{
		{1, 1, "one\n", 1, 1},
		{2, 3, "two\r\nthree", 2, 3},
		{0, 0, content, 1, 3},
		{2, 0, "two\r\nthree", 2, 3},
		{0, 2, "one\ntwo\r\n", 1, 2},
		{-1, 0, "three", 3, 3},
		{-2, -2, "two\r\n", 2, 2},
		{-100, 0, content, 1, 3},
		{3, 100, "three", 3, 3},
		{1, -2, "one\ntwo\r\n", 1, 2},
	} {
		got, err := lines.Span(c.first, c.last)
		if err != nil || content[got.Start:got.End] != c.want || got.First != c.from || got.Last != c.to {
			t.Errorf("Span(%d, %d) = %+v, %v; want %q", c.first, c.last, got, err, c.want)
		}
	}
	for _, c := range [][2]int{{4, 0}, {4, 9}, {3, 2}, {-1, -2}, {1 << 30, 1 << 30}} {
		_, err := lines.Span(c[0], c[1])
		var bad *textfile.RangeError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "3") || bad.NextStep() == "" {
			t.Errorf("Span(%d, %d) gave %v", c[0], c[1], err)
		}
	}
	for _, c := range [][2]int{{0, 0}, {1, 0}, {1, 10}, {-5, 0}} {
		if got, err := new(textfile.Lines).Span(c[0], c[1]); err != nil || got.Start != got.End {
			t.Errorf("Span(%d, %d) of nothing = %+v, %v", c[0], c[1], got, err)
		}
	}
	if _, err := new(textfile.Lines).Span(2, 0); err == nil {
		t.Error("nothing has a second line")
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	lines := textfile.NewLines("値x\r\n\ny")
	for offset, want := range map[int][2]int{
		-1: {1, 1}, 0: {1, 1}, 3: {1, 2}, 4: {1, 3}, 6: {2, 1}, 7: {3, 1}, 8: {3, 2}, 100: {3, 2},
	} {
		if line, column := lines.Position(offset); line != want[0] || column != want[1] {
			t.Errorf("offset %d is at %d:%d, want %v", offset, line, column, want)
		}
	}
	for content, want := range map[string][2]int{"": {1, 1}, "a": {1, 2}, "a\n": {2, 1}, "\r": {2, 1}, "a\r\n": {2, 1}} {
		if line, column := textfile.NewLines(content).Position(len(content)); line != want[0] || column != want[1] {
			t.Errorf("the end of %q is at %d:%d, want %v", content, line, column, want)
		}
	}
}

// The lines put together are the content, and every offset is in the line that its position names.
func TestLines_CoverContent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "値", "\n", "\r\n", "\r"})
		content := strings.Join(rapid.SliceOf(part).Draw(t, "content"), "")
		lines := textfile.NewLines(content)
		all := ""
		for n := 1; n <= lines.Len(); n++ {
			span, err := lines.Span(n, n)
			if err != nil || span.Start != len(all) {
				t.Fatalf("line %d of %q is %+v, %v", n, content, span, err)
			}
			for offset := span.Start; offset < span.End; offset++ {
				if line, _ := lines.Position(offset); line != n {
					t.Fatalf("offset %d of %q is in line %d, want %d", offset, content, line, n)
				}
			}
			all += content[span.Start:span.End]
		}
		if all != content {
			t.Fatalf("the lines of %q make %q", content, all)
		}
	})
}

func TestNumbering(t *testing.T) {
	t.Parallel()
	lines := textfile.NewLines(strings.Repeat("x\r\n", 8) + "nine\r\n値値値値\n" + strings.Repeat("y", 10))
	span := func(first, last int) textfile.Span {
		s, err := lines.Span(first, last)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		numbering textfile.Numbering
		span      textfile.Span
		want      string
	}{
		{textfile.Numbering{}, span(9, 10), " 9\tnine\n10\t値値値値\n"},
		{textfile.Numbering{}, span(1, 2), "1\tx\n2\tx\n"},
		{textfile.Numbering{MaxLine: 7}, span(10, 11), "10\t値値… [6 more bytes in this line]\n11\tyyyyyyy… [3 more bytes in this line]\n"},
		{textfile.Numbering{MaxLine: 12}, span(10, 10), "10\t値値値値\n"},
		{textfile.Numbering{MaxLine: 1}, span(10, 10), "10\t… [12 more bytes in this line]\n"},
		{textfile.Numbering{}, textfile.Span{First: -3, Last: 100}, ""},
	} {
		got := string(c.numbering.Append(nil, lines, c.span))
		if c.want == "" {
			if strings.Count(got, "\n") != 11 {
				t.Errorf("a span behind the text gave %q", got)
			}
		} else if got != c.want {
			t.Errorf("%+v of %+v: %q, want %q", c.numbering, c.span, got, c.want)
		}
	}
}

func TestLineStart(t *testing.T) {
	const text = "a\r\nbc\n\nd"
	for offset, want := range []int{0, 0, 0, 3, 3, 3, 6, 7, 7} {
		if got := textfile.LineStart(text, offset); got != want {
			t.Errorf("offset %d: %d, want %d", offset, got, want)
		}
	}
}

func TestWithLF(t *testing.T) {
	if got := textfile.WithLF("a\r\nb\rc\n"); got != "a\nb\rc\n" {
		t.Errorf("%q", got)
	}
}
