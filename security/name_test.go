package security_test

import (
	"path"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
)

func TestOrdinaryNamesAreAccepted(t *testing.T) {
	for _, name := range []string{
		"main.go", "src/app/[id].tsx", "a b/c d.txt", "日本語/ファイル.md", "naïve.txt", "naïve.txt", "❤️.md", "🇯🇵.png", "-rf", "~", "~/x",
		"..a", "a..b", "...a", ".gitignore", ".github/x", " leading", "100%", "%2e%2e", "$HOME", "a&b;c", "console.log", "nullable.go", "COM10", "com",
		"auxiliary", "lpt", "１/２", "a~1", "C++/x", strings.Repeat("a", 255), "ﾌｧｲﾙ", "שלום", "مرحبا",
	} {
		if clean, absolute, err := security.CleanPath(name); err != nil || absolute || clean != path.Clean(name) {
			t.Errorf("%q becomes %q, %v: %v", name, clean, absolute, err)
		}
	}
	for name, want := range map[string]string{
		"./a/./b/": "a/b", "a//b": "a/b", "a/b/../c": "a/c", "a/..": ".", ".": ".", "./": ".", "/a/../../b": "/b", "/": "/",
	} {
		if clean, _, err := security.CleanPath(name); err != nil || clean != want {
			t.Errorf("%q becomes %q, want %q: %v", name, clean, want, err)
		}
	}
}

func TestBadNamesComeWithANextStep(t *testing.T) {
	names := map[string]string{
		"file:///etc/passwd": `"/etc/passwd"`,
		"":                   "src/main.go",
		"../x":               "src/main.go",
	}
	if runtime.GOOS != "windows" { // where a backslash is a slash
		names[`src\main.go`], names[`..\..\x`] = "slashes", "slashes"
	}
	for name, part := range names {
		_, _, err := security.CleanPath(name)
		if e := asError(t, err); !strings.Contains(e.NextStep(), part) {
			t.Errorf("%q: the next step is %q, want %q in it", name, e.NextStep(), part)
		}
	}
}

// FuzzCleanPath checks that a path which is accepted cannot leave its directory on any operating system, is not a device or a
// stream on any, and is accepted again as what it was cleaned to.
func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{
		"a/b", "../x", "a/../../x", "/etc/passwd", `..\x`, "a\x00b", "C:x", `\\?\C:\`, "//s/x", "nul.txt", "COM¹", "a.", "a ", "x:y", "\u202e", "\xc0\xae",
		"file://x", "~", "%2e%2e", "．．/x", "CONIN$", "a/./b", ".env::$DATA", "aux .txt", strings.Repeat("a/", 100),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean, absolute, err := security.CleanPath(name)
		if err != nil {
			if e := asError(t, err); e.Error() == "" || e.NextStep() == "" || !utf8.ValidString(e.Error()) || !utf8.ValidString(e.AttemptedPath) {
				t.Errorf("%q: unhelpful %+v", name, e)
			}
			return
		}
		if again, abs, err := security.CleanPath(clean); err != nil || again != clean || abs != absolute {
			t.Errorf("%q becomes %q, and that %q: %v", name, clean, again, err)
		}
		if !utf8.ValidString(clean) || len(clean) > 4096 || strings.ContainsAny(clean, "\\:\x00") || strings.IndexFunc(clean, unicode.IsControl) >= 0 {
			t.Errorf("%q becomes %q", name, clean)
		}
		if absolute != strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "//") {
			t.Errorf("%q becomes %q, absolute %v", name, clean, absolute)
		}
		checkComponents(t, name, strings.TrimPrefix(clean, "/"), absolute)
	})
}

// checkComponents looks at the names of a clean path as Windows would.
func checkComponents(t *testing.T, name, clean string, absolute bool) {
	t.Helper()
	if clean == "." || clean == "" && absolute {
		return
	}
	for part := range strings.SplitSeq(clean, "/") {
		stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
		device := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "COM1": true, "LPT9": true, "COM²": true}[strings.TrimSpace(stem)]
		if part == "" || part == "." || part == ".." || device || len(part) > 255 || strings.TrimRight(part, ". ") != part {
			t.Errorf("%q becomes %q with the name %q", name, clean, part)
		}
	}
}
