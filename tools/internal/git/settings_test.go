package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/git"
)

func TestWithoutPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"https://bob:hunter2@example.com/x":              "https://example.com/x",
		"fatal: 'https://token@example.com/x' not found": "fatal: 'https://example.com/x' not found",
		"ssh://git@example.com/x":                        "ssh://git@example.com/x",
		"ssh://git:word@example.com/x http://a@b":        "ssh://git@example.com/x http://b",
		"https://example.com/a@b":                        "https://example.com/a@b",
		"://@://":                                        "://@://",
		"git@example.com:x":                              "git@example.com:x",
	} {
		if got := git.WithoutPasswords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Settings of the repository that name programs are overruled and listed.
func TestRepository_Settings(t *testing.T) {
	w := newTree(t, "a.txt")
	for key, value := range map[string]string{"filter.x.clean": "false", "http.proxy": "http://x", "remote.o.vcs": "y", "user.name": "Local", "core.sshCommand": "z"} {
		w.git("config", key, value)
	}
	r := w.open(".")
	settings := func() *git.Settings {
		t.Helper()
		s, err := r.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(s.Off)
		slices.Sort(s.Refused)
		return s
	}
	if s := settings(); !slices.Equal(s.Off, []string{"core.sshcommand", "filter.x.clean"}) || !slices.Equal(s.Filters, []string{"x"}) || !slices.Equal(s.Refused, []string{"http.proxy", "remote.o.vcs"}) {
		t.Errorf("%+v", s)
	}
	out, err := r.Run(t.Context(), git.Call{Args: []string{"config", "--get", "filter.x.clean"}})
	if err != nil || string(out) != "\n" {
		t.Errorf("the filter is %q, %v", out, err)
	}
	_, err = r.Run(t.Context(), git.Call{Args: []string{"fetch", "https://127.0.0.1:1/x"}})
	if failed, ok := errors.AsType[*git.Failure](err); !ok || failed.Code == 0 {
		t.Errorf("another machine is spoken to: %v", err)
	}
	// A setting that is added later has no effect either.
	w.git("config", "filter.y.smudge", "false")
	if s := settings(); !slices.Contains(s.Off, "filter.y.smudge") {
		t.Errorf("later there is %+v", s)
	}
	w.git("config", "filter.a=b.clean", "x")
	_, err = r.Settings(t.Context())
	if unsafe, ok := errors.AsType[*git.Unsafe](err); !ok || !strings.Contains(unsafe.Reason, "filter.a=b.clean") || unsafe.Next == "" {
		t.Errorf("an unnamable key: %v", err)
	}
}

// A Repository stays at the opened worktree, and a changed configuration is read again.
func TestRepository_ChangesAfterOpen(t *testing.T) {
	w := newTree(t, "sub/a.txt")
	r := w.open("sub")
	ran := filepath.Join(t.TempDir(), "ran")
	program := "touch '" + filepath.ToSlash(ran) + "'; cat"
	hostile := "[filter \"evil\"]\n\tclean = \"" + program + "\"\n"
	for name, change := range map[string]func(){
		"configuration": func() { w.append(".git/config", hostile) },
		"included file": func() {
			w.append(".git/config", "[include]\n\tpath = later.inc\n")
			r.Settings(t.Context())
			w.write(".git/later.inc", hostile)
		},
		"work tree": func() {
			w.append(".git/config", "[extensions]\n\tworktreeConfig = true\n")
			w.write(".git/config.worktree", hostile)
		},
		"shared files":      func() { w.write("other/config", hostile); w.write(".git/commondir", w.dir+"/other\n") },
		"repository inside": func() { w.gitIn("sub", "init", "--quiet"); w.append("sub/.git/config", hostile) },
	} {
		t.Run(name, func(t *testing.T) {
			w = newTree(t, "sub/a.txt")
			r = w.open("sub")
			w.write("sub/.gitattributes", "* filter=evil\n")
			w.write("sub/a.txt", "changed\n")
			change()
			_, _, err := r.Status(t.Context(), false)
			_, since := r.Changed(t.Context(), "HEAD")
			t.Log(err, since)
			if _, err := os.Stat(ran); err == nil {
				t.Error("the program ran")
			}
		})
	}
}

// A command outside the list is refused, and so is an alias that runs a program.
func TestRepository_UnknownCommand(t *testing.T) {
	w := newTree(t, "a.txt")
	w.git("config", "alias.st", "!false")
	if _, err := w.open(".").Run(t.Context(), git.Call{Args: []string{"st"}}); err == nil || !strings.Contains(err.Error(), "not among the commands") {
		t.Error(err)
	}
}
