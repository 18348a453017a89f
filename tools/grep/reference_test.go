package grep_test

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"

	"github.com/dougu-go/dougu/tools/grep"
)

// span is a result: lines and the first match in them.
type span struct{ Line, Lines, Start, End, From, To int }

// splitLines returns the range of each line without its end.
func splitLines(text string) (lines [][2]int) {
	for at := 0; at < len(text); {
		end, next := len(text), len(text)
		if n := strings.IndexAny(text[at:], "\r\n"); n >= 0 {
			end, next = at+n, at+n+1
			if strings.HasPrefix(text[end:], "\r\n") {
				next++
			}
		}
		lines = append(lines, [2]int{at, end})
		at = next
	}
	return lines
}

// reference compiles a pattern with package regexp alone, or with unicodeReference if it reads Unicode.
func reference(pattern string, o grep.Options) (finds, error) {
	flags := ""
	if o.Literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if o.Case == grep.Insensitive {
		flags += "i"
	}
	if o.Multiline {
		flags += "ms"
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	if !o.Literal && readsUnicode.MatchString(pattern) {
		if _, err := regexp.Compile(pattern); err != nil {
			return nil, err
		}
		return newUnicodeReference(pattern)
	}
	return regexp.Compile(pattern)
}

// referenceLines finds the matching lines one by one.
func referenceLines(re finds, text string) (found []span) {
	for i, line := range splitLines(text) {
		if at := re.FindStringIndex(text[line[0]:line[1]]); at != nil {
			found = append(found, span{i + 1, 1, line[0], line[1], line[0] + at[0], line[0] + at[1]})
		}
	}
	return found
}

// unix converts all line ends to LF, and returns the original offset of each byte.
func unix(text string) (out string, origin []int) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		origin = append(origin, i)
		if text[i] == '\r' {
			b.WriteByte('\n')
			if strings.HasPrefix(text[i:], "\r\n") {
				i++
			}
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String(), append(origin, len(text))
}

// hasCR reports whether a pattern names a CR, so that the text is not converted.
func hasCR(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\r') || slices.ContainsFunc(re.Sub, hasCR)
}

// referenceBlocks finds the lines that contain matches.
func referenceBlocks(re finds, pattern, original string) (found []span) {
	text, origin := unix(original)
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil && hasCR(tree) {
		text, origin = original, nil
		for i := range len(text) + 1 {
			origin = append(origin, i)
		}
	}
	lines := splitLines(text)
	lineOf := func(at int) int { // of the line that a place is in, its end included
		if at == len(text) && (at == 0 || strings.ContainsAny(text[at-1:], "\r\n")) {
			return -1
		}
		return sort.Search(len(lines), func(i int) bool { return lines[i][0] > at }) - 1
	}
	last := -1
	for _, at := range re.FindAllStringIndex(text, -1) {
		first, end := lineOf(at[0]), lineOf(max(at[0], at[1]-1))
		if first < 0 {
			continue // behind the last line
		}
		if n := len(found); n > 0 && first <= last {
			last = max(last, end)
			found[n-1].Lines = last - found[n-1].Line + 2
			found[n-1].End = origin[lines[last][1]]
			continue
		}
		last = end
		found = append(found, span{first + 1, end - first + 1, origin[lines[first][0]], origin[lines[end][1]], origin[at[0]], origin[at[1]]})
	}
	return found
}

func spans(m *grep.Matcher, text []byte) (found []span) {
	for hit := range m.Lines(text) {
		from, to := hit.First()
		found = append(found, span{hit.Line, hit.Lines, hit.Start, hit.End, from, to})
	}
	return found
}

// check compares a matcher with package regexp.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, pattern string, o grep.Options, text string) {
	t.Helper()
	re, err := reference(pattern, o)
	if err != nil {
		if m, err := grep.Compile(pattern, o); err == nil {
			t.Fatalf("%q compiles, as %v", pattern, m)
		}
		return
	}
	want := referenceLines(re, text)
	if o.Multiline {
		want = referenceBlocks(re, pattern, text)
	}
	m, err := grep.Compile(pattern, o)
	if err != nil {
		if large := strings.Contains(err.Error(), "too large") || strings.Contains(err.Error(), "more than"); !large && len(want) > 0 {
			t.Fatalf("%q does not compile: %v", pattern, err)
		}
		return
	}
	data := []byte(text)
	where := func() string { return fmt.Sprintf("%q %+v in %q", pattern, o, text) }
	if got := spans(m, data); !slices.Equal(got, want) {
		t.Fatalf("%s:\n got %v\nwant %v", where(), got, want)
	}
	lines := 0
	for _, s := range want {
		lines += s.Lines
	}
	if got := m.Count(data); got != lines {
		t.Fatalf("%s: counted %d, want %d", where(), got, lines)
	}
	if m.Match(data) != (lines > 0) {
		t.Fatalf("%s: Match is %v", where(), lines == 0)
	}
	if lines > 0 && !m.Candidate(data) {
		t.Fatalf("%s: no candidate", where())
	}
	if string(data) != text {
		t.Fatalf("%s: the text was changed", where())
	}
}
