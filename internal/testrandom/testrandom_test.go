package testrandom_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrandom"
)

func TestRand_Bounds(t *testing.T) {
	seen := make(map[string]bool)
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		text := r.String("あb", 1, 3)
		if n := len([]rune(text)); n < 1 || n > 3 || strings.Trim(text, "あb") != "" {
			t.Errorf("got %q", text)
		}
		if n := r.Between(2, 3); n != 2 && n != 3 {
			t.Errorf("got %d", n)
		}
		seen[text+testrandom.Pick(r, "x", "y")] = r.Bool()
	})
	if len(seen) < 5 {
		t.Errorf("only %d different values: %v", len(seen), seen)
	}
}

func TestCheck_SeedRepeats(t *testing.T) {
	t.Setenv("DOUGU_TEST_SEED", "7")
	var values []int
	for range 2 {
		testrandom.Check(t, func(_ *testing.T, r testrandom.Rand) { values = append(values, r.IntN(1<<30)) })
	}
	if len(values) != 2 || values[0] != values[1] {
		t.Errorf("the values of one seed: %v", values)
	}
}
