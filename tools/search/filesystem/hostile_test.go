//go:build unix

package filesystem_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// TestRefresh_HostileTree checks that links, pipes, invalid names and unreadable files are skipped.
func TestRefresh_HostileTree(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "sub/b.go": "b"})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"loop": ".", "sub/up": "..", "out": outside, "secret.txt": filepath.Join(outside, "secret.txt"), "gone": "nowhere", "self": "self", "link.go": "a.go"} {
		if err := os.Symlink(target, p.path(link)); err != nil {
			t.Skip(err)
		}
	}
	if err := syscall.Mkfifo(p.path("pipe.txt"), 0o600); err != nil {
		t.Skip(err)
	}
	_ = os.WriteFile(p.path("not\xffutf8.txt"), []byte("x"), 0o600)
	_ = os.WriteFile(p.path("new\nline.txt"), []byte("x"), 0o600)
	p.write("closed.txt", "x")
	closed := os.Chmod(p.path("closed.txt"), 0) == nil && os.Getuid() != 0
	f := p.files(filesystem.Options{})
	report := p.refresh(f, plugin.RefreshOptions{})
	for _, name := range p.paths() {
		if strings.Contains(name, "secret") || strings.Contains(name, "pipe") || !utf8.ValidString(name) || strings.Contains(name, "\n") || strings.HasPrefix(name, "loop") {
			t.Errorf("%q is indexed", name)
		}
	}
	if texts := p.texts(); texts["a.go"] != "a" || texts["sub/b.go"] != "b" || texts["link.go"] != "" {
		t.Errorf("indexed %q", texts)
	}
	if closed && (len(report.Skipped) != 1 || report.Skipped[0].Reason != "not readable") {
		t.Errorf("skipped %+v", report.Skipped)
	}
}

// TestRefresh_BlockedLater checks that files blocked later are removed from the index.
func TestRefresh_BlockedLater(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "private/b.go": "b", "keys.txt": "k"})
	f := p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{})
	p.wants("before", "a.go", "keys.txt", "private/b.go")
	p.close(f)
	p.open(security.RootOptions{Blocked: []string{"private", "keys.txt"}})
	f = p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{})
	p.wants("after", "a.go")
}

// TestRefresh_DirectoryBecomesLink checks that a directory that was replaced by a link is removed.
func TestRefresh_DirectoryBecomesLink(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "sub/b.go": "b", "other/b.go": "secret"})
	f := p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{Path: "sub"})
	p.wants("before", "sub/b.go")
	p.remove("sub")
	if err := os.Symlink("other", p.path("sub")); err != nil {
		t.Skip(err)
	}
	p.refresh(f, plugin.RefreshOptions{})
	for path := range p.texts() {
		if strings.HasPrefix(path, "sub") {
			t.Errorf("%s is indexed", path)
		}
	}
}

func TestStatus_ManySkippedFiles(t *testing.T) {
	p := newProject(t, nil)
	for i := range 300 {
		p.write(fmt.Sprintf("img/%03d.png", i), "x")
	}
	f := p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{})
	got := f.Status().Skipped
	if len(got) != 1 || got[0].Files != 300 || strings.Join(got[0].Examples, " ") != "img/000.png img/001.png img/002.png" {
		t.Errorf("skipped %+v", got)
	}
	p.remove("img/000.png")
	p.refresh(f, plugin.RefreshOptions{Path: "img"})
	if got := f.Status().Skipped; len(got) != 1 || got[0].Files != 299 || got[0].Examples[0] != "img/001.png" {
		t.Errorf("skipped %+v", got)
	}
}
