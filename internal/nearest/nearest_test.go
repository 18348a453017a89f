package nearest_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/nearest"
)

func TestName(t *testing.T) {
	known := []string{"read_file", "write_file", "list_directory", "path"}
	for name, want := range map[string]string{
		"readFile": "read_file", "READ-FILE": "read_file", "red_file": "read_file", "raed_file": "read_file",
		"listdir": "", "pth": "path", "age": "", "": "", "x": "", strings.Repeat("x", 65): "",
	} {
		if got := nearest.Name(name, known); got != want {
			t.Errorf("Name(%q) = %q, want %q", name, got, want)
		}
	}
	if got := nearest.Name("abc", []string{strings.Repeat("abc", 30)}); got != "" {
		t.Errorf("a name that is too long to be meant was suggested: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"日本", "日木", 1}} {
		if got := nearest.Distance(tc.a, tc.b); got != tc.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
