package treesitter_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// snippet is a piece of source, named after its difficulty, with the expected result. Each chunk
// has a line "first-last kind path", followed by its parent if that is not its container. Each
// import has a line.
type snippet struct{ name, src, want string }

// grammarsOf is a parser that keeps compiled grammars for the next test.
func grammarsOf(t testing.TB) *treesitter.Parser {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = t.TempDir()
	}
	p := treesitter.New(treesitter.Options{CacheDir: filepath.Join(dir, "dougu", "grammars")})
	t.Cleanup(func() { p.Close() })
	return p
}

func checkSnippets(t *testing.T, lang source.Language, snippets []snippet) {
	t.Helper()
	p := grammarsOf(t)
	for _, s := range snippets {
		t.Run(s.name, func(t *testing.T) {
			src := []byte(strings.TrimPrefix(s.src, "\n"))
			f, err := p.Parse(t.Context(), src, lang, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := parsertest.Invariants(src, f); err != nil {
				t.Error(err)
			}
			got, want := strings.TrimSpace(foundIn(f)), strings.TrimSpace(s.want)
			if got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func foundIn(f *source.File) string {
	var found strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&found, "%d-%d %s %s\n", c.StartLine, c.EndLine, c.Kind, c.Path())
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&found, "%d import %s\n", i.Line, i.Path)
	}
	for _, p := range f.Problems {
		fmt.Fprintf(&found, "%d problem %s\n", p.Line, p.Message)
	}
	return found.String()
}

// checkCut parses truncated sources and checks the invariants of a File.
func checkCut(t *testing.T, lang source.Language, snippets []snippet) {
	t.Helper()
	p := grammarsOf(t)
	for _, s := range snippets {
		for _, src := range [][]byte{[]byte(s.src), bytes.ReplaceAll([]byte(s.src), []byte("\n"), []byte("\r\n"))} {
			for end := 0; end <= len(src); end += 1 + len(src)/12 {
				f, err := p.Parse(t.Context(), src[:end], lang, source.Options{Calls: true})
				if err != nil {
					t.Fatal(err)
				}
				if err := parsertest.Invariants(src[:end], f); err != nil {
					t.Errorf("%s, the first %d bytes: %v", s.name, end, err)
				}
			}
		}
	}
}

// fuzzSnippets looks for texts after which something does not hold that holds for
// every file.
func fuzzSnippets(f *testing.F, lang source.Language, snippets []snippet) {
	p := grammarsOf(f)
	for _, s := range snippets {
		f.Add([]byte(s.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := p.Parse(t.Context(), src, lang, source.Options{Calls: true})
		if err != nil {
			t.Skip(err)
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Error(err)
		}
	})
}
