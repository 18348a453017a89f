//go:build linux || darwin

package security_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
)

// expiry is a state directory with the removed content of a project, and a clock.
type expiry struct {
	t           *testing.T
	o           security.RootOptions
	removed     string // the directory with the content of all projects
	parent, dir string // the project and the directory above it, which has another entry
	content     string // the directory with the content of the project
	now         time.Time
}

func newExpiry(t *testing.T) *expiry {
	t.Helper()
	x := &expiry{t: t, parent: layout(t, map[string]string{"p/a": "a", "p/closed/b": "b", "beside": ""}), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	x.dir = filepath.Join(x.parent, "p")
	x.o, x.removed = removedInState(t)
	x.trash("a")
	x.content = x.only()
	return x
}

// trash deletes a file of the project into the trash.
func (x *expiry) trash(name string) {
	x.t.Helper()
	r := open(x.t, x.o, x.dir)
	if _, err := r.Trash(x.t.Context(), name, security.TrashOptions{Recursive: true}); err != nil {
		x.t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		x.t.Fatal(err)
	}
}

// only returns the only directory with removed content.
func (x *expiry) only() string {
	x.t.Helper()
	all, err := filepath.Glob(filepath.Join(x.removed, "*"))
	if err != nil || len(all) != 1 {
		x.t.Fatalf("removed content is in %q, %v", all, err)
	}
	return all[0]
}

// after lets time pass, expires removed content, and checks whether the content of the project is deleted.
func (x *expiry) after(days int, deleted bool) {
	x.t.Helper()
	x.now = x.now.Add(time.Duration(days) * 24 * time.Hour)
	got, err := security.ExpireRemoved(x.t.Context(), x.o.StateDir, x.now)
	if err != nil || slices.Contains(got, x.dir) != deleted {
		x.t.Fatalf("on %s: deleted %q, %v; want %v", x.now.Format(time.DateOnly), got, err, deleted)
	}
	if _, err := os.Lstat(x.content); (err != nil) != deleted {
		x.t.Fatalf("on %s: the content exists: %v", x.now.Format(time.DateOnly), err == nil)
	}
}

func (x *expiry) remove(name string) {
	x.t.Helper()
	if err := os.RemoveAll(name); err != nil {
		x.t.Fatal(err)
	}
}

// The content is deleted when the project has been missing for 90 days without a break, and nothing else is deleted.
func TestExpireRemoved(t *testing.T) {
	x := newExpiry(t)
	foreign := filepath.Join(x.removed, "foreign", security.TrashDir, "x")
	if err := os.MkdirAll(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(x.removed, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second := layout(t, map[string]string{"other": "other"})
	trashed, err := open(t, x.o, second).Trash(t.Context(), "other", security.TrashOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x.after(365, false) // the project exists
	x.remove(x.dir)
	x.after(0, false)
	x.after(89, false)
	if err := os.Mkdir(x.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	x.after(1, false)
	x.remove(x.dir)
	x.after(100, false) // the first look at the project since it is missing again
	x.after(89, false)
	x.after(1, true)
	if again, err := security.ExpireRemoved(t.Context(), x.o.StateDir, x.now.Add(1000*24*time.Hour)); err != nil || len(again) > 0 {
		t.Errorf("later, %q is deleted, %v", again, err)
	}
	for _, name := range []string{foreign, filepath.Join(x.removed, "file")} {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
	restore(t, open(t, x.o, second), trashed.Trash.Path, "other")
}

// A directory that may lie on a volume that is not mounted, or that cannot be looked at, is not missing.
func TestExpireRemoved_Unmounted(t *testing.T) {
	x := newExpiry(t)
	x.remove(x.dir)
	x.remove(filepath.Join(x.parent, "beside")) // the place of a volume is empty
	x.after(0, false)
	x.after(1000, false)
	if err := os.WriteFile(filepath.Join(x.parent, "beside"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x.after(0, false)
	x.after(90, true)
}

// A Root that opens the project ends the time for which it was missing, also under a new name.
func TestExpireRemoved_Opened(t *testing.T) {
	x := newExpiry(t)
	moved := filepath.Join(x.parent, "moved")
	if err := os.Rename(x.dir, moved); err != nil {
		t.Fatal(err)
	}
	x.after(0, false)
	x.after(89, false)
	if err := open(t, x.o, moved).Close(); err != nil {
		t.Fatal(err)
	}
	x.after(1, false)
	x.after(1000, false)
	x.remove(moved)
	x.after(0, false)
	x.dir = moved
	x.after(90, true)
}

// A recorded time that is invalid, or later than the clock, begins anew.
func TestExpireRemoved_InvalidTime(t *testing.T) {
	for _, text := range []string{"", "yesterday\n", "2100-01-01T00:00:00Z\n"} {
		x := newExpiry(t)
		x.remove(x.dir)
		if err := os.WriteFile(filepath.Join(x.content, "missing"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		x.after(0, false)
		x.after(89, false)
		x.after(1, true)
	}
}

// A deletion that was interrupted goes on at the next call, unless the project exists again.
func TestExpireRemoved_Interrupted(t *testing.T) {
	for _, again := range []bool{false, true} {
		x := newExpiry(t)
		x.trash("closed")
		closed, err := filepath.Glob(filepath.Join(x.content, security.TrashDir, "*", "closed"))
		if err != nil || len(closed) != 1 {
			t.Fatalf("the trash holds %q, %v", closed, err)
		}
		if err := os.Chmod(closed[0], 0o500); err != nil {
			t.Fatal(err)
		}
		x.remove(x.dir)
		x.after(0, false)
		x.now = x.now.Add(security.RemovedLife)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if deleted, err := security.ExpireRemoved(ctx, x.o.StateDir, x.now); err == nil || len(deleted) > 0 {
			t.Errorf("after its end a call deletes %q, %v", deleted, err)
		}
		interrupted := filepath.Join(x.removed, ".expired-"+filepath.Base(x.content))
		if err := os.Rename(x.content, interrupted); err != nil {
			t.Fatal(err)
		}
		if again {
			if err := os.Mkdir(x.dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		x.after(0, !again)
		if _, err := os.Lstat(interrupted); err == nil {
			t.Error("the directory keeps its other name")
		}
		if again { // so that an ordinary user can delete the directory of the test
			if err := os.Chmod(closed[0], 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestMeasureRemoved(t *testing.T) {
	x := newExpiry(t)
	u, err := security.MeasureRemoved(t.Context(), x.o.StateDir)
	if err != nil || u.Dir != x.removed || u.Projects != 1 || u.Missing != 0 || u.Bytes == 0 || u.Partial {
		t.Errorf("%+v, %v", u, err)
	}
	x.remove(x.dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if u, err = security.MeasureRemoved(ctx, x.o.StateDir); err != nil || u.Projects != 1 || u.Missing != 1 || !u.Partial {
		t.Errorf("%+v, %v", u, err)
	}
	if u, err = security.MeasureRemoved(t.Context(), t.TempDir()); err != nil || u.Projects != 0 || u.Bytes != 0 {
		t.Errorf("without removed content: %+v, %v", u, err)
	}
}
