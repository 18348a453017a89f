//go:build linux || darwin

package security_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// interrupt begins a change in another process and kills it in the last step, which is the step of an editor.
func interrupt(t *testing.T, dir, state string) {
	t.Helper()
	cmd := child(t, "die", dir, state)
	if err := cmd.Run(); err == nil {
		t.Fatal("the child did not die")
	}
	if len(journals(t, state)) != 2 {
		t.Fatalf("in the state directory are %v", journals(t, state))
	}
}

// dieInBatch begins the sample change and ends the process before the last step.
func dieInBatch() {
	childRoot().Batch(context.Background(), "replace_code", append(sampleSteps, security.Step{Kind: security.WriteStep, Path: "c",
		Act: func(context.Context) (func(context.Context) error, error) { os.Exit(7); return nil, nil }})...)
	os.Exit(0)
}

func TestBatch_InterruptedUndoneAtStart(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	before := projectFiles(t, dir)
	interrupt(t, dir, o.StateDir)
	if maps.Equal(projectFiles(t, dir), before) {
		t.Fatal("nothing was changed before the death")
	}
	r := open(t, o, dir)
	wantFiles(t, "after the start", dir, before)
	told := r.TakeNotices()
	if len(told) != 1 || !strings.Contains(told[0], "replace_code (6 steps") || !strings.Contains(told[0], "has been taken back") {
		t.Errorf("told %q", told)
	}
	if again := r.TakeNotices(); len(again) > 0 {
		t.Errorf("told again: %q", again)
	}
	if !strings.Contains(log.String(), "the change of a process that died was undone") {
		t.Errorf("logged %s", &log)
	}
	if left := journals(t, o.StateDir); len(left) > 0 {
		t.Errorf("left in the state directory: %v", left)
	}
}

// TestBatch_InterruptedUndoneBeforeNextChange checks that a running server undoes the change before its own next
// change.
func TestBatch_InterruptedUndoneBeforeNextChange(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	before := projectFiles(t, dir)
	r := open(t, o, dir)
	interrupt(t, dir, o.StateDir)
	if _, err := r.Update(t.Context(), "a", security.UpdateOptions{DryRun: true}, func(old []byte, _ security.FileInfo) ([]byte, error) {
		if string(old) != "old a" {
			t.Errorf("the next change sees %q", old)
		}
		return old, nil
	}); err != nil {
		t.Error(err)
	}
	wantFiles(t, "before the next change", dir, before)
	if told := r.TakeNotices(); len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

func TestBatch_InterruptedKeepsForeignChanges(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	want := projectFiles(t, dir)
	interrupt(t, dir, o.StateDir)
	for _, name := range []string{"a", "moved"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("somebody else's"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mode, _, _ := strings.Cut(want["a"], " ")
	want["a"], want["moved"] = mode+" somebody else's", mode+" somebody else's"
	delete(want, "d/e")
	r := open(t, o, dir)
	wantFiles(t, "after the start", dir, want)
	told := strings.Join(r.TakeNotices(), "\n")
	for _, part := range []string{"a: Another program has changed it meanwhile", `"` + security.BackupDir + `/files/a/`, `"` + security.BackupDir + `/files/d/e/`, `at "moved"`} {
		if !strings.Contains(told, part) {
			t.Errorf("%q is missing in %s", part, told)
		}
	}
	for name, content := range map[string]string{"a": "old a", "d/e": "old e"} {
		kept, err := filepath.Glob(filepath.Join(dir, security.BackupDir, "files", name, "*"))
		if err != nil || len(kept) != 1 || onDisk(t, kept[0]) != content {
			t.Errorf("of %s are kept %v, %v", name, kept, err)
		}
	}
}

// TestBatch_HostileJournals checks that a damaged or forged journal changes nothing outside of the project.
func TestBatch_HostileJournals(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	interrupt(t, dir, o.StateDir)
	var name string
	for _, file := range journals(t, o.StateDir) {
		if strings.HasSuffix(file, ".journal") {
			name = file
		}
	}
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	half := projectFiles(t, dir)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.WriteFile(outside, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(outside) })
	random := rand.New(rand.NewPCG(7, 7))
	damages := map[string]func() []byte{
		"empty":     func() []byte { return nil },
		"truncated": func() []byte { return good[:random.IntN(len(good))] },
		"one bit":   func() []byte { b := bytes.Clone(good); b[len(b)-1-random.IntN(200)] ^= 1 << random.IntN(8); return b },
		"noise":     func() []byte { return bytes.Repeat([]byte{byte(random.IntN(256))}, 500) },
		"climbing":  func() []byte { return security.JournalWithPath(good, "../outside") },
		"absolute":  func() []byte { return security.JournalWithPath(good, outside) },
	}
	for what, damage := range damages {
		for range 10 {
			if err := os.WriteFile(name, damage(), 0o600); err != nil {
				t.Fatal(err)
			}
			r := open(t, o, dir)
			wantFiles(t, what, dir, half)
			if told := r.TakeNotices(); len(told) != 1 || !strings.Contains(told[0], "damaged") {
				t.Errorf("%s: told %q", what, told)
			}
			if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the journal was not set aside", what)
			}
		}
	}
	if got := onDisk(t, outside); got != secret {
		t.Errorf("outside is %q", got)
	}
	if err := os.WriteFile(name, security.JournalWithRoot(good, filepath.Dir(dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, o, dir)
	wantFiles(t, "of another directory", dir, half)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, name); err != nil {
		t.Fatal(err)
	}
	open(t, o, dir)
	wantFiles(t, "a link", dir, half)
}
