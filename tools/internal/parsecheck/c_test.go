package parsecheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// defined are the chunks that ctags has as well: functions with a body, and
// types. It knows no lambdas and no concepts, and its prototypes are guesses.
func defined(_ *source.File, c *source.Chunk) bool {
	switch {
	case c.Kind.IsCallable():
		return c.Body > 0 && c.Kind != source.Lambda
	case c.Kind == source.Interface:
		return false
	}
	return c.Kind.IsType()
}

// clike compares the scanner of C and C++ with ctags by the lines of the names
// and the last lines.
func clike(t *testing.T, lang source.Language, packages, suffixes []string, kinds ...string) {
	var total parsecheck.Score
	doubts := 0
	for _, name := range packages {
		dir := onlyDirectory(t, name)
		files := slices.DeleteFunc(corpus.Files(t, dir, suffixes...), func(path string) bool {
			return strings.HasPrefix(path, "third-party/") // copies of other packages
		})
		want := ctags(t, lang, dir, files, kinds...)
		got, unsure := parsecheck.Parse(t, outline.Parser{}, lang, dir, files, parsecheck.Want{Chunk: defined, Name: true})
		for _, decls := range got {
			for i := range decls {
				if decls[i].Kind == source.TypeAlias.String() {
					decls[i].End = decls[i].Start // ctags has no end of them
				}
			}
		}
		if lang == source.CPP {
			// Within a namespace or a class ctags reads the first branch of a
			// conditional alone; the scanner reads all that are whole.
			later := branches(t, dir, files)
			t.Logf("%s: in later branches %d of ctags and %d of the scanner", name, without(want, later), without(got, later))
		}
		doubts += unsure
		add(&total, parsecheck.Compare(want, got))
	}
	t.Logf("unsure of %d files", doubts)
	if files := total.HeldOut.Files + total.Tuning.Files; doubts*50 > files {
		t.Errorf("the scanner is unsure of %d of %d files", doubts, files)
	}
	total.Require(t, 99)
}

func TestC(t *testing.T) {
	t.Parallel()
	clike(t, source.C, []string{"zlib", "lua5.4", "curl", "redis"}, []string{".c", ".h"}, "function", "struct", "union", "enum", "typedef")
}
