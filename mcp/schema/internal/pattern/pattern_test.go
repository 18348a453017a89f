package pattern_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
)

func TestCost_Repetition(t *testing.T) {
	t.Parallel()
	for expression, most := range map[string]int{"": 1, "abc": 3, "^[a-z]{1,8}$": 20, "(a?){1000}": 4000} {
		cost, err := pattern.Cost(expression)
		if err != nil || cost < 1 || cost > most {
			t.Errorf("Cost(%q) = %d, %v; want 1 to %d", expression, cost, err, most)
		}
	}
	short, _ := pattern.Cost("(a?){10}")
	long, _ := pattern.Cost("(a?){1000}")
	if long < 90*short {
		t.Errorf("a hundred times the repetitions cost %d instead of %d", long, short)
	}
}

func TestCost_Invalid(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"(?=a)":                    "invalid or unsupported",
		"a(":                       "missing closing )",
		"(abcdefghijkl){1000}":     "is too large",
		strings.Repeat("a", 1<<16): "is too large",
	} {
		if _, err := pattern.Cost(expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Cost(%.20q): got %v, want %q", expression, err, want)
		}
	}
}

func TestAffordable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cost, length int
		want         bool
	}{{0, 1 << 28, true}, {1, 1 << 28, true}, {2, 1 << 28, false}, {10_000, 1 << 14, true}, {10_000, 1 << 20, false}} {
		if got := pattern.Affordable(tc.cost, tc.length); got != tc.want {
			t.Errorf("Affordable(%d, %d) = %v", tc.cost, tc.length, got)
		}
	}
}
