package glob_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/glob"
)

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a/b.go", true},
		{"*.go", "a/b.gopher", false},
		{"./*.go", "b.go", true},
		{"a/*.go", "a/b.go", true},
		{"a/*.go", "a/c/b.go", false},
		{"a/**/*.go", "a/c/d/b.go", true},
		{"/a/*.go", "a/b.go", true},
		{"/top/a/*.go", "a/b.go", true},
		{"b.{go,mod}", "x/b.mod", true},
		{"[ab].go", "a.go", true},
		{"[!ab].go", "a.go", false},
	} {
		g, err := glob.Compile(tc.pattern, "/top")
		if err != nil {
			t.Fatalf("%s: %v", tc.pattern, err)
		}
		if got := g.Match(path.Base(tc.path), tc.path); got != tc.want {
			t.Errorf("%s takes %s: %v", tc.pattern, tc.path, got)
		}
	}
}

func TestList(t *testing.T) {
	list, err := glob.CompileList([]string{"*.go", "docs/", "!*_test.go", "!vendor/"})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"a.go": "taken", "a.txt": "", "docs/x/y.txt": "taken", "a_test.go": "taken, left out", "vendor": "left out",
	} {
		got := []string{}
		if list.Takes(path.Base(file), file) {
			got = append(got, "taken")
		}
		if list.LeavesOut(file) {
			got = append(got, "left out")
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s is %v, want %s", file, got, want)
		}
	}
	if !list.Excludes() || list.Hidden() {
		t.Error("it excludes something, and nothing that is hidden")
	}
}

func TestCompile_Invalid(t *testing.T) {
	for _, pattern := range []string{"", "./", "[", "{a", strings.Repeat("a", 257), strings.Repeat("{a,b}", 7)} {
		_, err := glob.Compile(pattern)
		if bad, ok := errors.AsType[*glob.Error](err); !ok || bad.Next == "" {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	if _, err := glob.CompileList(make([]string, 65)); err == nil {
		t.Error("65 patterns are taken")
	}
}
