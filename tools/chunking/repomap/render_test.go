package repomap_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/chunking/repomap"
)

// A map never exceeds its budget, a larger budget never shows fewer declarations, and a
// sufficient one shows all.
func TestRender_Budget(t *testing.T) {
	project := generatedTree(100)
	project["long.go"] = "package p\n\nfunc Long(" + strings.Repeat("ä", 500) + " int) {}\n"
	project["wide.kt"] = "class Wide {\n  fun 名前(値: Int): Int = 値\n}\n"
	ranked := project.rank(t, repomap.Focus{})
	last := 0
	for budget := 50; budget <= 5000; budget += 50 {
		text, shown := repomap.Render(slices.Values(ranked), budget)
		if got := repomap.Tokens(text); got > budget {
			t.Errorf("%d tokens with a budget of %d", got, budget)
		}
		if shown < last {
			t.Errorf("%d declarations with a budget of %d, and %d with a smaller one", shown, budget, last)
		}
		if !utf8.ValidString(text) {
			t.Errorf("characters are cut: %q", text)
		}
		last = shown
	}
	text, shown := repomap.Render(slices.Values(ranked), 1_000_000)
	if shown != len(ranked) {
		t.Errorf("%d of %d are shown where there is room for all", shown, len(ranked))
	}
	for _, want := range []string{"long.go:\n  3 func Long(ä", "ä…\n", "wide.kt:\n  1 class Wide\n  2 Wide: fun 名前(値: Int): Int\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the whole map lacks %q", want)
		}
	}
	if text, shown := repomap.Render(slices.Values(ranked), 1); text != "" || shown != 0 {
		t.Errorf("without room: %d, %q", shown, text)
	}
}
