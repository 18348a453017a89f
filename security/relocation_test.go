package security_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// interruptHere begins a change in this process and abandons it before its last step.
func interruptHere(t *testing.T, o security.RootOptions, dir string, steps ...security.Step) {
	t.Helper()
	r := open(t, o, dir)
	last := steps[0]
	last.Kind, last.Path, last.Act = security.WriteStep, "c", func(context.Context) (func(context.Context) error, error) { panic("death") }
	func() {
		defer func() { recover() }()
		r.Batch(t.Context(), "replace_code", append(steps, last)...)
	}()
	r.Close()
	if left := journals(t, o.StateDir); len(left) != 1 {
		t.Fatalf("in the state directory are %v", left)
	}
}

// halfMade is a project in which the sample change was interrupted. before are its files before the change.
func halfMade(t *testing.T) (dir string, o security.RootOptions, before map[string]string) {
	t.Helper()
	dir, o = filepath.Join(t.TempDir(), "project"), quick
	if err := os.CopyFS(dir, os.DirFS(layout(t, sample))); err != nil {
		t.Fatal(err)
	}
	o.StateDir = t.TempDir()
	before = projectFiles(t, dir)
	interruptHere(t, o, dir, sampleSteps...)
	if maps.Equal(projectFiles(t, dir), before) {
		t.Fatal("nothing was changed")
	}
	return dir, o, before
}

