package plural_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/plural"
)

func TestCount(t *testing.T) {
	for _, tc := range []struct {
		n    int
		noun string
		want string
	}{
		{1, "file", "1 file"}, {2, "file", "2 files"}, {0, "file", "0 files"}, {-1, "file", "-1 files"},
		{2, "match", "2 matches"}, {2, "fix", "2 fixes"}, {1, "class", "1 class"}, {2, "class", "2 classes"}, {2, "hash", "2 hashes"},
		{2, "directory", "2 directories"}, {1, "directory", "1 directory"}, {2, "key", "2 keys"}, {2, "y", "2 ys"},
	} {
		if got := plural.Count(tc.n, tc.noun); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	if got := plural.Count(int64(1<<40), "byte"); got != "1099511627776 bytes" {
		t.Error(got)
	}
}

func TestAre(t *testing.T) {
	for n, want := range map[int]string{0: "are", 1: "is", 2: "are"} {
		if verb := plural.Are(n); verb != want {
			t.Errorf("Are(%d) = %q, want %q", n, verb, want)
		}
	}
}
