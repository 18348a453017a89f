package edit_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

// Each kind of punctuation is found by its plain form, and stays.
func TestPunctuation(t *testing.T) {
	t.Parallel()
	for plain, fancy := range map[string]string{
		"'": "‘’‚‛′‵ʼ", `"`: "“”„‟″‶", "-": "‐‑‒–—―−－﹣", "...": "…", " ": "\u00a0\u2002\u2009\u202f\u3000",
		"～": "〜", "∥": "‖", "￠": "¢", "￡": "£", "￥": "¥", "￢": "¬", "￤": "¦", "￣": "‾",
	} {
		for _, r := range fancy {
			for from, to := range map[string]string{plain: string(r), string(r): plain} {
				file := "left " + from + " right\n"
				result, err := edit.Plan(file, []edit.Edit{{Old: "left " + to + " right", New: "left " + to + " wrong"}})
				if err != nil || result.Applied[0].By != edit.Punctuation || result.Apply(file) != "left "+from+" wrong\n" {
					t.Errorf("%q for %q: %v", to, from, err)
				}
			}
		}
	}
	// Similar characters with another meaning.
	for _, pair := range []string{"·.", "，,", "。.", "×x", "ー-", "´'", "Ａa", "ﾃテ"} {
		runes := []rune(pair)
		file := "left" + string(runes[0]) + "right\n"
		if result, err := edit.Plan(file, []edit.Edit{{Old: "left" + string(runes[1]) + "right", New: "new"}}); err == nil {
			t.Errorf("%q was taken for %q: %+v", runes[1], runes[0], result)
		}
	}
}
