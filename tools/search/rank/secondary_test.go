package rank_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/rank"
)

// Lower case of an invalid or special character can be longer than the character.
func TestSecondary_LongerLowerCase(t *testing.T) {
	for _, name := range []string{"\xb5.\xc4", "a.\xff\xff\xff", "b_test.ȺȺȺ"} {
		if got, want := rank.Secondary(name), name == "b_test.ȺȺȺ"; got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
