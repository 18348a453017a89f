package caller_test

import (
	"fmt"
	"testing"

	"github.com/dougu-go/dougu/internal/caller"
)

func TestMayTake_ShareOfPrincipals(t *testing.T) {
	for _, tc := range []struct {
		limit int
		want  []int // places of principals that come one after the other and take all that they may
	}{
		{0, []int{0}}, {1, []int{1, 0}}, {2, []int{1, 1, 0}}, {4, []int{2, 1, 1, 0}}, {10, []int{5, 3, 1, 1, 0}}, {32, []int{16, 8, 4, 2, 1, 1, 0}},
	} {
		taken := 0
		for i, want := range tc.want {
			own := 0
			for caller.MayTake(fmt.Sprint("principal ", i), own, taken, tc.limit) {
				own++
				taken++
			}
			if own != want {
				t.Errorf("principal %d has %d of %d places, want %d", i, own, tc.limit, want)
			}
		}
		own := 0
		for caller.MayTake("", own, own, tc.limit) {
			own++
		}
		if own != tc.limit {
			t.Errorf("without a principal %d of %d places are had", own, tc.limit)
		}
	}
}
