package parsecheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// corpus is a directory with source files.
type project struct {
	name, dir string
	files     []string
}

// sources makes a corpus of the files below a directory that have a suffix and
// that skip, if there is one, does not name.
func sources(t testing.TB, name, dir string, skip func(path string) bool, suffixes ...string) project {
	t.Helper()
	c := project{name: name, dir: dir}
	for _, path := range corpus.Files(t, dir, suffixes...) {
		if skip == nil || !skip(path) {
			c.files = append(c.files, path)
		}
	}
	if len(c.files) == 0 {
		t.Fatalf("%s has no files in %s", dir, suffixes)
	}
	return c
}

// several calls find for each corpus and prefixes the paths of the result with the corpus's name.
func several(corpora []project, find func(dir string, files []string) parsecheck.Found) parsecheck.Found {
	all := parsecheck.Found{}
	for _, c := range corpora {
		for path, decls := range find(c.dir, c.files) {
			all[c.name+"/"+path] = decls
		}
	}
	return all
}

// grammarOf is the parser that has a grammar for each language.
func grammarOf(t testing.TB) source.Parser {
	t.Helper()
	dir := ""
	if cache, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(cache, "dougu", "grammars")
	}
	p := treesitter.New(treesitter.Options{CacheDir: dir})
	t.Cleanup(func() { p.Close() })
	return p
}

// parsed reads all corpora with a parser.
func parsed(t testing.TB, p source.Parser, lang source.Language, corpora []project, w parsecheck.Want) parsecheck.Found {
	t.Helper()
	doubts := 0
	found := several(corpora, func(dir string, files []string) parsecheck.Found {
		got, unsure := parsecheck.Parse(t, p, lang, dir, files, w)
		doubts += unsure
		return got
	})
	t.Logf("%s: %d files, unsure of %d", p.Name(), len(found), doubts)
	return found
}

// program is a program that the check needs, by its path.
func program(t testing.TB, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	testrequire.Deep(t, err == nil, name, "install Debian's package "+pkg)
	return path
}

func oracle(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("oracles", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// require fails the test if the score is below a bar, and prints the differences in the half for
// tuning.
func require(t testing.TB, s parsecheck.Score, bar float64) {
	t.Helper()
	s.Require(t, bar)
	if t.Failed() {
		return // which says so itself
	}
	for _, line := range s.Differences {
		t.Log(line)
	}
}
