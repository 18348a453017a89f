package similar_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// sample is a function of real code.
type sample struct{ path, lang, code string }

// samplesOf returns the functions with more than least bytes in the files of directories,
// in order.
func samplesOf(t testing.TB, least int, dirs ...string) []sample {
	t.Helper()
	parsers := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { parsers.Close() })
	var all []sample
	for _, dir := range dirs {
		for _, path := range filesOf(t, dir) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lang, ok := source.LanguageOf(path, src)
			if !ok || len(src) > 1<<20 || strings.Contains(path, ".min.") {
				continue
			}
			file, err := parsers.Parse(context.Background(), src, lang, source.Options{})
			if err != nil {
				continue
			}
			for _, c := range file.Chunks {
				if code := string(src[c.Decl:c.End]); c.Kind.IsCallable() && c.Body > 0 && len(code) >= least && len(code) < 8000 && similar.Prints([]byte(code), string(lang)) != nil {
					all = append(all, sample{path, string(lang), code})
				}
			}
		}
	}
	if len(all) < 300 {
		t.Fatalf("%d functions are too few", len(all))
	}
	return all
}

func filesOf(t testing.TB, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && !strings.Contains(path, "testdata") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// goTree returns directories of the source of Go.
func goTree(t testing.TB, dirs ...string) []string {
	t.Helper()
	root := corpus.GoSources(t)
	for i := range dirs {
		dirs[i] = filepath.Join(root, dirs[i])
	}
	return dirs
}

var (
	name    = regexp.MustCompile(`\b[A-Za-z_][A-Za-z0-9_]*\b`)
	numeral = regexp.MustCompile(`\b[0-9]+\b`)
)

// renamed replaces every name: equal names by equal ones, or with loose each occurrence by
// a random one.
func renamed(code, lang string, r *rand.Rand, loose bool) string {
	names := map[string]string{}
	return name.ReplaceAllStringFunc(code, func(s string) string {
		if similar.Keyword(s, lang) {
			return s
		}
		if names[s] == "" || loose {
			names[s] = fmt.Sprint("v", r.IntN(1e9), "n")
		}
		return names[s]
	})
}

// removeLines removes one line of each group of lines.
func removeLines(code string, r *rand.Rand, of int) string {
	lines := strings.Split(code, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(string) bool { return r.IntN(of) == 0 }), "\n")
}

// middle returns the middle half of code.
func middle(code string) string {
	lines := strings.Split(code, "\n")
	return strings.Join(lines[len(lines)/4:len(lines)-len(lines)/4], "\n")
}

// laidOut changes white space and adds comments, unless the code contains comments that
// these could end.
func laidOut(code string) string {
	if strings.Contains(code, "/*") {
		return code
	}
	return strings.ReplaceAll(code, "\n", " // it's \"so\n\n\t \t/* f(x) { */ ")
}

// distribution is a sorted list of scores.
type distribution []float64

func (d distribution) at(part float64) float64 { return d[int(part*float64(len(d)-1))] }

func (d distribution) String() string {
	return fmt.Sprintf("least %.3f, 1%% %.3f, 5%% %.3f, median %.3f, 95%% %.3f, 99%% %.3f, most %.3f", d[0], d.at(.01), d.at(.05), d.at(.5), d.at(.95), d.at(.99), d[len(d)-1])
}
