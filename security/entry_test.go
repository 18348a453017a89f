package security_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestWalk_DirectoryBecomesLink replaces visited directories by links before they are opened.
func TestWalk_DirectoryBecomesLink(t *testing.T) {
	for _, workers := range []int{1, 2} {
		around := layout(t, map[string]string{
			"outside/stolen": secret, "project/.ssh/stolen": secret, "project/a/file": "x", "project/b/file": "x", "project/c/file": "x", "project/d/file": "x",
		})
		project := filepath.Join(around, "project")
		r := open(t, quick, project)
		targets := map[string]string{"a": "../outside", "b": ".ssh", "c": ".", "d": ""}
		stats, err := r.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
			if target, ok := targets[e.Rel()]; ok {
				must(t, os.RemoveAll(filepath.Join(project, e.Name)))
				if target != "" {
					must(t, os.Symlink(target, filepath.Join(project, e.Name)))
				}
				return nil
			}
			t.Errorf("%q was visited", e.Rel())
			return nil
		})
		// A directory that is gone is no problem.
		slices.Sort(stats.Problems)
		if want := []string{"a: NOT_A_REGULAR_FILE", "b: NOT_A_REGULAR_FILE", "c: NOT_A_REGULAR_FILE"}; err != nil || !slices.Equal(stats.Problems, want) || stats.Unread != 3 || !stats.Incomplete {
			t.Errorf("%+v, %v", stats, err)
		}
	}
}

