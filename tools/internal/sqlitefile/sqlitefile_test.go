package sqlitefile_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile/sqlitefiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a database with a table of numbers.
func open(ctx context.Context, file string) (db *sql.DB, err error) {
	err = sqlitefile.Open(ctx, file, func() error {
		var err error
		if db, err = sqlitefile.Writer(file); err != nil {
			return err
		}
		err = sqlitefile.Change(ctx, db, func(tx *sql.Tx) error {
			if err := sqlitefile.Check(ctx, tx); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS numbers (n INTEGER); CREATE INDEX IF NOT EXISTS by_number ON numbers (n)")
			return err
		})
		if err != nil {
			err = errors.Join(err, db.Close())
		}
		return err
	})
	return db, err
}

// numbers returns the numbers in the database.
func numbers(t testing.TB, from sqlitefile.Querier) (all []int) {
	t.Helper()
	must(t, sqlitefile.Each(t.Context(), from, func(scan func(...any) error) error {
		var n int
		err := scan(&n)
		all = append(all, n)
		return err
	}, "SELECT n FROM numbers WHERE n > ? ORDER BY n", 0))
	return all
}

func TestChange_Rollback(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	db, err := open(t.Context(), file)
	must(t, err)
	defer db.Close()
	no := errors.New("no")
	for _, result := range []error{nil, no} {
		err := sqlitefile.Change(t.Context(), db, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), "INSERT INTO numbers VALUES (2), (1)")
			return errors.Join(err, result)
		})
		if !errors.Is(err, result) {
			t.Errorf("got %v, want %v", err, result)
		}
	}
	reader, err := sqlitefile.Reader(file)
	must(t, err)
	defer reader.Close()
	if got := numbers(t, reader); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("there is %v", got)
	}
	if _, err := reader.ExecContext(t.Context(), "DELETE FROM numbers"); err == nil {
		t.Error("a reader has changed something")
	}
	if err := sqlitefile.Each(t.Context(), reader, func(func(...any) error) error { return no }, "SELECT 1"); !errors.Is(err, no) {
		t.Errorf("got %v, want %v", err, no)
	}
}

func TestOpen_Damaged(t *testing.T) {
	for name, damage := range sqlitefiletest.Damages() {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.db")
			db, err := open(t.Context(), file)
			must(t, err)
			must(t, db.Close())
			damage(t, file)
			if _, err := open(t.Context(), file); !errors.Is(err, sqlitefile.ErrDamaged) {
				t.Errorf("opening it: %v", err)
			}
		})
	}
}

// Open waits while another process locks the database, until ctx ends.
func TestOpen_Locked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	holder, err := open(t.Context(), file)
	must(t, err)
	defer holder.Close()
	tx, err := holder.BeginTx(t.Context(), nil)
	must(t, err)
	impatient, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file)+"?_txlock=immediate")
	must(t, err)
	defer impatient.Close()
	begin := func() error {
		return sqlitefile.Change(context.WithoutCancel(t.Context()), impatient, func(*sql.Tx) error { return nil })
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = sqlitefile.Open(ctx, file, func() error { defer cancel(); return begin() })
	if !errors.Is(err, context.Canceled) || errors.Is(err, sqlitefile.ErrDamaged) {
		t.Errorf("with a context that ends: %v", err)
	}
	calls := 0
	must(t, sqlitefile.Open(t.Context(), file, func() error {
		if calls++; calls == 2 {
			must(t, tx.Rollback())
		}
		return begin()
	}))
	if calls != 2 {
		t.Errorf("it was opened %d times", calls)
	}
}

func TestOpen_OddPaths(t *testing.T) {
	dir := t.TempDir()
	names := sqlitefiletest.OddNames()
	for _, name := range names {
		db, err := open(t.Context(), filepath.Join(dir, name))
		must(t, err)
		must(t, db.Close())
		sqlitefiletest.RequireOwnerOnly(t, filepath.Join(dir, name))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(names) {
		t.Errorf("there are %d files for %d names: %v", len(entries), len(names), err)
	}
	for _, wrong := range []string{filepath.Join(dir, "nul\x00byte.db"), filepath.Join(dir, names[0], "x.db"), dir} {
		if _, err := open(t.Context(), wrong); err == nil {
			t.Errorf("%q was opened", wrong)
		}
	}
}
