package projectfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/projectfile"
)

func TestMachine_TooWide(t *testing.T) {
	// The links of each machine, by prefix.
	links := func(pairs ...string) func(string) string {
		return func(path string) string { return strings.NewReplacer(pairs...).Replace(path) }
	}
	linux := projectfile.Machine{GOOS: "linux", Home: "/home/me", Real: links("/link", "/home/me", "/up", "/home", "/top", "/")}
	moved := projectfile.Machine{GOOS: "linux", Home: "/home/me", Real: links("/home/me", "/data/users/me")}
	mac := projectfile.Machine{GOOS: "darwin", Home: "/Users/me", Real: links("/tmp", "/private/tmp")}
	windows := projectfile.Machine{GOOS: "windows", Home: `C:\Users\me`, System: `C:\Windows`, Real: links(`D:\link`, `C:\Users`)}
	for name, tc := range map[string]struct {
		machine projectfile.Machine
		wide    []string
		right   []string
	}{
		"linux": {linux,
			[]string{"/", "//", "/home", "/home/", "/home/me", "/home/me/", "/home/me/x/..", "/home/me/.", "/link", "/up", "/top", "/up/me"},
			[]string{"/tmp", "/srv", "/home/me2", "/home/other", "/home/me/x", "/home/me/..x", "/link/x", "/home/ME", "/mnt/c"}},
		"a home behind a link": {moved,
			[]string{"/home/me", "/home", "/data/users/me", "/data/users", "/data", "/"},
			[]string{"/data/users/me/x", "/home/me/x", "/data/other"}},
		"no home":         {projectfile.Machine{GOOS: "linux"}, []string{"/"}, []string{"/home", "/root"}},
		"a relative home": {projectfile.Machine{GOOS: "linux", Home: "me"}, []string{"/"}, []string{"/home", "/me"}},
		"the home is /":   {projectfile.Machine{GOOS: "linux", Home: "/"}, []string{"/"}, []string{"/work"}},
		"macOS":           {mac, []string{"/", "/Users", "/users/ME", "/Users/me/"}, []string{"/tmp", "/Volumes/X", "/Users/me/code", "/Users/Shared"}},
		"Windows": {windows,
			[]string{`C:\`, `c:/`, `D:\`, `C:\Users`, `c:\users\ME`, `C:/Users/me/`, `C:\Users\me\x\..`, `C:\Windows`, `c:\windows\System32`, `D:\link`, `D:\link\me`,
				`\\server`, `\\server\share`, `\\server\share\`, `\\?\C:\`, `\\?\C:\Users`, `\\.\C:\Users\me`, `\\?\UNC\server\share`, `\\?\Volume{01234567-89ab}\`},
			[]string{`C:\work`, `C:\Users\me\x`, `C:\Users\other`, `C:\Windows2`, `D:\x`, `D:\link\me\x`, `\\server\share\x`, `\\?\UNC\server\share\x`, `\\?\C:\work`, `C:\Temp`, `\\?\Volume{01234567-89ab}\x`}},
		"Windows without a home": {projectfile.Machine{GOOS: "windows"}, []string{`C:\`, `\\server\share`}, []string{`C:\Users`, `C:\Windows`}},
		"a relative path":        {linux, nil, []string{"", ".", "home", `C:\`}},
	} {
		for _, dir := range tc.wide {
			if !tc.machine.TooWide(dir) {
				t.Errorf("%s: %s is a project", name, dir)
			}
		}
		for _, dir := range tc.right {
			if tc.machine.TooWide(dir) {
				t.Errorf("%s: %s is too wide", name, dir)
			}
		}
	}
}

// setHome makes the directory the home of the process.
func setHome(t *testing.T, home string) {
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
}

func TestAccepts(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	setHome(t, home)
	for dir, want := range map[string]bool{
		home: false, filepath.Dir(home): false, filepath.Join(home, "x", ".."): false, filepath.VolumeName(home) + string(filepath.Separator): false,
		filepath.Join(home, "project"): true, home + "2": true, filepath.Join(filepath.Dir(home), "other"): true, filepath.Join(home, "..x"): true,
	} {
		if got := projectfile.Accepts(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
	t.Chdir(filepath.Dir(home))
	for dir, want := range map[string]bool{".": false, "home": false, "other": true} {
		if got := projectfile.Accepts(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

// Links on the way to the home and to the directory lead to the same answer, for directories that do not exist, too.
func TestAccepts_Links(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "users", "me")
	if err := os.MkdirAll(filepath.Join(home, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"home": home, "above": filepath.Dir(home), "work": filepath.Join(home, "project")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, home := range []string{home, filepath.Join(dir, "home"), filepath.Join(dir, "above", "me")} {
		setHome(t, home)
		for name, want := range map[string]bool{
			"": false, "home": false, "above": false, "above/me": false, "users": false, "users/me": false,
			"work": true, "home/project": true, "above/me/project": true, "home/missing": true, "missing": true, "above/other": true,
		} {
			if got := projectfile.Accepts(filepath.Join(dir, filepath.FromSlash(name))); got != want {
				t.Errorf("home %s, directory %s: %v", home, name, got)
			}
		}
	}
	setHome(t, filepath.Join(dir, "above", "new"))
	if projectfile.Accepts(filepath.Dir(home)) {
		t.Error("a directory above a home that is missing is a project")
	}
}
