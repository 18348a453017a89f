//go:build linux || darwin

package security_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
)

// removedInState returns options with a state directory that holds removed content, and the name of that directory.
func removedInState(t *testing.T) (security.RootOptions, string) {
	t.Helper()
	o := quick
	o.StateDir, o.RemovedInState = t.TempDir(), true
	return o, filepath.Join(o.StateDir, "removed")
}

// holdsNothingOwn checks that a project has no directory for removed content.
func holdsNothingOwn(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{security.TrashDir, security.BackupDir} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("the project holds %s", name)
		}
	}
}

// restore moves an entry of the trash back.
func restore(t *testing.T, r *security.Root, from, to string) {
	t.Helper()
	if _, err := r.Move(t.Context(), from, to, security.MoveOptions{}); err != nil {
		t.Errorf("restoring %s: %v", from, err)
	}
}

func TestRoot_RemovedInState(t *testing.T) {
	dir := layout(t, map[string]string{"file": "content", "d/a": "a", "d/sub/b": "b", "old": "old", "new": "new"})
	second := layout(t, map[string]string{"other": "other"})
	o, removed := removedInState(t)
	r := open(t, o, dir, second)
	if _, err := os.Lstat(removed); err == nil {
		t.Error("the directory exists before anything was removed")
	}
	trashed := map[string]string{}
	for _, name := range []string{"file", "d", filepath.Join(second, "other")} {
		result, err := r.Trash(t.Context(), name, security.TrashOptions{Recursive: true})
		if err != nil {
			t.Fatal(err)
		}
		trashed[name] = result.Trash.Path
	}
	holdsNothingOwn(t, dir)
	holdsNothingOwn(t, second)
	if projects, err := os.ReadDir(removed); err != nil || len(projects) != 2 {
		t.Errorf("removed content of %v, %v", projects, err)
	}
	if got := read(t, r, trashed["d"]+"/sub/b"); got != "b" {
		t.Errorf("the file in the trash holds %q", got)
	}
	var listed []string
	if _, err := r.Walk(t.Context(), security.TrashDir, security.WalkOptions{}, func(e *security.WalkEntry) error {
		listed = append(listed, e.Rel())
		return nil
	}); err != nil || len(listed) != 2+1+4 {
		t.Errorf("in the trash are %q, %v", listed, err)
	}
	if _, err := r.Write(t.Context(), trashed["file"], []byte("x"), security.WriteOptions{Overwrite: true}); asError(t, err).Reason != security.ProtectedFile {
		t.Errorf("a write into the trash: %v", err)
	}
	// Another Root with the same state finds the content, also one that is read-only.
	readOnly := o
	readOnly.ReadOnly = true
	if got := read(t, open(t, readOnly, dir), trashed["file"]); got != "content" {
		t.Errorf("a read-only Root reads %q", got)
	}
	again := open(t, o, dir, second)
	for name, from := range trashed {
		restore(t, again, from, name)
	}
	if onDisk(t, dir, "d", "sub", "b") != "b" || onDisk(t, dir, "file") != "content" || onDisk(t, second, "other") != "other" {
		t.Error("a file was not restored")
	}

	moved, err := r.Move(t.Context(), "new", "old", security.MoveOptions{Overwrite: true})
	if err != nil || read(t, r, moved.Replaced.Path) != "old" {
		t.Errorf("a move over a file: %+v, %v", moved, err)
	}
	written, err := r.Write(t.Context(), "file", []byte("2"), security.WriteOptions{Overwrite: true, Backup: true})
	if err != nil || read(t, r, written.BackupPath) != "content" {
		t.Errorf("a write with a backup: %+v, %v", written, err)
	}
	if _, err := r.Trash(t.Context(), "file", security.TrashOptions{Permanent: true}); err != nil {
		t.Error(err)
	}
	holdsNothingOwn(t, dir)
	left := 0
	err = filepath.WalkDir(removed, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != ".gitignore" && d.Name() != "project" {
			left++
		}
		return err
	})
	if err != nil || left != 2 { // the overwritten file and the backup
		t.Errorf("%d files are left in the state directory, %v", left, err)
	}
}

