package slashpath_test

import (
	"testing"

	"github.com/dougu-go/dougu/security/internal/slashpath"
)

func TestJoin_CleanPaths(t *testing.T) {
	for _, tt := range []struct{ dir, name, want string }{{".", "a", "a"}, {"", "a", "a"}, {"a", "b/c", "a/b/c"}, {"/", "a", "/a"}} {
		if got := slashpath.Join(tt.dir, tt.name); got != tt.want {
			t.Errorf("%q and %q are %q, want %q", tt.dir, tt.name, got, tt.want)
		}
	}
}

func TestIsBelow_WholeNames(t *testing.T) {
	for _, tt := range []struct {
		path, dir string
		want      bool
	}{{"a", "a", true}, {"a/b", "a", true}, {"ab", "a", false}, {"a", "a/b", false}} {
		if got := slashpath.IsBelow(tt.path, tt.dir); got != tt.want {
			t.Errorf("%q below %q: %v", tt.path, tt.dir, got)
		}
	}
}
