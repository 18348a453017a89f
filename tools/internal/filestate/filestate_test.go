package filestate_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/tools/internal/filestate"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTree_Since(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"same.txt", "edited.txt", "gone.txt", "node_modules/x.js", ".git/config"} {
		write(t, dir, name, "first\n")
	}
	large := strings.Repeat("x", filestate.MaxText+1)
	write(t, dir, "large.txt", large)
	tree, err := filestate.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tree.Since(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("at once: %v, %v", got, err)
	}
	write(t, dir, "edited.txt", "second\n")
	write(t, dir, "sub/new.txt", "new\n")
	write(t, dir, "large.txt", large+"y")
	write(t, dir, "node_modules/x.js", "second\n")
	write(t, dir, ".git/config", "second\n")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	got, err := tree.Since(t.Context())
	want := []filestate.Change{{Path: "edited.txt", Kind: "edited"}, {Path: "gone.txt", Kind: "deleted"}, {Path: "large.txt", Kind: "edited"}, {Path: "sub/new.txt", Kind: "created"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
	if text := string(tree.Texts()["gone.txt"]); text != "first\n" {
		t.Errorf("the file had %q", text)
	}
	if _, kept := tree.Texts()["large.txt"]; kept {
		t.Error("a large content is kept")
	}
	if text, ok := filestate.ReadText(dir, "edited.txt"); !ok || string(text) != "second\n" {
		t.Errorf("the file has %q", text)
	}
	for _, path := range []string{"large.txt", "none", "../x", "sub"} {
		if _, ok := filestate.ReadText(dir, path); ok {
			t.Errorf("%s was read", path)
		}
	}
}

func TestScan_TooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes thousands of files")
	}
	dir := t.TempDir()
	for i := range filestate.MaxFiles + 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := filestate.Scan(t.Context(), dir); !errors.Is(err, filestate.ErrTooMany) {
		t.Errorf("%v", err)
	}
	if _, err := filestate.Scan(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there was looked at")
	}
}

// A digest with the content and one with size and time alone belong to the same file: the bound on reading lies between them.
func TestSame(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"5 100 aa", "5 100 aa", true}, {"5 100 aa", "5 200 aa", true}, {"5 100 aa", "5 100 bb", false},
		{"5 100 aa", "5 100", true}, {"5 100", "5 200", false}, {"5 100 aa", "6 100", false},
		{filestate.Absent, filestate.Absent, true}, {filestate.Absent, "5 100", false}, {"?", "5 100", false},
		{"link a z", "link a z", true}, {"link a z", "link b z", false}, {"link 1 2", "5 1 2", false},
	} {
		if filestate.Same(tc.a, tc.b) != tc.want || filestate.Same(tc.b, tc.a) != tc.want {
			t.Errorf("Same(%q, %q) is not %v", tc.a, tc.b, tc.want)
		}
	}
}

func TestScan_LinkedDirectory(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	write(t, dir, "a.txt", "first\n")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("there are no links: ", err)
	}
	tree, err := filestate.Scan(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.txt", "second\n")
	if got, err := tree.Since(t.Context()); err != nil || len(got) != 1 || got[0].Path != "a.txt" {
		t.Errorf("changes %v, %v", got, err)
	}
}

// Files of the ready programs are no changes: neither new ones, nor ones whose .gitignore is new.
func TestTree_SinceOwnFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".cursorcli-mcp/config.json", "{}")
	write(t, dir, "logs/app.log", "of the user\n")
	tree, err := filestate.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".cursorcli-mcp/.gitignore", projectfile.GitignoreContent("config.json", "logs/"))
	write(t, dir, ".cursorcli-mcp/logs/server.log", "x")
	write(t, dir, "logs/.gitignore", projectfile.GitignoreContent("audit.log"))
	write(t, dir, "logs/audit.log", "{}\n")
	write(t, dir, "logs/app.log", "of the user\nmore\n")
	write(t, dir, "data/chunks/.gitignore", projectfile.GitignoreContent("chunks.jsonl"))
	write(t, dir, "data/chunks/chunks.jsonl", "{}\n")
	write(t, dir, "a/.gitignore", "*\n")
	write(t, dir, "a/b", "ignored by a .gitignore of the user\n")
	got, err := tree.Since(t.Context())
	want := []filestate.Change{{Path: "a/.gitignore", Kind: "created"}, {Path: "a/b", Kind: "created"}, {Path: "logs/app.log", Kind: "edited"}}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
