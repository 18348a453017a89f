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

func TestCleanPath_OrdinaryNames(t *testing.T) {
	for _, name := range []string{
		"main.go", "src/app/[id].tsx", "a b/c d.txt", "日本語/ファイル.md", "naïve.txt", "naïve.txt", "❤️.md", "🇯🇵.png", "-rf", "~", "~/x",
		"..a", "a..b", "...a", ".gitignore", ".github/x", " leading", "100%", "%2e%2e", "$HOME", "a&b;c", "console.log", "nullable.go", "COM10", "com",
		"auxiliary", "lpt", "１/２", "a~1", "C++/x", strings.Repeat("a", 255), "ﾌｧｲﾙ", "שלום", "مرحبا",
	} {
		if clean, absolute, err := security.CleanPath(name); err != nil || absolute || clean != path.Clean(name) {
			t.Errorf("%q becomes %q, %v: %v", name, clean, absolute, err)
		}
	}
	for _, name := range []string{"aux.c", "con/k.c", "NUL", "t:1.md", `back\slash.md`, "dot.", "space ", "...", `\\server`, `C:\x`, "a/COM1.txt"} {
		if clean, absolute, err := security.CleanPathOn(false, name); err != nil || absolute || clean != name {
			t.Errorf("outside of Windows %q becomes %q, %v: %v", name, clean, absolute, err)
		}
		if clean, _, err := security.CleanPathOn(true, name); err == nil && strings.ContainsAny(strings.TrimPrefix(clean, "C:/"), `:\`) {
			t.Errorf("on Windows %q becomes %q", name, clean)
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

func TestCleanPath_BadNamesHaveNextStep(t *testing.T) {
	names := map[string]string{
		"file:///etc/passwd": `"/etc/passwd"`,
		"":                   "src/main.go",
		"../x":               "src/main.go",
	}
	if runtime.GOOS == "windows" {
		names["aux.c"], names["t:1.md"], names["dot."] = "ordinary", "ordinary", "ordinary"
	}
	for name, part := range names {
		_, _, err := security.CleanPath(name)
		if e := asError(t, err); !strings.Contains(e.NextStep(), part) {
			t.Errorf("%q: the next step is %q, want %q in it", name, e.NextStep(), part)
		}
	}
}

// FuzzCleanPath checks that an accepted path cannot leave its directory, is no device or stream on Windows, and is
// accepted again after the cleaning.
func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{
		"a/b", "../x", "a/../../x", "/etc/passwd", `..\x`, "a\x00b", "C:x", `\\?\C:\`, "//s/x", "nul.txt", "COM¹", "a.", "a ", "x:y", "\u202e", "\xc0\xae",
		"file://x", "~", "%2e%2e", "．．/x", "CONIN$", "a/./b", ".env::$DATA", "aux .txt", strings.Repeat("a/", 100),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		checkCleanPath(t, name, true)
		checkCleanPath(t, name, false)
	})
}

func checkCleanPath(t *testing.T, name string, windows bool) {
	t.Helper()
	clean, absolute, err := security.CleanPathOn(windows, name)
	if err != nil {
		if e := asError(t, err); e.Error() == "" || e.NextStep() == "" || !utf8.ValidString(e.Error()) || !utf8.ValidString(e.AttemptedPath) {
			t.Errorf("%q: unhelpful %+v", name, e)
		}
		return
	}
	if again, abs, err := security.CleanPathOn(windows, clean); err != nil || again != clean || abs != absolute {
		t.Errorf("%q becomes %q, and that %q: %v", name, clean, again, err)
	}
	if !utf8.ValidString(clean) || len(clean) > 4096 || strings.Contains(clean, "\x00") || strings.IndexFunc(clean, unicode.IsControl) >= 0 {
		t.Errorf("%q becomes %q", name, clean)
	}
	if windows && len(clean) > 2 && clean[1] == ':' && clean[2] == '/' {
		clean = clean[2:]
	}
	if absolute != strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "//") || windows && strings.ContainsAny(clean, `\\:`) {
		t.Errorf("%q becomes %q, absolute %v", name, clean, absolute)
	}
	checkComponents(t, name, strings.TrimPrefix(clean, "/"), absolute, windows)
}

// checkComponents checks the names of a clean path, also by the rules of Windows.
func checkComponents(t *testing.T, name, clean string, absolute, windows bool) {
	t.Helper()
	if clean == "." || clean == "" && absolute {
		return
	}
	for part := range strings.SplitSeq(clean, "/") {
		stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
		device := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "COM1": true, "LPT9": true, "COM²": true}[strings.TrimSpace(stem)]
		if part == "" || part == "." || part == ".." || len(part) > 255 || windows && (device || strings.TrimRight(part, ". ") != part) {
			t.Errorf("%q becomes %q with the name %q", name, clean, part)
		}
	}
}
