package security_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestWalk_SameFilesAsGit walks a random tree with .gitignore files in many directories, from the top and from below.
// It compares the files with the untracked files of git.
func TestWalk_SameFilesAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	dir := t.TempDir()
	git(t, dir, "init", "-q", ".")
	rules := func() string {
		var b strings.Builder
		for range random.IntN(4) {
			b.WriteString(pick("", "", "", "!", "/", "!/", "**/") + pick("a", "b", "c", "*", "?", "a/*", "*/b", "a/**", "*.x", "b/**/c", ".c", "[ab]", "c/a") + pick("", "", "/") + "\n")
		}
		return b.String()
	}
	must(t, os.MkdirAll(filepath.Join(dir, ".git/info"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte("*.y\n/b/a\n!c.x\n"), 0o644))
	for range 300 {
		var names []string
		for range 1 + random.IntN(5) {
			names = append(names, pick("a", "b", "c", ".c"))
		}
		parent := filepath.Join(append([]string{dir}, names...)...)
		must(t, os.MkdirAll(parent, 0o755))
		must(t, os.WriteFile(filepath.Join(parent, pick("f", "a.x", "c.x", "b.y", ".d")), nil, 0o644))
		if random.IntN(5) == 0 {
			must(t, os.WriteFile(filepath.Join(parent, ".gitignore"), []byte(rules()), 0o644))
		}
	}
	want := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "--others", "--exclude-standard", "-z"), "\x00"), "\x00")
	slices.Sort(want)
	o := quick
	o.Blocked = []string{}
	r := open(t, o, dir)
	got, stats := alike(t, r, ".", security.WalkOptions{Hidden: true})
	if files := filesOf("", got); !slices.Equal(files, want) {
		t.Errorf("visited %d files, git takes %d for new; they differ in %q", len(files), len(want), different(files, want))
	}
	t.Logf("%d files, %+v", len(want), stats)
	for _, rel := range got {
		if start, isDir := strings.CutSuffix(rel, "/"); isDir {
			below, _ := walked(t, r, start, security.WalkOptions{Hidden: true, Workers: 2})
			part := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return !strings.HasPrefix(name, rel) })
			if files := filesOf(rel, below); !slices.Equal(files, part) {
				t.Errorf("from %q: visited %q, want %q", start, files, part)
			}
		}
	}
}

// filesOf returns the visited entries that are no directories, sorted.
func filesOf(prefix string, rels []string) []string {
	var files []string
	for _, rel := range rels {
		if !strings.HasSuffix(rel, "/") {
			files = append(files, prefix+rel)
		}
	}
	slices.Sort(files)
	return files
}

func different(a, b []string) []string {
	var names []string
	for _, name := range append(slices.Clone(a), b...) {
		if slices.Contains(a, name) != slices.Contains(b, name) {
			names = append(names, fmt.Sprintf("%s (walk: %v)", name, slices.Contains(a, name)))
		}
	}
	return names
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(cmd.Env, "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(output)
}
