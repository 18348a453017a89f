package quota_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/quota"
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
			for quota.MayTake(fmt.Sprint("principal ", i), own, taken, tc.limit) {
				own++
				taken++
			}
			if own != want {
				t.Errorf("principal %d has %d of %d places, want %d", i, own, tc.limit, want)
			}
		}
		own := 0
		for quota.MayTake("", own, own, tc.limit) {
			own++
		}
		if own != tc.limit {
			t.Errorf("without a principal %d of %d places are had", own, tc.limit)
		}
	}
}

func TestSurplus(t *testing.T) {
	for _, tc := range []struct {
		all  string // owner and size of each, the oldest first
		most int
		room int64
		want string
	}{
		{"", 0, 0, ""}, {"a1 b1", 2, 2, ""}, {"a1 a2 a3", 2, 9, "a1"}, {"a1 b1 b1 b2", 2, 9, "b1 b1"}, {"b1 a1 a2", 1, 9, "a1 b1"},
		{"a5 b1 b2", 9, 4, "a5"}, {"a1 a9", 9, 8, "a1 a9"}, {"a0 a0 a0", 9, 0, ""},
	} {
		got := quota.Surplus(strings.Fields(tc.all), func(s string) string { return s[:1] }, func(s string) int64 { return int64(s[1] - '0') }, tc.most, tc.room)
		if strings.Join(got, " ") != tc.want {
			t.Errorf("of %q, at most %d and %d bytes: %q is too much, want %q", tc.all, tc.most, tc.room, got, tc.want)
		}
	}
}
