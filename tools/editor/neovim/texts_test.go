package neovim

import (
	"fmt"
	"strings"
	"testing"
)

func TestTexts_Limits(t *testing.T) {
	var kept texts
	kept.put("short", document{Text: "one"})
	kept.put("too long", document{Text: strings.Repeat("x", maxKeptTexts+1)})
	if len(kept.kept) != 0 {
		t.Errorf("kept %d texts", len(kept.kept))
	}
	long := strings.Repeat("x", maxKeptTexts/4)
	for i := range 10 {
		name := fmt.Sprint(i)
		kept.put(name, document{Tick: 1, Text: long})
		kept.put(name, document{Tick: 2, Text: long})
		if d, ok := kept.get(name); !ok || d.Tick != 2 || kept.bytes > maxKeptTexts || kept.bytes != len(kept.kept)*len(long) {
			t.Errorf("%s: tick %d, %v; %d bytes of %d texts", name, d.Tick, ok, kept.bytes, len(kept.kept))
		}
	}
	kept.put("9", document{Text: "one"})
	if _, ok := kept.get("9"); ok {
		t.Error("a text that became short is kept")
	}
}
