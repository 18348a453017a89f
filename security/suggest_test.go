package security_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrandom"

	"github.com/dougu-go/dougu/security"
)

func TestNotFound_SimilarNames(t *testing.T) {
	dir := layout(t, map[string]string{
		"src/app/main.go": "x", "src/app/util.go": "x", "README.md": "x", "src/config.yaml": "x", "docs/a/b/deep.txt": "x",
		".env": secret, ".ssh/known": secret, "link": "-> src", "Makefile": "x", "src/userController.ts": "x",
	})
	r := open(t, quick, dir, layout(t, map[string]string{"second.txt": "x"}))
	tests := []struct{ path, next string }{
		{"src/app/mian.go", "Did you mean src/app/main.go?"},
		{"src/app/Main.go", "Did you mean src/app/main.go?"},
		{"src/ap/main.go", "Did you mean src/app/main.go?"},
		{"scr/app/main.go", "Did you mean src/app/main.go?"},
		{"link/app/mian.go", "Did you mean src/app/main.go?"},
		{"readme.md", "Did you mean README.md?"},
		{"readme", "Did you mean README.md?"},
		{"src/config.yml", "Did you mean src/config.yaml?"},
		{"src/controller", "Did you mean src/userController.ts?"},
		{"doc/a/b/deep.txt", "Did you mean docs/a/b/deep.txt?"},
		{"doc/a/b/other.txt", "Did you mean docs?"},
		{"src/nothing/like/it", `List the directory "src" to see its entries.`},
		{"zzz", `List the directory "." to see its entries.`},
		{"~/zzz", `"~" is not expanded; use a path relative to the project root.`},
		{"SECOND/second.tx", "Did you mean SECOND/second.txt?"},
		{".enw", `List the directory "." to see its entries.`}, // not the secret
		{"src/" + strings.Repeat("x", 200), `List the directory "src" to see its entries.`},
	}
	second := filepath.ToSlash(r.Dirs()[1])
	for _, tt := range tests {
		_, err := r.Open(t.Context(), strings.ReplaceAll(tt.path, "SECOND", second))
		e := asError(t, err)
		if want := strings.ReplaceAll(tt.next, "SECOND", second); e.Code != security.FileNotFound || e.NextStep() != want {
			t.Errorf("open %q: %v %q, want %q", tt.path, e, e.NextStep(), want)
		}
	}
	_, err := r.Write(t.Context(), "scr/new.go", nil, security.WriteOptions{})
	if e := asError(t, err); !strings.Contains(e.Error(), `has no "scr"`) || e.NextStep() != "Did you mean src?" {
		t.Errorf("write into a missing directory: %v %q", e, e.NextStep())
	}
}

// A suggestion is a path that tools can read.
func TestNotFound_UnreadableNames(t *testing.T) {
	outside := layout(t, map[string]string{"secret.txt": "x", "dir/file.txt": "x"})
	dir := layout(t, map[string]string{
		"server": "\x7fELF\x00\x01", "logo.png": "\x89PNG\x00", "wide.txt": "\xff\xfea\x00", ".env": secret,
		"noted.txt": "-> " + filepath.Join(outside, "secret.txt"), "gone.txt": "-> nothing", "vars.txt": "-> .env", "docs": "-> " + filepath.Join(outside, "dir"),
		"real.txt": "x", "linked.md": "-> real.txt",
	})
	r := open(t, quick, dir)
	none := `List the directory "." to see its entries.`
	for path, want := range map[string]string{
		"server.go":     none, // a program
		"logo.pgn":      none,
		"Logo1.png":     "Did you mean logo.png?",
		"wide.tx":       "Did you mean wide.txt?",
		"note.txt":      none, // a link that leads out
		"gon.txt":       none,
		"var.txt":       none, // a link to a hidden file
		"doc/file.txt":  none, // a directory outside
		"doc/other.txt": none,
		"link.md":       "Did you mean linked.md?",
	} {
		_, err := r.Open(t.Context(), path)
		if e := asError(t, err); e.Code != security.FileNotFound || e.NextStep() != want {
			t.Errorf("open %q: %v %q, want %q", path, e, e.NextStep(), want)
		}
	}
}

// TestEditDistance compares the fast implementation with the recursive definition.
func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"main", "mian", 1}, {"main", "man", 1}, {"main", "mains", 1}, {"main", "moon", 2}, {"abc", "abc", 0}} {
		if got := security.EditDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q differ by %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		a, b := r.String("ab", 0, 8), r.String("ab", 0, 8)
		d := security.EditDistance(a, b)
		if d != security.EditDistance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a)-len(b), len(b)-len(a)) {
			t.Fatalf("%q and %q differ by %d", a, b, d)
		}
	})
}
