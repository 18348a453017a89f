package swift_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/swift"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// hard is one case of the files in testdata: Swift code between "=== name" and "---", then a line
// for each chunk, written by hand.
type hard struct{ name, src, want string }

func hardCases(t testing.TB) []hard {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no testdata", err)
	}
	var all []hard
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			name, rest, _ := strings.Cut(part, "\n")
			src, want, _ := strings.Cut(rest, "\n---\n")
			all = append(all, hard{filepath.Base(path) + "/" + name, src + "\n", strings.TrimSpace(want)})
		}
	}
	return all
}

// outline writes a line for each chunk: its kind, its path, its lines, and where
// its documentation begins if that is on another line.
func outline(f *source.File) string {
	var lines []string
	for _, c := range f.Chunks {
		line := fmt.Sprintf("%s %s %d-%d", c.Kind, c.Path(), c.Line, c.EndLine)
		if c.StartLine != c.Line {
			line += fmt.Sprintf(" from %d", c.StartLine)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestHardSwift(t *testing.T) {
	for _, c := range hardCases(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, src := range []string{c.src, strings.TrimSpace(c.src), strings.ReplaceAll(c.src, "\n", "\r\n")} {
				f, err := swift.Parse(t.Context(), []byte(src), source.Swift, source.Options{Calls: true})
				if err != nil {
					t.Fatalf("unsure: %v\n%s", err, outline(f))
				}
				if err := parsertest.Invariants([]byte(src), f); err != nil {
					t.Error(err)
				}
				if got := outline(f); got != c.want {
					t.Fatalf("got\n%s\nwant\n%s", got, c.want)
				}
			}
		})
	}
}
