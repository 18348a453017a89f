package script_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/script"
)

// hardFiles are texts with declarations that are hard to recognize. A file beside each lists the
// expected declarations, checked by hand: lines, kind, path, and the beginnings of signature and
// body.
func hardFiles(t testing.TB) []string {
	names, err := filepath.Glob("testdata/*.[tj]s*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no hard files: %v", err)
	}
	return names
}

func TestHardFiles(t *testing.T) {
	for _, name := range hardFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lang, _ := source.LanguageOf(name, nil)
			f, err := script.Parse(context.Background(), src, lang, source.Options{})
			if err != nil {
				t.Errorf("%v", err)
			}
			list := strings.TrimSuffix(name, filepath.Ext(name)) + ".chunks"
			want, err := os.ReadFile(list)
			if err != nil {
				t.Fatal(err)
			}
			if got := listed(src, f); got != string(want) {
				t.Errorf("%s differs from %s:\n%s", name, list, got)
			}
		})
	}
}

// listed formats the declarations of a file, one a line.
func listed(src []byte, f *source.File) string {
	var out strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&out, "%d-%d %s %s", c.Line, c.EndLine, c.Kind, c.Path())
		if c.StartLine != c.Line {
			fmt.Fprintf(&out, " (from %d)", c.StartLine)
		}
		fmt.Fprintf(&out, " | %.60s", c.Signature)
		if c.Body > 0 {
			fmt.Fprintf(&out, " | %.12q", src[c.Body:c.End])
		}
		out.WriteByte('\n')
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&out, "%d import %s\n", i.Line, i.Path)
	}
	return out.String()
}

// TestParse_DisturbedFiles checks that other line ends, a byte-order mark and truncation do not
// change the declarations before them.
func TestParse_DisturbedFiles(t *testing.T) {
	step := 3
	if testing.Short() {
		step = 37
	}
	for _, name := range hardFiles(t) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lang, _ := source.LanguageOf(name, nil)
		want := places(t, src, lang)
		if got := places(t, bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n")), lang); got != want {
			t.Errorf("%s with \\r\\n:\n%s, want\n%s", name, got, want)
		}
		if got := places(t, append([]byte("\ufeff"), src...), lang); got != want {
			t.Errorf("%s with a byte-order mark:\n%s, want\n%s", name, got, want)
		}
		for at := 0; at < len(src); at += step {
			check(t, src[:at], lang)
		}
	}
}

func places(t *testing.T, src []byte, lang source.Language) string {
	f, err := script.Parse(context.Background(), src, lang, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&out, "%d-%d %s %s %d\n", c.Line, c.EndLine, c.Kind, c.Path(), c.StartLine)
	}
	return out.String()
}
