//go:build unix

package security_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestWalk_BlockingFiles walks a tree with entries whose opening would block.
func TestWalk_BlockingFiles(t *testing.T) {
	dir := layout(t, map[string]string{"sub/x.go": "", "toFifo": "-> fifo", ".git/info/": "", "y.go": ""})
	for _, name := range []string{"fifo", ".gitignore", "sub/.gitignore", ".git/info/exclude"} {
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o666))
	}
	r := open(t, quick, dir)
	got, stats := alike(t, r, ".", security.WalkOptions{Hidden: true})
	if want := words(".gitignore% fifo% sub/ sub/.gitignore% sub/x.go toFifo@ y.go"); !slices.Equal(got, want) || len(stats.Problems) > 0 {
		t.Errorf("visited %q, want %q; %+v", got, want, stats)
	}
	_, err := r.Walk(t.Context(), ".", security.WalkOptions{}, func(e *security.WalkEntry) error {
		if e.Name != "fifo" {
			return nil
		}
		if _, err := e.Open(t.Context()); security.CodeOf(err) != security.NotRegularFile {
			t.Errorf("Open of a FIFO: %v", err)
		}
		if _, err := e.ReadFile(t.Context(), nil, 10); security.CodeOf(err) != security.NotRegularFile {
			t.Errorf("ReadFile of a FIFO: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWalk_StrangeNames walks a tree with names that are not text, are deceptive, or are refused on Windows only.
func TestWalk_StrangeNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"\xff", "a\xc3", "new\nline", "back\\slash", "esc\x1b[2J", "co:lon", "nul", "dot.", "ok", "\u200bempty", "é"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "below"), 0o755); err != nil {
			t.Skip("the file system refuses such names")
		}
	}
	got, stats := alike(t, open(t, quick, dir), ".", security.WalkOptions{})
	want := words(`back\slash/ back\slash/below/ co:lon/ co:lon/below/ dot./ dot./below/ nul/ nul/below/ ok/ ok/below/ é/ é/below/`)
	if !slices.Equal(got, want) || stats.Entries != 12 || stats.Unusable != 5 {
		t.Errorf("visited %q, want %q; %+v", got, want, stats)
	}
}

// TestWalk_UnreadableDirectories walks a tree where the system denies access to directories and .gitignore files.
func TestWalk_UnreadableDirectories(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read everything")
	}
	files := map[string]string{"z": "", "rules/.gitignore": "*", "rules/x": ""}
	for _, name := range words("a b c d e f g h i j") {
		files["denied/"+name+"/x"] = ""
	}
	dir := layout(t, files)
	deny := []string{"rules/.gitignore"}
	for _, name := range words("a b c d e f g h i j") {
		deny = append(deny, "denied/"+name)
	}
	for _, name := range deny {
		must(t, os.Chmod(filepath.Join(dir, name), 0))
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, name), 0o755) })
	}
	r := open(t, quick, dir)
	got, stats := walked(t, r, ".", security.WalkOptions{})
	if want := words("denied/ denied/a/ denied/b/ denied/c/ denied/d/ denied/e/ denied/f/ denied/g/ denied/h/ denied/i/ denied/j/ rules/ rules/x z"); !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
	if stats.Unread != 10 || len(stats.Problems) != 8 || stats.Problems[0] != "denied/a: PERMISSION_DENIED" || !stats.Incomplete {
		t.Errorf("%+v", stats)
	}
	if _, stats := walked(t, r, "rules", security.WalkOptions{Workers: 2}); !slices.Equal(stats.Problems, []string{"rules/.gitignore: PERMISSION_DENIED"}) || stats.Incomplete {
		t.Errorf("%+v", stats)
	}
	if _, err := r.Walk(t.Context(), "denied/a", security.WalkOptions{}, nil); security.CodeOf(err) != security.PermissionDenied {
		t.Errorf("walk of a denied start: %v", err)
	}
}

// TestWalk_ExchangedFile replaces a file and its directory by links to secrets during walks.
func TestWalk_ExchangedFile(t *testing.T) {
	around := layout(t, map[string]string{
		"outside/file": secret, "secret": secret, "project/dir/file": "public", "project/.ssh/file": secret, "project/.env": secret,
		"project/dir/toSecret": "-> ../../secret", "project/dir/toEnv": "-> ../.env", "project/toOutside": "-> ../outside", "project/toSSH": "-> .ssh",
	})
	project := filepath.Join(around, "project")
	r := open(t, quick, project)
	stopFile := swap(t, filepath.Join(project, "dir"), "file", "toSecret", "toEnv")
	stopDir := swap(t, project, "dir", "toOutside", "toSSH")
	defer stopFile()
	defer stopDir()
	var readings atomic.Int64
	for i := range rounds / 4 {
		_, err := r.Walk(t.Context(), ".", security.WalkOptions{Hidden: true, Workers: i % 3}, func(e *security.WalkEntry) error {
			content, err := e.ReadFile(t.Context(), nil, 100)
			if err == nil && string(content) != "public" {
				t.Errorf("read %q at %q", content, e.Rel())
			}
			if f, err := e.Open(t.Context()); err == nil {
				buf := make([]byte, 100)
				if n, _ := f.Read(buf); string(buf[:n]) != "public" {
					t.Errorf("read %q at %q from an open file", buf[:n], e.Rel())
				}
				f.Close()
				readings.Add(1)
			}
			return nil
		})
		if err != nil && security.CodeOf(err) != security.FileBusy {
			t.Errorf("walk: %v", err)
		}
	}
	if readings.Load() == 0 {
		t.Log("the file was never there when it was to be read")
	}
}
