package pathset_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/pathset"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		name, dir string
		want      bool
	}{
		{"a", ".", true},
		{".", ".", true},
		{"/other/a", ".", false},
		{"a/b", "a", true},
		{"a", "a", true},
		{"ab", "a", false},
		{"a", "a/b", false},
		{"/x/y", "/x", true},
		{"/x", "/", true},
		{"C:/x", "C:/", true},
		{"C:/x", ".", false},
	} {
		if got := pathset.Within(c.name, c.dir); got != c.want {
			t.Errorf("Within(%q, %q) = %v", c.name, c.dir, got)
		}
	}
}

func TestOutermost(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{nil, nil},
		{[]string{"b", "a/b", "a", "a/b/c", "a"}, []string{"a", "b"}},
		{[]string{"a", ".", "/x/y", "/x/y/z"}, []string{".", "/x/y"}},
		{[]string{"ab", "a"}, []string{"a", "ab"}},
		{[]string{"/x/y", "/x"}, []string{"/x"}},
	} {
		if got := pathset.Outermost(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("Outermost(%q) = %q, want %q", c.paths, got, c.want)
		}
	}
}

func TestTouching(t *testing.T) {
	for _, c := range []struct {
		dir   string
		paths []string
		below []string
		whole bool
	}{
		{"src", []string{"docs", "src/a", "src/b/c"}, []string{"src/a", "src/b/c"}, false},
		{"src", []string{"src/a", "."}, []string{"src"}, true},
		{"src", []string{"src"}, []string{"src"}, true},
		{"src", []string{"source"}, nil, false},
	} {
		below, whole := pathset.Intersect(c.dir, c.paths)
		if !slices.Equal(below, c.below) || whole != c.whole {
			t.Errorf("Touching(%q, %q) = %q, %v", c.dir, c.paths, below, whole)
		}
	}
}

func TestOnly(t *testing.T) {
	only := pathset.NewOnly("src", []string{"src/a/b", "src/x.go"})
	for rel, want := range map[string]bool{"a/b": true, "a/b/c.go": true, "x.go": true, "y.go": false, "a/c": false} {
		if got := only.Concerns(rel, false); got != want {
			t.Errorf("Concerns(%q) = %v", rel, got)
		}
	}
	if !only.Concerns("a", true) || only.Concerns("a", false) || only.Concerns("b", true) {
		t.Error("directories on the way are concerned, and nothing else is")
	}
	for _, start := range []string{".", "/"} {
		if only := pathset.NewOnly(start, []string{start}); only != nil || !only.Concerns("anything", false) {
			t.Errorf("all of %q is restricted", start)
		}
	}
}
