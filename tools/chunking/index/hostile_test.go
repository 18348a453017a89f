package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// runs runs something beside the test, which waits for its end.
func (p *project) runs(f func()) {
	var beside group.Group
	beside.Go(f)
	p.Cleanup(beside.Wait)
}

// TestJSONStore_LinkedDirectory checks that links in a project cannot redirect writes.
func TestJSONStore_LinkedDirectory(t *testing.T) {
	for name, link := range map[string]string{"the first directory": "data", "the last directory": "data/chunks"} {
		outside := t.TempDir()
		p := newProject(t, map[string]string{"a.go": "func a\n"})
		if err := os.MkdirAll(filepath.Dir(p.path(link)), 0o755); err != nil {
			t.Fatal(err)
		}
		store := p.store() // while it is no link yet
		if err := os.Symlink(outside, p.path(link)); err != nil {
			t.Fatal(err)
		}
		if name == "the first directory" {
			if err := os.Mkdir(filepath.Join(outside, "chunks"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := index.NewJSONStore(p.root, index.JSONOptions{}); err == nil || !strings.Contains(err.Error(), "link") {
			t.Errorf("%s: %v", name, err)
		}
		x := p.index(index.Options{Store: store})
		report := p.analyze(x, ".", index.AnalyzeOptions{})
		if report.Parsed != 1 || report.NotSaved == "" {
			t.Errorf("%s: %+v", name, report)
		}
		if err := x.Close(t.Context()); err == nil {
			t.Errorf("%s: Close does not say that nothing could be saved", name)
		}
		if found, _ := filepath.Glob(filepath.Join(outside, "*", "*")); len(found) > 0 {
			t.Errorf("%s: written outside: %v", name, found)
		}
	}
}

func TestStore_HostileDirectoryNames(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	outside := filepath.Join(t.TempDir(), "cache")
	for dir, within := range map[string]string{"": "data/chunks", "x": "x", "./x/../y": "y", p.path("abs/dir"): "abs/dir", outside: ""} {
		store, err := index.NewJSONStore(p.root, index.JSONOptions{Dir: dir})
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		if got := store.Within(); got != within {
			t.Errorf("%s: within the Root it is %q, want %q", dir, got, within)
		}
		x := p.index(index.Options{Store: store})
		if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.NotSaved != "" {
			t.Errorf("%s: %+v", dir, report)
		}
		p.close(x)
	}
	if _, err := os.Stat(filepath.Join(outside, index.LogName)); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{"..", "../x", "a/../../x"} {
		if _, err := index.NewJSONStore(p.root, index.JSONOptions{Dir: dir}); err == nil {
			t.Errorf("%s is accepted", dir)
		}
	}
}

// Links and directories in the place of the store's own files lead nowhere.
func TestStore_HostileFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	plant := map[string]func(p *project) error{
		"the lock is a link":          func(p *project) error { return os.Symlink(secret, p.path(data+"/"+index.LockName)) },
		"the log is a link":           func(p *project) error { return os.Symlink(secret, p.path(data+"/"+index.LogName)) },
		"the log is a directory":      func(p *project) error { return os.Mkdir(p.path(data+"/"+index.LogName), 0o755) },
		"an old directory is a link":  func(p *project) error { return os.Symlink(filepath.Dir(secret), p.path(data+"/a")) },
		"an old directory is a file":  func(p *project) error { return os.WriteFile(p.path(data+"/a"), nil, 0o600) },
		"the rules are a link":        func(p *project) error { return os.Symlink(secret, p.path(data+"/.gitignore")) },
		"the rules let everything in": func(p *project) error { return os.WriteFile(p.path(data+"/.gitignore"), []byte("!*\n"), 0o600) },
	}
	for name, do := range plant {
		p := newProject(t, map[string]string{"a.go": "func a\n", data + "/evil.go": "func evil\n"})
		if err := do(p); err != nil {
			t.Fatal(err)
		}
		x, err := index.Open(t.Context(), p.root, index.Options{Parsers: p.toys(), Store: p.store()})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			report := p.analyze(x, ".", index.AnalyzeOptions{})
			if got := paths(x); len(got) != 1 || got[0] != "a.go" || report.Files != 1 {
				t.Errorf("%s: indexed %v, %+v", name, got, report)
			}
		}
		_ = x.Close(t.Context()) // whether it could be saved does not matter
		if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
			t.Fatalf("%s: the secret is %q: %v", name, got, err)
		}
		found, err := filepath.Glob(filepath.Join(filepath.Dir(secret), "*"))
		if err != nil || len(found) != 1 {
			t.Errorf("%s: written outside: %v %v", name, found, err)
		}
	}
}