// TestRoot_RemovedOfEarlierVersion opens a project with removed content of an earlier version in it.
func TestRoot_RemovedOfEarlierVersion(t *testing.T) {
	for _, taken := range []bool{false, true} {
		dir := layout(t, map[string]string{"a": "a", "b": "b", "c": "c"})
		o, _ := removedInState(t)
		if taken { // the state directory has a trash of the project already
			if _, err := open(t, o, dir).Trash(t.Context(), "c", security.TrashOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		earlier := o
		earlier.RemovedInState = false
		former := open(t, earlier, dir)
		trashed, err := former.Trash(t.Context(), "a", security.TrashOptions{})
		if err != nil {
			t.Fatal(err)
		}
		written, err := former.Write(t.Context(), "b", []byte("b2"), security.WriteOptions{Overwrite: true, Backup: true})
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, o, dir)
		if got := read(t, r, written.BackupPath); got != "b" {
			t.Errorf("the backup holds %q", got)
		}
		restore(t, r, trashed.Trash.Path, "a")
		if onDisk(t, dir, "a") != "a" {
			t.Error("the file was not restored")
		}
		if !taken {
			holdsNothingOwn(t, dir)
		}
	}
}

// TestRoot_RemovedOfRenamedProject finds removed content after the project has got another name, and hides it from another
// project.
func TestRoot_RemovedOfRenamedProject(t *testing.T) {
	top := layout(t, map[string]string{"p/a": "a", "p/b": "b"})
	dir, moved := filepath.Join(top, "p"), filepath.Join(top, "moved")
	o, removed := removedInState(t)
	trashed, err := open(t, o, dir).Trash(t.Context(), "a", security.TrashOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	r := open(t, o, moved)
	restore(t, r, trashed.Trash.Path, "a")
	if onDisk(t, moved, "a") != "a" {
		t.Error("the file was not restored")
	}
	if trashed, err = r.Trash(t.Context(), "a", security.TrashOptions{}); err != nil {
		t.Fatal(err)
	}
	other := layout(t, map[string]string{"c": "c"})
	if _, _, err := open(t, o, other).ReadFile(t.Context(), trashed.Trash.Path, 10); asError(t, err).Code != security.FileNotFound {
		t.Errorf("another project: %v", err)
	}
	// A directory in which everything is newer than the removed content may have the number of a deleted one.
	notes, err := filepath.Glob(filepath.Join(removed, "*", "project"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("the notes are %q, %v", notes, err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(notes[0], hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(top, "again")
	if err := os.Rename(moved, again); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(t, o, again).ReadFile(t.Context(), trashed.Trash.Path, 10); asError(t, err).Code != security.FileNotFound {
		t.Errorf("a directory without older entries: %v", err)
	}
}

// TestRoot_RemovedWithRulesOfOthers leaves a directory with the name of the trash that a repository has brought.
func TestRoot_RemovedWithRulesOfOthers(t *testing.T) {
	dir := layout(t, map[string]string{security.TrashDir + "/.gitignore": "# ours\n", security.TrashDir + "/x": "x", "a": "a"})
	o, removed := removedInState(t)
	r := open(t, o, dir)
	if _, err := os.Lstat(removed); err == nil {
		t.Error("the directory of a repository was moved")
	}
	if _, err := r.Trash(t.Context(), "a", security.TrashOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, dir, security.TrashDir, "x"); got != "x" {
		t.Errorf("the file of the repository holds %q", got)
	}
}

// TestBatch_RemovedInState undoes a failed change, and the change of a process that died.
func TestBatch_RemovedInState(t *testing.T) {
	dir := layout(t, sample)
	o, removed := removedInState(t)
	before := projectFiles(t, dir)
	err := open(t, o, dir).Batch(t.Context(), "test", append(sampleSteps[:len(sampleSteps):len(sampleSteps)], security.Step{Kind: security.MoveStep, Path: "c", To: "d"})...)
	if err == nil {
		t.Error("the change has not failed")
	}
	wantFiles(t, "after the failure", dir, before)

	t.Setenv("DOUGU_TEST_REMOVED", "1")
	cmd := child(t, "die", dir, o.StateDir)
	if err := cmd.Run(); err == nil {
		t.Fatal("the child did not die")
	}
	if _, err := os.Lstat(filepath.Join(dir, "b")); err == nil {
		t.Fatal("nothing was deleted before the death")
	}
	r := open(t, o, dir)
	wantFiles(t, "after the start", dir, before)
	if told := strings.Join(r.TakeNotices(), "\n"); !strings.Contains(told, "has been taken back") {
		t.Errorf("told %q", told)
	}
	holdsNothingOwn(t, dir)
	if _, err := os.Lstat(removed); err != nil {
		t.Error(err)
	}
}
