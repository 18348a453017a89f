package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/mcp/tasks/taskstest"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile/sqlitefiletest"
	"github.com/dougu-go/dougu/tools/tasks/sqlite"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, file string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	d, err := sqlite.Open(t.Context(), file, o)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "new", "tasks.db") }

var most = tasks.Limits{PerPrincipal: 100, Total: 100}

func record(id string) tasks.Record {
	begin := time.Now().UTC().Truncate(time.Millisecond)
	return tasks.Record{ID: id, Owner: "o", Version: 1, Created: begin, Expires: begin.Add(time.Hour), Data: []byte(`{}`)}
}

// Two open databases on one file behave like two processes.
func TestDB_TwoProcesses(t *testing.T) {
	taskstest.Run(t, func(t *testing.T) (a, b tasks.Store) {
		file := file(t)
		return open(t, file, sqlite.Options{PollInterval: 10 * time.Millisecond}), open(t, file, sqlite.Options{PollInterval: 10 * time.Millisecond})
	})
}

func TestDB_Reopened(t *testing.T) {
	file := file(t)
	r := record("x")
	first, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	must(t, err)
	must(t, first.Create(t.Context(), r, most))
	must(t, first.Close())
	got, err := open(t, file, sqlite.Options{}).Get(t.Context(), "x")
	must(t, err)
	if got.ID != r.ID || !got.Created.Equal(r.Created) || !got.Expires.Equal(r.Expires) || string(got.Data) != `{}` {
		t.Errorf("after a restart it is %+v", got)
	}
	sqlitefiletest.RequireOwnerOnly(t, file)
}

func TestDB_MaxBytes(t *testing.T) {
	d := open(t, file(t), sqlite.Options{MaxBytes: 100})
	r := record("x")
	must(t, d.Create(t.Context(), r, most))
	r.Version, r.Data = 2, make([]byte, 101)
	if err := d.Update(t.Context(), r); !errors.Is(err, tasks.ErrFull) {
		t.Errorf("an update: %v", err)
	}
	r.ID = "y"
	if err := d.Create(t.Context(), r, most); !errors.Is(err, tasks.ErrFull) {
		t.Errorf("a new one: %v", err)
	}
}

// A damaged file is renamed; a file of another program stays unchanged.
func TestOpen_Damaged(t *testing.T) {
	for name, damage := range sqlitefiletest.Damages() {
		t.Run(name, func(t *testing.T) {
			file := file(t)
			d, err := sqlite.Open(t.Context(), file, sqlite.Options{})
			must(t, err)
			must(t, d.Create(t.Context(), record("x"), most))
			must(t, d.Close())
			damage(t, file)
			if _, err := open(t, file, sqlite.Options{}).Get(t.Context(), "x"); !errors.Is(err, tasks.ErrNotFound) {
				t.Errorf("a new one has the task of the old: %v", err)
			}
			if aside, err := filepath.Glob(file + ".damaged-*"); err != nil || len(aside) == 0 {
				t.Errorf("nothing was moved aside: %v", err)
			}
		})
	}
	t.Run("foreign", func(t *testing.T) {
		file := file(t)
		d, err := sqlite.Open(t.Context(), file, sqlite.Options{})
		must(t, err)
		must(t, d.Close())
		raw, err := os.ReadFile(file)
		must(t, err)
		copy(raw[68:], "nope") // its application id
		must(t, os.WriteFile(file, raw, 0o600))
		if _, err := sqlite.Open(t.Context(), file, sqlite.Options{}); err == nil {
			t.Error("a database of something else was opened")
		}
	})
	if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a\x00b"), sqlite.Options{}); err == nil {
		t.Error("an impossible file was opened")
	}
}

func TestDB_Closed(t *testing.T) {
	d, err := sqlite.Open(t.Context(), file(t), sqlite.Options{})
	must(t, err)
	stop, err := d.Watch(func(tasks.Record) {})
	must(t, err)
	must(t, d.Close())
	stop()
	ctx := context.WithoutCancel(t.Context())
	for what, err := range map[string]error{
		"create": d.Create(ctx, record("x"), most),
		"update": d.Update(ctx, record("x")),
		"beat":   d.Beat(ctx, "o", time.Now()),
	} {
		if err == nil {
			t.Errorf("%s works on a closed database", what)
		}
	}
	for what, ask := range map[string]func() error{
		"get":     func() error { _, err := d.Get(ctx, "x"); return err },
		"list":    func() error { _, err := d.List(ctx, "", tasks.Position{}, 1); return err },
		"sweep":   func() error { _, err := d.Sweep(ctx, time.Now()); return err },
		"orphans": func() error { _, err := d.Orphans(ctx, time.Now()); return err },
		"watch":   func() error { _, err := d.Watch(func(tasks.Record) {}); return err },
	} {
		if err := ask(); err == nil {
			t.Errorf("%s works on a closed database", what)
		}
	}
}
