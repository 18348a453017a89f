package corpora_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/bench/corpora"
)

func TestThin(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	for most, want := range map[int][]string{0: names, 9: names, 6: names, 3: {"a", "c", "e"}, 1: {"a"}} {
		if got := corpora.Thin(names, most); !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}
