package similar_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
)

// FuzzCompare checks, for any text, that all of it is read and that scores stay within
// their limits.
func FuzzCompare(f *testing.F) {
	for _, seed := range []string{queue, script, "x = <<~A\n", "'a'b'''c", "R\"(x", "$\"{\"", "<?php <<<A\n", "`${`${", "#\"", "%w[", "/*/*", "\"\\(\"", "/[/"} {
		f.Add(seed, "a(b, c)", uint8(0))
	}
	languages := append(source.Languages(), "", "fortran")
	f.Fuzz(func(t *testing.T, a, b string, n uint8) {
		if len(a)+len(b) > 20_000 {
			return
		}
		lang := string(languages[int(n)%len(languages)])
		prints := similar.Prints([]byte(a), lang)
		if !slices.IsSorted(prints) || len(slices.Compact(slices.Clone(prints))) != len(prints) {
			t.Errorf("%v are not ascending, or twice there", prints)
		}
		score, where := similar.Compare([]byte(a), []byte(b), lang)
		if !(score >= 0 && score <= 1) || where.Start < 0 || where.Start > where.End || int(where.End) > len(b) {
			t.Errorf("%v alike at %v of %d bytes", score, where, len(b))
		}
		if score, _ := similar.Compare([]byte(a), []byte(a), lang); similar.Tokens(a, lang) != "" && len(a) < 1000 && score != 1 {
			t.Errorf("%q is %v alike with itself", a, score)
		}
		similar.Parts(a, lang)
		similar.Guess(a)
	})
}
