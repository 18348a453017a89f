package parsecheck_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// ctags returns the declarations of the given kinds that universal-ctags finds, by the lines of
// their names. Its typedefs have no end.
func ctags(t testing.TB, lang source.Language, dir string, files []string, kinds ...string) parsecheck.Found {
	t.Helper()
	program(t, "ctags", "universal-ctags")
	return parsecheck.Run(t, dir, files, program(t, "python3", "python3"), append([]string{oracle(t, "ctags.py"), string(lang)}, kinds...)...)
}

// onlyDirectory returns the only directory of a package's source, so that paths do not name
// the version.
func onlyDirectory(t testing.TB, name string) string {
	t.Helper()
	dir := corpus.DebianSource(t, name)
	entries, err := os.ReadDir(dir)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() })
	if err != nil || len(entries) != 1 {
		t.Fatalf("the source of %s has %d directories: %v", name, len(entries), err)
	}
	return filepath.Join(dir, entries[0].Name())
}

// add puts scores together.
func add(total *parsecheck.Score, s parsecheck.Score) {
	for _, pair := range [][2]*parsecheck.Tally{{&total.HeldOut, &s.HeldOut}, {&total.Tuning, &s.Tuning}} {
		pair[0].Files += pair[1].Files
		pair[0].Right += pair[1].Right
		pair[0].Missed += pair[1].Missed
		pair[0].Extra += pair[1].Extra
	}
	total.LeftOut += s.LeftOut
	total.Differences = append(total.Differences, s.Differences...)
}

// without drops the declarations that begin in excluded lines, and returns their number.
func without(found parsecheck.Found, out map[string][]bool) int {
	n := 0
	for path, decls := range found {
		kept := decls[:0]
		for _, d := range decls {
			if lines := out[path]; d.Start < len(lines) && lines[d.Start] {
				n++
				continue
			}
			kept = append(kept, d)
		}
		found[path] = kept
	}
	return n
}

// laterBranches are the lines, from 1, of a text that lie in a branch of a
// conditional of the preprocessor that is not its first.
func laterBranches(src []byte) []bool {
	later := []bool{false}
	var open []bool
	within := 0
	for line := range bytes.Lines(src) {
		directive := bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(line, " \t"), []byte("#")), " \t")
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			directive = nil
		}
		switch {
		case bytes.HasPrefix(directive, []byte("if")):
			open = append(open, false)
		case bytes.HasPrefix(directive, []byte("el")) && len(open) > 0:
			if !open[len(open)-1] {
				within++
			}
			open[len(open)-1] = true
		case bytes.HasPrefix(directive, []byte("endif")) && len(open) > 0:
			if open[len(open)-1] {
				within--
			}
			open = open[:len(open)-1]
		}
		later = append(later, within > 0)
	}
	return later
}

// branches are the later branches of files.
func branches(t testing.TB, dir string, files []string) map[string][]bool {
	t.Helper()
	out := map[string][]bool{}
	for _, path := range files {
		src, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		out[path] = laterBranches(src)
	}
	return out
}