// TestWalk_FileBecomesLink replaces a visited file by links before it is opened.
func TestWalk_FileBecomesLink(t *testing.T) {
	dir := layout(t, map[string]string{"file": "x", "other": secret, ".env": secret, "sub/": ""})
	r := open(t, quick, dir)
	for _, target := range []string{"other", ".env", "/etc/passwd", "file", "nowhere"} {
		_, err := r.Walk(t.Context(), ".", security.WalkOptions{}, func(e *security.WalkEntry) error {
			if e.Name != "file" || e.Kind != security.RegularFile {
				return nil
			}
			must(t, os.Remove(filepath.Join(dir, "file")))
			must(t, os.Symlink(target, filepath.Join(dir, "file")))
			if content, err := e.ReadFile(t.Context(), nil, 100); security.CodeOf(err) != security.NotRegularFile || len(content) > 0 {
				t.Errorf("ReadFile of a link to %s: %q, %v", target, content, err)
			}
			if _, err := e.Open(t.Context()); security.CodeOf(err) != security.NotRegularFile {
				t.Errorf("Open of a link to %s: %v", target, err)
			}
			must(t, os.Remove(filepath.Join(dir, "file")))
			if _, err := e.ReadFile(t.Context(), nil, 100); security.CodeOf(err) != security.FileNotFound {
				t.Errorf("ReadFile of nothing: %v", err)
			}
			if _, err := e.Info(t.Context()); security.CodeOf(err) != security.FileNotFound {
				t.Errorf("Info of nothing: %v", err)
			}
			must(t, os.Mkdir(filepath.Join(dir, "file"), 0o755))
			if _, err := e.ReadFile(t.Context(), nil, 100); security.CodeOf(err) != security.IsDirectory {
				t.Errorf("ReadFile of a directory: %v", err)
			}
			if _, err := e.Open(t.Context()); security.CodeOf(err) != security.IsDirectory {
				t.Errorf("Open of a directory: %v", err)
			}
			must(t, os.Remove(filepath.Join(dir, "file")))
			must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestWalk_HardLinksOfBlockedFiles visits hard links of blocked files, but does not read them.
func TestWalk_HardLinksOfBlockedFiles(t *testing.T) {
	dir := layout(t, map[string]string{
		".env": secret, ".aws/credentials": secret, ".ssh/deep/key": secret, "src/.npmrc": secret, "src/sub/.aws/credentials": secret, "plain": "plain", "src/sub/lib/": "", "b/": "",
	})
	links := map[string]string{
		"src/sub/lib/a": ".env", "b/b": ".aws/credentials", "c": ".ssh/deep/key", "src/sub/lib/d": "src/.npmrc", "src/sub/e": "src/sub/.aws/credentials", "src/f": "plain", "g": "plain",
	}
	for name, of := range links {
		if err := os.Link(filepath.Join(dir, of), filepath.Join(dir, name)); err != nil {
			t.Skip("the file system has no hard links")
		}
	}
	r := open(t, quick, dir)
	for _, start := range []string{".", "src", "src/sub"} {
		for _, workers := range []int{1, 2} {
			_, err := r.Walk(t.Context(), start, security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
				if e.Kind != security.RegularFile {
					return nil
				}
				hidden := links[e.Path()] != "plain" && e.Name != "plain"
				content, err := e.ReadFile(t.Context(), nil, 100)
				if hidden != (reasonOf(t, err) == security.BlockedPattern) || hidden != (string(content) != "plain") {
					t.Errorf("ReadFile of %q: %q, %v", e.Path(), content, err)
				}
				f, err := e.Open(t.Context())
				if err == nil {
					f.Close()
				}
				if hidden != (reasonOf(t, err) == security.BlockedPattern) {
					t.Errorf("Open of %q: %v", e.Path(), err)
				}
				if content, err := e.ReadFile(t.Context(), nil, 2); !hidden && (string(content) != "pl" || security.CodeOf(err) != security.FileTooLarge) {
					t.Errorf("ReadFile of %q with a limit: %q, %v", e.Path(), content, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestWalk_UnreadableGitignore walks a tree where .gitignore is no regular file that may be read.
func TestWalk_UnreadableGitignore(t *testing.T) {
	dir := layout(t, map[string]string{
		"rules": "*.go\n", "secret.pem": "*.go\n", "link/.gitignore": "-> ../rules", "link/x.go": "", "dir/.gitignore/x": "", "dir/x.go": "",
		"large/.gitignore": "*.go\n" + strings.Repeat("#", 1<<20), "large/x.go": "", "secret/x.go": "", "secret/.env": "*.go\n", "full/.gitignore": "*.go\n" + strings.Repeat("#", 1<<20-5), "full/x.go": "",
		"exclude/.git/info": "-> ../../other", "other/exclude": "*.go\n", "exclude/x.go": "", "gitlink/.git": "-> ../exclude2/.git", "exclude2/.git/info/exclude": "*.go", "exclude2/x.go": "", "gitlink/x.go": "",
	})
	if err := os.Link(filepath.Join(dir, "secret/.env"), filepath.Join(dir, "secret/.gitignore")); err != nil {
		t.Skip("the file system has no hard links")
	}
	got, stats := alike(t, open(t, quick, dir), ".", security.WalkOptions{})
	want := words("dir/ dir/x.go exclude/ exclude/x.go exclude2/ full/ gitlink/ gitlink/x.go large/ large/x.go link/ link/x.go other/ other/exclude rules secret/ secret/x.go")
	if !slices.Equal(got, want) {
		t.Errorf("visited\n%q, want\n%q", got, want)
	}
	if want := []string{"large/.gitignore: FILE_TOO_LARGE"}; !slices.Equal(stats.Problems, want) || stats.Incomplete {
		t.Errorf("%+v", stats)
	}

	o := quick
	o.Blocked = []string{"/blocked/.gitignore", "/b2/.git/**"}
	got, _ = alike(t, open(t, o, layout(t, map[string]string{
		"blocked/.gitignore": "*.go", "blocked/x.go": "", "b2/.git/info/exclude": "*.go", "b2/x.go": "", "read/.gitignore": "*.go", "read/x.go": "",
	})), ".", security.WalkOptions{})
	if want := words("b2/ b2/x.go blocked/ blocked/x.go read/"); !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
