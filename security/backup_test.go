package security_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/dougu-go/dougu/security"
)

func TestWrite_Backup(t *testing.T) {
	dir := layout(t, map[string]string{"src/file": "version 0", "link": "-> src/file"})
	r := open(t, quick, dir)
	pattern := regexp.MustCompile(`^\.dougu-backup/files/src/file/\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}$`)
	var paths []string
	for i := 1; i <= 25; i++ {
		content := "version " + strconv.Itoa(i)
		var result security.WriteResult
		var err error
		if i%2 == 0 {
			result, err = r.Write(t.Context(), "link", []byte(content), security.WriteOptions{Overwrite: true, Backup: true})
		} else {
			result, err = r.Update(t.Context(), "src/file", security.UpdateOptions{Backup: true}, func([]byte, security.FileInfo) ([]byte, error) { return []byte(content), nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		if !pattern.MatchString(result.BackupPath) {
			t.Errorf("backup at %q", result.BackupPath)
		}
		if got := read(t, r, result.BackupPath); got != "version "+strconv.Itoa(i-1) {
			t.Errorf("backup %d holds %q", i, got)
		}
		paths = append(paths, result.BackupPath)
	}
	kept, err := os.ReadDir(filepath.Join(dir, ".dougu-backup", "files", "src", "file"))
	if err != nil || len(kept) != 20 {
		t.Fatalf("%d backups are kept, %v", len(kept), err)
	}
	for i, entry := range kept {
		if want := filepath.Base(paths[i+5]); entry.Name() != want {
			t.Errorf("backup %d is %s, want %s", i, entry.Name(), want)
		}
	}
	if got := onDisk(t, dir, ".dougu-backup", ".gitignore"); got != "*\n" {
		t.Errorf("version control is told %q", got)
	}
	if result, err := r.Write(t.Context(), "new", []byte("x"), security.WriteOptions{Backup: true}); err != nil || result.BackupPath != "" {
		t.Errorf("backup of a new file: %+v, %v", result, err)
	}
}

// TestWrite_BackupDirIsLink replaces the backup directory by a link.
func TestWrite_BackupDirIsLink(t *testing.T) {
	for name, target := range map[string]string{".dougu-backup": ".git/hooks", ".dougu-backup/files": "../src", ".dougu-backup/files/file": "../../src"} {
		dir := layout(t, map[string]string{"file": "old", ".git/hooks/": "", "src/": "", name: "-> " + target})
		r := open(t, quick, dir)
		_, err := r.Write(t.Context(), "file", []byte("new"), security.WriteOptions{Overwrite: true, Backup: true})
		if e := asError(t, err); e.Reason != security.ProtectedFile {
			t.Errorf("link at %s: %v", name, err)
		}
		if onDisk(t, dir, "file") != "old" {
			t.Errorf("link at %s: the file was overwritten without a backup", name)
		}
		for _, place := range []string{".git/hooks", "src"} {
			if entries, _ := os.ReadDir(filepath.Join(dir, place)); len(entries) > 0 {
				t.Errorf("link at %s: %v was put into %s", name, entries, place)
			}
		}
	}
}

// TestWrite_BackupsFromTheFuture overwrites a file that has twenty backups with later times, and no .gitignore.
func TestWrite_BackupsFromTheFuture(t *testing.T) {
	planted := map[string]string{"file": "old"}
	for i := range 20 {
		planted[".dougu-backup/files/file/29990101T000000."+fmt.Sprintf("%06d", i)+"Z-00000000"] = "planted"
	}
	dir := layout(t, planted)
	result, err := open(t, quick, dir).Write(t.Context(), "file", []byte("new"), security.WriteOptions{Overwrite: true, Backup: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, dir, result.BackupPath); got != "old" {
		t.Errorf("the backup holds %q", got)
	}
	kept, err := os.ReadDir(filepath.Join(dir, ".dougu-backup", "files", "file"))
	if err != nil || len(kept) != 20 {
		t.Errorf("%d backups are kept, %v", len(kept), err)
	}
	if got := onDisk(t, dir, ".dougu-backup", ".gitignore"); got != "*\n" {
		t.Errorf("version control is told %q", got)
	}
}