// wantNotice takes one notice, which must contain all parts.
func wantNotice(t *testing.T, r *security.Root, parts ...string) {
	t.Helper()
	told := r.TakeNotices()
	if len(told) != 1 {
		t.Errorf("told %q", told)
		return
	}
	text := strings.ReplaceAll(told[0], `\\`, `\`) // paths of Windows are quoted
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %q", part, told[0])
		}
	}
}

func TestBatch_InterruptedInMovedProject(t *testing.T) {
	dir, o, before := halfMade(t)
	moved := filepath.Join(filepath.Dir(dir), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	r := open(t, o, moved)
	wantFiles(t, "after the start", moved, before)
	wantNotice(t, r, "has been taken back")
	if left := journals(t, o.StateDir); len(left) > 0 {
		t.Errorf("left in the state directory: %v", left)
	}
}

func TestBatch_InterruptedBelowTheProject(t *testing.T) {
	dir, o, before := halfMade(t)
	r := open(t, o, filepath.Dir(dir))
	wantFiles(t, "after the start", dir, before)
	wantNotice(t, r, "has been taken back")
	if left := journals(t, o.StateDir); len(left) > 0 {
		t.Errorf("left in the state directory: %v", left)
	}
}

// TestBatch_InterruptedBelowTheProjectProtected applies the rules of the project above to the files below.
func TestBatch_InterruptedBelowTheProjectProtected(t *testing.T) {
	dir, o, _ := halfMade(t)
	half := projectFiles(t, dir)
	o.Protected = []string{"/project/a"}
	open(t, o, filepath.Dir(dir))
	wantFiles(t, "after the start", dir, half)
}

func TestBatch_InterruptedAboveTheProject(t *testing.T) {
	for what, outside := range map[string]bool{"inside": false, "partly outside": true} {
		dir, o := layout(t, map[string]string{"sub/a": "old a", "sub/c": "old c", "c": "old"}), quick
		o.StateDir = t.TempDir()
		before := projectFiles(t, filepath.Join(dir, "sub"))
		steps := []security.Step{
			{Kind: security.WriteStep, Path: "sub/a", Content: []byte("new a")},
			{Kind: security.CreateStep, Path: "sub/x/y", Content: []byte("new")},
		}
		if outside {
			steps = append(steps, security.Step{Kind: security.CreateStep, Path: "d", Content: []byte("new")})
		}
		r := open(t, o, dir)
		func() {
			defer func() { recover() }()
			r.Batch(t.Context(), "replace_code", append(steps, security.Step{Kind: security.WriteStep, Path: "sub/c",
				Act: func(context.Context) (func(context.Context) error, error) { panic("death") }})...)
		}()
		sub := filepath.Join(dir, "sub")
		r = open(t, o, sub)
		if outside {
			if got := onDisk(t, sub, "a"); got != "new a" {
				t.Errorf("%s: a holds %q", what, got)
			}
			wantNotice(t, r, "half changed", "Start a server in", dir)
			continue
		}
		wantFiles(t, what, sub, before)
		wantNotice(t, r, "has been taken back")
	}
}

// TestBatch_InterruptedInRemovedProject checks that a copy of a removed project gets one notice, and that an
// unrelated project gets none.
func TestBatch_InterruptedInRemovedProject(t *testing.T) {
	dir, o, _ := halfMade(t)
	other := open(t, o, layout(t, sample))
	copied := filepath.Join(t.TempDir(), "copy")
	if err := errors.Join(os.CopyFS(copied, os.DirFS(dir)), os.RemoveAll(dir)); err != nil {
		t.Fatal(err)
	}
	half := projectFiles(t, copied)
	wantNotice(t, open(t, o, copied), "half changed", "is gone", ".journal")
	for what, r := range map[string]*security.Root{"the copy again": open(t, o, copied), "another project": open(t, o, layout(t, sample)), "one from before": other} {
		if told := r.TakeNotices(); len(told) > 0 {
			t.Errorf("%s: told %q", what, told)
		}
	}
	wantFiles(t, "the copy", copied, half)
}

func TestBatch_InterruptedLockUnavailable(t *testing.T) {
	dir, o, before := halfMade(t)
	lock := strings.TrimSuffix(journals(t, o.StateDir)[0], ".journal") + ".lock"
	if err := os.Mkdir(lock, 0o700); err != nil { // cannot be opened, also by root
		t.Fatal(err)
	}
	wantNotice(t, open(t, o, dir), "half changed", "waits to be taken back", o.StateDir)
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	wantNotice(t, open(t, o, dir), "has been taken back")
	wantFiles(t, "after the second start", dir, before)
}

func TestBatch_InterruptedJournalExposed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of directories mean nothing on Windows")
	}
	dir, o, before := halfMade(t)
	place := filepath.Dir(journals(t, o.StateDir)[0])
	if err := os.Chmod(place, 0o755); err != nil {
		t.Fatal(err)
	}
	r := open(t, o, dir)
	wantNotice(t, r, "half changed", "chmod 700 '"+place+"'")
	if told := r.TakeNotices(); len(told) > 0 {
		t.Errorf("told again: %q", told)
	}
	if err := r.Batch(t.Context(), "test", sampleSteps[0], security.Step{Kind: security.CreateStep, Path: "n"}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("the next change: %v", err)
	}
	if err := os.Chmod(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(t.Context(), "c", []byte("old c"), security.WriteOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, "after the next change", dir, before)
}

// TestBatch_InterruptedContentDamaged checks that a damaged former content affects only its own file.
func TestBatch_InterruptedContentDamaged(t *testing.T) {
	dir, o, before := halfMade(t)
	name := journals(t, o.StateDir)[0]
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[bytes.Index(text, []byte("old a"))] ^= 1
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, o, dir)
	wantNotice(t, r, "except for these files: a: ", "damaged", strings.TrimSuffix(name, ".journal"))
	before["a"] = strings.Replace(before["a"], "old a", "new a", 1)
	wantFiles(t, "after the start", dir, before)
	if told := open(t, o, dir).TakeNotices(); len(told) > 0 {
		t.Errorf("told again: %q", told)
	}
}

func TestBatch_InterruptedReadOnlyRoot(t *testing.T) {
	dir, o, before := halfMade(t)
	half := projectFiles(t, dir)
	o.ReadOnly = true
	wantNotice(t, open(t, o, dir), "half changed", "waits to be taken back", "read-only", dir)
	wantFiles(t, "after a start that may change nothing", dir, half)
	o.ReadOnly = false
	wantNotice(t, open(t, o, dir), "has been taken back")
	wantFiles(t, "after the next start", dir, before)
}

// TestBatch_InterruptedByEarlierVersion finds a journal of a version that kept its state in the user's cache
// directory.
func TestBatch_InterruptedByEarlierVersion(t *testing.T) {
	home, dir := t.TempDir(), layout(t, sample)
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CACHE_HOME": filepath.Join(home, "cache"), "LocalAppData": filepath.Join(home, "cache")} {
		t.Setenv(name, value)
	}
	before := projectFiles(t, dir)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	o := quick
	o.StateDir = filepath.Join(cache, "dougu", "locks")
	interruptHere(t, o, dir, sampleSteps...)
	r, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	wantFiles(t, "after the start", dir, before)
	wantNotice(t, r, "has been taken back")
}

// TestBatch_LastFileChangedByOtherProgram reports the cause of a failure, but not the file of the failed step, which
// another program has changed.
func TestBatch_LastFileChangedByOtherProgram(t *testing.T) {
	dir := layout(t, sample)
	before := projectFiles(t, dir)
	err := open(t, quick, dir).Batch(t.Context(), "test",
		security.Step{Kind: security.WriteStep, Path: "a", Content: []byte("new a")},
		security.Step{Kind: security.WriteStep, Path: "b", Act: func(context.Context) (func(context.Context) error, error) {
			return nil, os.WriteFile(filepath.Join(dir, "c"), []byte("old C"), 0o644)
		}},
		security.Step{Kind: security.WriteStep, Path: "c", Content: []byte("new c")})
	if e := asError(t, err); e.Code != security.StaleFile || strings.Contains(e.Error(), "taken back") {
		t.Errorf("%v", err)
	}
	before["c"] = strings.Replace(before["c"], "old c", "old C", 1)
	wantFiles(t, "after the failure", dir, before)
	if _, err := os.Stat(filepath.Join(dir, security.BackupDir)); err == nil {
		t.Error("a backup was made")
	}
}

// TestBatch_JournalWriteFails checks that an error of the journal is not reported as an error of the file.
func TestBatch_JournalWriteFails(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	var full error = syscall.ENOSPC
	if runtime.GOOS == "windows" {
		full = syscall.Errno(112) // ERROR_DISK_FULL
	}
	err := security.WriteJournal(t.Context(), open(t, o, dir), full, sampleSteps...)
	e := asError(t, err)
	if e.Code != security.NoSpace || !strings.Contains(strings.ReplaceAll(e.Error(), `\\`, `\`), o.StateDir) || strings.Contains(e.Error(), `"a"`) {
		t.Errorf("%v", err)
	}
}
