//go:build unix

package neovim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// randomText is a text of a few lines with characters of every length.
func randomText(r *rand.Rand, ending string) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString([]string{"a", "ab", "é", "日", "😀", "\t", " ", ending, ending}[r.IntN(9)])
	}
	return b.String()
}

// randomEdits are edits that do not overlap, in any order.
func randomEdits(r *rand.Rand, content, ending string) []adapter.TextEdit {
	text := adapter.NewText(content)
	var at []int
	for i := range content {
		if !strings.HasSuffix(content[:i], "\r") { // between CR and LF there is no place
			at = append(at, i)
		}
	}
	at = append(at, len(content))
	var places []int
	for range 2 * (1 + r.IntN(3)) {
		places = append(places, at[r.IntN(len(at))])
	}
	slices.Sort(places)
	var edits []adapter.TextEdit
	for i := 0; i < len(places); i += 2 {
		edits = append(edits, adapter.TextEdit{
			Range: adapter.Range{Start: text.Position(places[i]), End: text.Position(places[i+1])}, NewText: randomText(r, ending),
		})
	}
	return edits
}

// After random edits the buffer, the file and the result contain the edited text.
func TestEdit_Random(t *testing.T) {
	for _, ending := range []string{"\n", "\r\n"} {
		w := start(t, map[string]string{"a.txt": "a" + ending + "b" + ending})
		w.vim("edit a.txt")
		if lua[string](w, `return vim.bo.fileformat`) != map[string]string{"\n": "unix", "\r\n": "dos"}[ending] {
			t.Fatal("another file format")
		}
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		for i := range 300 {
			doc := w.opened("a.txt")
			edits := randomEdits(r, doc.Text, ending)
			what := fmt.Sprintf("seed %d, step %d, %q, %+v", seed, i, doc.Text, edits)
			want, err := adapter.Apply(doc.Text, edits)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			save := i%3 == 0 || !doc.Dirty && i%3 == 1
			now, err := w.Edit(w.ctx, doc.Path, doc.Version, edits, save)
			if err != nil || now.Text != want || now != w.opened("a.txt") || save && w.disk("a.txt") != want {
				t.Fatalf("%s: %+v, %v, disk %q, want %q", what, now, err, w.disk("a.txt"), want)
			}
		}
	}
}
