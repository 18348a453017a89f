package grep_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/grep"
)

// goSource is the concatenated Go source of the distribution, about 90 MB.
var goSource = sync.OnceValue(func() []byte {
	root := os.Getenv("GOROOT")
	if root == "" {
		out, _ := exec.Command("go", "env", "GOROOT").Output()
		root = strings.TrimSpace(string(out))
	}
	var all []byte
	_ = filepath.WalkDir(filepath.Join(root, "src"), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(name, ".go") {
			text, _ := os.ReadFile(name)
			all = append(all, text...)
		}
		return nil
	})
	return all
})

var benchPatterns = []string{
	"ServeHTTP", "zzzqqq", "return", "error", "e", "if err != nil", "日本", `interface\{\}`, `\bfoo\b`, "^func ", // literals
	"(?i)deprecated:", "(?i)error", "(?i)sync", "(?i)func .*context", // in any case
	"foo|bar|baz", "TODO|FIXME|XXX", "(?i)todo|fixme", "Context|Request|Response|Handler", "if|for|func", // alternatives
	`[A-Z][a-z]+Error\b`, `func \(\w+ \*?\w+\) Close\(`, `\berr\s*:?=\s*\w+\.(Read|Write)\w*\(`, `"[^"]*%v[^"]*"`, // with a literal in them
	`\d{4}-\d{2}-\d{2}`, `[0-9a-f]{16,}`, `\p{Greek}`, `[^\x00-\x7f]`, `\w+\s+\w+\s+\w+ \{$`, `[a-z]+_[a-z]+\(`, `^\s*$`, ".", // classes
}

// BenchmarkCount counts matching lines of Go source on one core, in parts that fit into the processor's caches. "rg" is the
// complete run of ripgrep, if it is installed; "regexp" is package regexp on each line.
func BenchmarkCount(b *testing.B) {
	text := goSource()
	if len(text) == 0 {
		b.Skip("no Go source")
	}
	file := filepath.Join(b.TempDir(), "source")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	for _, pattern := range benchPatterns {
		b.Run(pattern, func(b *testing.B) {
			b.Run("grep", func(b *testing.B) { benchmarkGrep(b, pattern, text) })
			if rg, err := exec.LookPath("rg"); err == nil {
				b.Run("rg", func(b *testing.B) { benchmarkRipgrep(b, rg, pattern, file, len(text)) })
			}
			b.Run("regexp", func(b *testing.B) { benchmarkRegexp(b, pattern, text) })
		})
	}
}

func benchmarkGrep(b *testing.B, pattern string, text []byte) {
	m, err := grep.Compile(pattern, grep.Options{Case: grep.Sensitive})
	if err != nil {
		b.Fatal(err)
	}
	const piece = 64 << 10
	buffer := make([]byte, piece)
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		n = 0
		for rest := text; len(rest) > 0; {
			size := copy(buffer, rest)
			if end := bytes.LastIndexByte(buffer[:size], '\n'); end >= 0 {
				size = end + 1
			}
			n += m.Count(buffer[:size])
			rest = rest[size:]
		}
	}
	b.ReportMetric(float64(n), "lines")
}

func benchmarkRipgrep(b *testing.B, rg, pattern, file string, size int) {
	b.SetBytes(int64(size))
	lines := ""
	for b.Loop() {
		out, _ := exec.Command(rg, "-j1", "-c", pattern, file).Output() // fails if nothing is found
		lines = strings.TrimSpace(string(out))
	}
	n := 0
	_, _ = fmt.Sscan(lines, &n)
	b.ReportMetric(float64(n), "lines")
}

func benchmarkRegexp(b *testing.B, pattern string, text []byte) {
	re := regexp.MustCompile(pattern)
	text = text[:min(len(text), 8<<20)]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for line := range bytes.Lines(text) {
			re.Match(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
}

// BenchmarkCompile measures the preparation of a pattern.
func BenchmarkCompile(b *testing.B) {
	for _, pattern := range []string{"foo", `(?i)foo`, `func \(\w+ \*?\w+\) Close\(`, "foo|bar|baz|qux", `\pL+`} {
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := grep.Compile(pattern, grep.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSmallTexts measures the fixed cost per text.
func BenchmarkSmallTexts(b *testing.B) {
	text := []byte(strings.Repeat("the quick brown fox\n", 10))
	for _, pattern := range []string{"foo", `\d+x`, "fox", "quick|slow"} {
		b.Run(pattern, func(b *testing.B) {
			m, err := grep.Compile(pattern, grep.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range m.Lines(text) {
				}
			}
		})
	}
}
