package grep_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/grep"
)

var usual = []string{
	"e", "foo", "Error", `\bfoo\b`, "^foo", "foo$", "^foo$", "^", "^$", `\s$`, "foo|bar", "foo|bar|Error|日本", "(?i)error", "(?i)mask|foo", "(?i)s",
	`[A-Z][a-z]+\b`, `\d+-\d+`, `(\w+) (\w+)$`, "[^ -~]", `\pL\PL`, "日.", ".", "x{20}", `foo.*bar`, `(foo|bar)+Error?`, `[^f]oo`, `\x{FFFD}`,
	`^.{5,20}$`, `a.*b.*c`, `^\w+$`, `(?i)é`, `\bé\b`, "zzz", "q", `[xyz]{2}`, "foo|", `\Bo\B`,
}

func drawLines(r *rand.Rand, size int) string {
	parts := []string{"foo", "bar", "Foo", "Error", "error", "mask", "MASK", "é", "日本", "語", " ", " ", " ", "_", "-", "12", "3", "x", "\t", "(", "ab", "abc", "zeta"}
	ends := []string{"\n", "\n", "\n", "\n", "\n\n", "\r\n", "\n"}
	var b strings.Builder
	for b.Len() < size {
		for range r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		switch r.IntN(200) {
		case 0:
			b.WriteString("\xff")
		case 1:
			b.WriteString("\xe3\x81")
		case 2:
			b.WriteString("ſ\r")
		case 3:
			b.WriteString(strings.Repeat("x ", 2000))
		}
		b.WriteString(ends[r.IntN(len(ends))])
	}
	return b.String()
}

// TestMatcher_WindowsAndStreams compares the results for texts of several streams and, above 256 KiB, several windows with
// package regexp. Short tests search the text of several windows for every 16th pattern.
func TestMatcher_WindowsAndStreams(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	windows := drawLines(r, 270<<10)
	texts := []string{drawLines(r, 3<<10), drawLines(r, 100), strings.ReplaceAll(drawLines(r, 18<<10), "ſ", "s") + "foo"}
	texts = append(texts, strings.ReplaceAll(texts[0], "\n", "\r"), strings.ReplaceAll(texts[2], "\n", " "), strings.Repeat("\n", 18<<10))
	for i, pattern := range usual {
		for _, text := range texts {
			check(t, pattern, grep.Options{Case: grep.Sensitive}, text)
		}
		if i%16 == 0 || !testing.Short() {
			check(t, pattern, grep.Options{Case: grep.Sensitive}, windows)
		}
	}
}

// TestMatcher_PrefetchedText checks that each prefetched part of a text above 1 MiB is searched.
func TestMatcher_PrefetchedText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 0; b.Len() < 1200<<10; i++ {
		b.WriteString(strings.Repeat("-", i*7919%97))
		b.WriteString([]string{"needle", "Needle", "noodle", "ne", "x"}[i%5])
		b.WriteString("\n")
	}
	for i, pattern := range []string{"needle", "(?i)needle", "noodle|needle", `n[eo]{2}dle$`, "[N]"} {
		if i > 1 && testing.Short() {
			break
		}
		check(t, pattern, grep.Options{Case: grep.Sensitive}, b.String())
	}
}

// TestMatcher_CacheFullAtOnce checks that a cache that is full after little text is paused, and that lines of this and later
// texts are still found.
func TestMatcher_CacheFullAtOnce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[r.IntN(2)]
		}
		return string(b)
	}
	var lines strings.Builder
	for range 450 {
		lines.WriteString(letters(20+r.IntN(100)) + "\n")
	}
	for _, pattern := range []string{`^(a|b)*a(a|b){13}a$`, `a(a|b){16}aaaaaa`, `foo.*a(a|b){18}[^ab]`} {
		re, err := reference(pattern, grep.Options{Case: grep.Sensitive})
		if err != nil {
			t.Fatal(err)
		}
		m, err := grep.Compile(pattern, grep.Options{Case: grep.Sensitive})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{lines.String(), "a\nfoo" + letters(20<<10) + "c\n" + strings.Repeat("a", 30), "\xff" + lines.String()[:10<<10]} {
			if got, want := spans(m, []byte(text)), referenceLines(re, text); !slices.Equal(got, want) {
				t.Fatalf("%s: found %d lines, want %d", pattern, len(got), len(want))
			}
		}
	}
}

// TestMatcher_CacheRenewed checks that a useful cache is emptied when it is full, and used further.
func TestMatcher_CacheRenewed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	text := make([]byte, 1<<20)
	for i := range text {
		switch n := r.IntN(10_000); {
		case n < 125:
			text[i] = 'a'
		case n < 127:
			text[i] = "\nz"[n-125]
		default:
			text[i] = 'b'
		}
	}
	check(t, "a.{60}z", grep.Options{Case: grep.Sensitive}, string(text))
}

// TestMatcher_ConcurrentSearches uses one matcher in concurrent searches.
func TestMatcher_ConcurrentSearches(t *testing.T) {
	t.Parallel()
	text := []byte(drawLines(rand.New(rand.NewPCG(9, 10)), 20<<10))
	for _, pattern := range []string{"foo", `(?i)error|ma[st]k`, `\w+-\d+`, `foo.*bar`} {
		m, err := grep.Compile(pattern, grep.Options{Case: grep.Sensitive})
		if err != nil {
			t.Fatal(err)
		}
		want := spans(m, text)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 5 {
					if got := spans(m, text); !slices.Equal(got, want) {
						t.Errorf("%s: found %d lines, want %d", pattern, len(got), len(want))
					}
					if m.Count(text) != len(want) || m.Candidate(text) != (len(want) > 0) {
						t.Errorf("%s: counted %d lines, want %d", pattern, m.Count(text), len(want))
					}
				}
			})
		}
		all.Wait()
	}
}

// TestLinesContext_Cancelled checks that a search ends soon after its context, in many lines as in one.
func TestLinesContext_Cancelled(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"lines": strings.Repeat("foo\n", 100_000), "long line": strings.Repeat("ab", 1<<20)} {
		for _, o := range []grep.Options{{}, {Multiline: true}} {
			m, err := grep.Compile("foo|o$|a[ab]{30}$", o)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			for range m.LinesContext(ctx, []byte(text)) {
				n++
				cancel()
			}
			cancel()
			if n > 70_000 {
				t.Errorf("%s, %+v: %d matches after the end", name, o, n)
			}
			for range m.LinesContext(ctx, []byte(text)) {
				t.Errorf("%s, %+v: a match after the end", name, o)
				break
			}
		}
	}
}

// TestLines_LoopStopsEarly stops a loop over matches early, and starts another search within a loop.
func TestLines_LoopStopsEarly(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("foo bar\n\nbar\n", 200))
	for _, pattern := range []string{"foo", "[fb]..", "", "(?i)FOO"} {
		for _, o := range []grep.Options{{}, {Multiline: true}} {
			m, err := grep.Compile(pattern, o)
			if err != nil {
				t.Fatal(err)
			}
			for hit := range m.Lines(text) {
				if hit.Line != 1 || hit.End != 7 {
					t.Errorf("%q: %+v", pattern, hit)
				}
				for inner := range m.Lines(text[:8]) { // a search within another one
					if inner.Line != 1 {
						t.Errorf("%q: %+v", pattern, inner)
					}
				}
				break
			}
			if got, want := m.Count(text), m.Count(bytes.Clone(text)); got != want || got == 0 {
				t.Errorf("%q: %d lines, then %d", pattern, got, want)
			}
		}
	}
}
