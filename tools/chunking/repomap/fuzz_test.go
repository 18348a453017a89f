package repomap_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/source"
)

// FuzzRank checks, for any content and language, that the scan ends and that ranks are
// numbers.
func FuzzRank(f *testing.F) {
	for _, src := range []string{
		"", "Word", "/*", "/*/", "/* /* */ Word */", "// Word", `"Word`, "'", `'\`, `'\'`, "'a' 'b", `"""Word"""`, "'''",
		"`${`${", "`${{}}`", "`\\", "}}}`", "1'000'0a", "#", "\xff\xfe'", "\r\n'\n'",
	} {
		for lang := range len(source.Languages()) {
			f.Add([]byte(src), uint8(lang))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, lang uint8) {
		language := source.Languages()[int(lang)%len(source.Languages())]
		declares := index.Describe("a", nil, &source.File{Language: language, Chunks: []source.Chunk{{Kind: source.Class, Name: "Word", Parent: -1, Signature: "class Word"}}})
		uses := index.Describe("b", []byte("other"), &source.File{Language: language})
		read := func(_ context.Context, f *index.File) ([]byte, error) {
			if f == declares {
				return []byte("Word"), nil
			}
			return src, nil
		}
		ranking, err := new(repomap.Maps).Rank(t.Context(), []*index.File{declares, uses}, read, repomap.Focus{})
		if err != nil || ranking.Len() != 1 {
			t.Fatalf("%v, %v", ranking, err)
		}
		if r := slices.Collect(ranking.All())[0].Rank; math.IsNaN(r) || r < 0 || r > 100 {
			t.Errorf("the rank is %v", r)
		}
	})
}
