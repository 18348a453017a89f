package skips_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/search/internal/skips"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestSummary(t *testing.T) {
	named := func(yield func(name, reason string) bool) {
		for _, name := range []string{"d", "a", "c", "b"} {
			if !yield(name, "large") {
				return
			}
		}
		yield("e", "binary")
	}
	want := []plugin.Skipped{
		{Reason: "large", Files: 4, Examples: []string{"a", "b", "c"}}, {Reason: "binary", Files: 3, Examples: []string{"e"}}, {Reason: "deep", Files: 3},
	}
	if diff := cmp.Diff(want, skips.Summary(named, map[string]int{"binary": 2, "deep": 3})); diff != "" {
		t.Errorf("another summary (-want +got):\n%s", diff)
	}
	if got := skips.Summary(func(func(string, string) bool) {}, nil); got != nil {
		t.Errorf("the summary of nothing is %v", got)
	}
}
