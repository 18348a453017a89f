//go:build unix

package security_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/dougu-go/dougu/security"
)

// TestWrite_ProtectedFiles writes to protected files directly and through links.
func TestWrite_ProtectedFiles(t *testing.T) {
	project, around := hostile(t)
	r := open(t, quick, project)
	readable := []string{".git/config", ".git/HEAD", ".git/hooks/x", "toHook", "toHooks/x", "toGit/config", "hardlink"}
	for _, path := range readable {
		if _, _, err := r.ReadFile(t.Context(), path, 1000); err != nil {
			t.Errorf("read %q: %v", path, err)
		}
	}
	writes := append(readable,
		".git/hooks/pre-commit", ".Git/Hooks/pre-commit", "ROOT/.git/hooks/pre-commit", "src/../.git/hooks/pre-commit", "toNewHook",
		"toHooks/pre-commit", "toGit/hooks/pre-commit", "vendored/.git/config", "src/.git", ".gitconfig",
		".vscode/tasks.json", ".VSCODE/settings.json", ".vscode/sub/x.json", "packages/a/.vscode/launch.json", "app.code-workspace",
		".cursor/mcp.json", ".cursor/hooks.json", ".mcp.json", ".claude/settings.json", ".claude/settings.local.json",
		".envrc", "sub/.envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".husky/pre-commit",
		".git./hooks/pre-commit", ".git /config", ".git::$INDEX_ALLOCATION/hooks/pre-commit", ".git/config:x", ".bashrc.", ".vscode:x/tasks.json", ".dougu-trash./x",
		".cursorcli-mcp/config.json", ".dougu-backup/files/x", ".DOUGU-BACKUP/x", ".bashrc", ".cargo/config.toml", ".nvim.lua",
	)
	for _, path := range writes {
		full := strings.ReplaceAll(path, "ROOT", project)
		_, err := r.Write(t.Context(), full, []byte("overwritten"), security.WriteOptions{Overwrite: true, CreateDirs: true})
		if e := asError(t, err); e.Reason != protected || e.Code != security.PermissionDenied {
			t.Errorf("write %q is refused as %s %s: %v", path, e.Code, e.Reason, e)
		}
		_, err = r.Update(t.Context(), full, security.UpdateOptions{Create: true, CreateDirs: true}, func([]byte, security.FileInfo) ([]byte, error) {
			t.Errorf("update %q began", path)
			return nil, nil
		})
		if e := asError(t, err); e.Reason != protected {
			t.Errorf("update %q is refused as %s %s: %v", path, e.Code, e.Reason, e)
		}
	}
	for _, path := range []string{".cursor/rules/style.mdc", ".gitignore", ".github/workflows/ci.yml", ".env.example", "git/config"} {
		if _, err := r.Write(t.Context(), path, []byte("fine"), security.WriteOptions{Overwrite: true, CreateDirs: true}); err != nil {
			t.Errorf("write %q: %v", path, err)
		}
	}
	checkUntouched(t, around)
}

// TestOpen_UnicodeForms reads a file by both Unicode forms of its name. Patterns match both forms, but some file
// systems contain only one.
func TestOpen_UnicodeForms(t *testing.T) {
	dir := layout(t, map[string]string{"geh\u00e9im": secret})
	o := quick
	o.Blocked = []string{"geh\u00e9im"}
	r := open(t, o, dir)
	for _, name := range []string{norm.NFC.String("geh\u00e9im"), norm.NFD.String("geh\u00e9im"), "GEH\u00c9IM", norm.NFD.String("GEH\u00c9IM")} {
		if _, err := r.Open(t.Context(), name); asError(t, err).Reason != hidden {
			t.Errorf("open %q: %v", name, err)
		}
	}
	o.Blocked = []string{norm.NFD.String("geh\u00e9im")}
	if _, err := open(t, o, dir).Open(t.Context(), "geh\u00e9im"); asError(t, err).Reason != hidden {
		t.Errorf("a decomposed pattern does not match: %v", err)
	}
}

func TestOpen_AbsoluteLinkInsideProject(t *testing.T) {
	dir := layout(t, map[string]string{"src/main.go": "main", "link": "-> ROOT/src/main.go", "dir": "-> ROOT/src"})
	r := open(t, quick, dir)
	for _, name := range []string{"link", "dir/main.go"} {
		if got := read(t, r, name); got != "main" {
			t.Errorf("read %q: %q", name, got)
		}
	}
}

func TestWrite_ReadOnlyRoot(t *testing.T) {
	dir := layout(t, map[string]string{"file": "x"})
	r := open(t, security.RootOptions{ReadOnly: true}, dir)
	if !r.ReadOnly() || read(t, r, "file") != "x" {
		t.Error("a read-only Root cannot be read")
	}
	calls := map[string]func() error{
		"write": func() error {
			_, err := r.Write(t.Context(), "file", nil, security.WriteOptions{Overwrite: true})
			return err
		},
		"write new": func() error { _, err := r.Write(t.Context(), "new", nil, security.WriteOptions{}); return err },
		"update": func() error {
			_, err := r.Update(t.Context(), "file", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) { return nil, nil })
			return err
		},
	}
	for name, call := range calls {
		if e := asError(t, call()); e.Code != security.PermissionDenied || e.Reason != security.ReadOnlyRoot {
			t.Errorf("%s: %v", name, e)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || onDisk(t, dir, "file") != "x" {
		t.Error("something was written")
	}
}
