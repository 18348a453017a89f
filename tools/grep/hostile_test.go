package grep_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/grep"
)

var hostilePatterns = []string{
	`(a*)*b$`, `(a|a)*c`, `(x+x+)+y`, `(.*.*.*=.*)`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `(a|b)*a(a|b){20}c`, `a.{99}c`, `(\w{1,50}\s){1,20}q`, `\pL{40}\PL{40}`,
	`[^a]{900}`, `(?i)ſ{3}k*`, `(.)*(.)*(.)*(.)*\x00`, `\bx\b\B`, `foo.*bar$`, `(|a|aa|aaa)*z`, "\u65e5*\u672c$", `((((((a?){9}){9}){9})))b`, `\xff`, `[\x00-\x{10FFFF}]{300}z`,
}

func hostileTexts(size int) map[string][]byte {
	r := rand.New(rand.NewPCG(5, 6))
	fill := func(letters string) []byte {
		b := make([]byte, size)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return b
	}
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	return map[string][]byte{
		"one line of one letter": bytes.Repeat([]byte("a"), size),
		"one line of two":        fill("ab"),
		"one line of words":      fill("foo barx="),
		"zeros":                  make([]byte, size),
		"noise":                  noise,
		"noise in one line":      bytes.ReplaceAll(bytes.ReplaceAll(noise, []byte("\n"), nil), []byte("\r"), nil),
		"line ends":              bytes.Repeat([]byte("\n"), size),
		"carriage returns":       bytes.Repeat([]byte("a\r"), size/2),
		"CRLF":                   bytes.Repeat([]byte("x\r\n"), size/3),
		"no UTF-8":               bytes.Repeat([]byte("\xe3\x81"), size/2),
		"Japanese":               bytes.Repeat([]byte("日本"), size/6),
	}
}

// TestMatcher_HostilePatterns checks that the time is about proportional to the length of the text. Exponential time would
// exceed the limit even with the texts of short tests.
func TestMatcher_HostilePatterns(t *testing.T) {
	t.Parallel()
	size := 32 << 10
	if testing.Short() {
		size = 512
	}
	for _, pattern := range hostilePatterns {
		var m *grep.Matcher
		for name, text := range hostileTexts(size) {
			if m == nil || !testing.Short() { // a matcher without states takes longest, but compiling takes longer than short texts
				var err error
				if m, err = grep.Compile(pattern, grep.Options{}); err != nil {
					t.Fatalf("%s: %v", pattern, err)
				}
			}
			began := time.Now()
			count := m.Count(text)
			m.Candidate(text)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s in %s (%d lines) took %v", pattern, name, count, took)
			}
		}
	}
}

// TestMatcher_ManyMatches checks that the time is proportional to the number of matches, regardless of the text around them.
func TestMatcher_ManyMatches(t *testing.T) {
	t.Parallel()
	size := 2 << 20
	if testing.Short() {
		size = 64 << 10
	}
	m, err := grep.Compile(`fox.*?dogs\s?`, grep.Options{Multiline: true})
	if err != nil {
		t.Fatal(err)
	}
	for end, blocks := range map[string]int{" ": 1, "\r\n": size / 46} {
		text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dogs"+end), size/46)
		began := time.Now()
		n := 0
		for hit := range m.Lines(text) {
			n++
			if from, to := hit.First(); to-from != 28+len(end) {
				t.Fatalf("%+v: the first match is %q", hit, text[from:to])
			}
		}
		if took := time.Since(began); n != blocks || took > time.Minute {
			t.Errorf("%d lines that end with %q took %v", n, end, took)
		}
	}
}

// TestCompile_LargestPatterns checks that patterns of the maximum size are compiled and searched in limited time. Short tests
// try all options with the first pattern only.
func TestCompile_LargestPatterns(t *testing.T) {
	t.Parallel()
	lines := 500
	if testing.Short() {
		lines = 10
	}
	for i, pattern := range []string{
		strings.Repeat("a", 4096), strings.Repeat("[ab]", 1024), strings.Repeat(`\pL`, 1365), `(\w{10}){99}`, strings.Repeat("(a|b)?", 682),
		strings.Repeat("(", 900) + "a" + strings.Repeat(")", 900), strings.Repeat("a|", 2047) + "a", strings.Repeat("日", 1365), `(?i)` + strings.Repeat("ſk", 1000),
		"(" + strings.Repeat("ab|cd|", 600) + "z)*", strings.Repeat("a?", 2048), strings.Repeat("[^a]", 1000), strings.Repeat("x{1000}", 9),
	} {
		for _, o := range []grep.Options{{}, {Multiline: true}, {Literal: true}, {Case: grep.Insensitive}} {
			if i > 0 && testing.Short() && o != (grep.Options{}) {
				continue
			}
			began := time.Now()
			m, err := grep.Compile(pattern, o)
			if err == nil {
				m.Count([]byte(strings.Repeat("ab aab日本 cdz\n", lines)))
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%.20s…, %+v took %v", pattern, o, took)
			}
		}
	}
}
