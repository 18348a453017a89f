package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/index/storetest"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile/sqlitefiletest"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
)

func load(t testing.TB, db *sqlite.DB) map[string]*index.File { return storetest.Load(t, db.Store()) }

func parsed(t testing.TB, path string) *index.File {
	return storetest.Parsed(t, path, storetest.Stack)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		file := filepath.Join(t.TempDir(), "new", "chunks.db")
		return func() index.Store { return openDB(t, file).Store() }
	})
}

// TestStore_DamagedRecord checks that only the damaged record is skipped.
func TestStore_DamagedRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chunks.db")
	must(t, openDB(t, file).Store().Save(t.Context(), []*index.File{parsed(t, "a.go"), parsed(t, "b.go")}, nil))
	sqlitefiletest.ExecSeparately(t, file, "UPDATE files SET content = x'00ff' WHERE path = 'a.go'")
	if saved, err := openDB(t, file).Store().Load(t.Context()); len(saved) != 1 || saved[0].Path != "b.go" || !errors.Is(err, index.ErrDamaged) {
		t.Errorf("there is %v: %v", saved, err)
	}
}

// TestOpen_Recreate checks that damaged databases and other versions are recreated.
func TestOpen_Recreate(t *testing.T) {
	damages := sqlitefiletest.Damages()
	versions := map[string]string{
		"later version":   "PRAGMA user_version = 77",
		"other tables":    "DROP TABLE imports",
		"somebody else's": "CREATE TABLE more (x); PRAGMA user_version = 0",
	}
	for name, statement := range versions {
		damages[name] = func(t testing.TB, file string) { sqlitefiletest.ExecSeparately(t, file, statement) }
	}
	for name, spoil := range damages {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "chunks.db")
			db, err := sqlite.Open(t.Context(), file)
			must(t, err)
			must(t, db.Store().Save(t.Context(), []*index.File{parsed(t, "a.go")}, nil))
			must(t, db.Close())
			spoil(t, file)
			again := openDB(t, file)
			saved, err := again.Store().Load(t.Context())
			if _, isVersion := versions[name]; len(saved) != 0 || errors.Is(err, index.ErrDamaged) == isVersion {
				t.Errorf("there is %v: %v", saved, err)
			}
			must(t, again.Store().Save(t.Context(), []*index.File{parsed(t, "a.go")}, nil))
			if saved := load(t, again); len(saved) != 1 {
				t.Errorf("afterwards there is %v", saved)
			}
		})
	}
}

// TestOpen_Locked checks that a locked database is awaited and never deleted.
func TestOpen_Locked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chunks.db")
	first := openDB(t, file)
	must(t, first.Store().Save(t.Context(), []*index.File{parsed(t, "a.go")}, nil))
	holder, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file)+"?_txlock=immediate")
	must(t, err)
	defer holder.Close()
	tx, err := holder.BeginTx(t.Context(), nil)
	must(t, err)
	opened := make(chan error, 1)
	go func() {
		db, err := sqlite.Open(context.WithoutCancel(t.Context()), file)
		if err == nil {
			err = db.Close()
		}
		opened <- err
	}()
	must(t, tx.Rollback())
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if saved := load(t, first); len(saved) != 1 {
		t.Errorf("there is %v", saved)
	}
}

// TestOpen_SpecialCharacters checks paths with characters that have a meaning in URLs.
func TestOpen_SpecialCharacters(t *testing.T) {
	names := sqlitefiletest.OddNames()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name, name+".db")
		db := openDB(t, file)
		must(t, db.Store().Save(t.Context(), []*index.File{parsed(t, "a.go")}, nil))
		sqlitefiletest.RequireOwnerOnly(t, file)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names) {
		t.Errorf("there are %d directories for %d names: %v", len(entries), len(names), err)
	}
	if _, err := sqlite.Open(t.Context(), filepath.Join(dir, "nul\x00byte.db")); err == nil {
		t.Error("a path with a NUL byte was opened")
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	if _, err := sqlite.Open(t.Context(), filepath.Join(dir, "file", "chunks.db")); err == nil {
		t.Error("a database was opened below a file")
	}
	if _, err := sqlite.Open(t.Context(), dir); err == nil {
		t.Error("a directory was opened as a database")
	}
}

func TestOpen_Canceled(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Open(gone, filepath.Join(t.TempDir(), "chunks.db")); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
}

// TestOpen_SeveralProcesses checks that processes can create and use one database
// concurrently.
func TestOpen_SeveralProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chunks.db")
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), "DOUGU_TEST_SQLITE="+file, fmt.Sprint("DOUGU_TEST_NUMBER=", i))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	running.Wait()
	if saved := load(t, openDB(t, file)); len(saved) != 40 {
		t.Errorf("%d files were saved, want 40", len(saved))
	}
}

// other runs in a child process and saves ten files.
func other(file string) int {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, file)
	for i := 0; i < 10 && err == nil; i++ {
		name := fmt.Sprintf("%s-%d.go", os.Getenv("DOUGU_TEST_NUMBER"), i)
		var f *source.File
		if f, err = (golang.Parser{}).Parse(ctx, []byte(storetest.Stack), source.Go, source.Options{}); err == nil {
			err = db.Store().Save(ctx, []*index.File{index.Describe(name, []byte(storetest.Stack), f)}, nil)
		}
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}
