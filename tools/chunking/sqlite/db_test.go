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

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dougu-go/dougu/internal/sqlitefile/sqlitefiletest"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/golang"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

const stack = "package stack\n\n// Push puts x on top.\nfunc (s *Stack) Push(x int) { s.grow(x) }\n\nfunc (s *Stack) grow(n int) {}\n"

func load(t testing.TB, db *sqlite.DB) map[string]*index.File {
	t.Helper()
	files, err := db.Store().Load(t.Context())
	must(t, err)
	by := make(map[string]*index.File, len(files))
	for _, f := range files {
		by[f.Path] = f
	}
	return by
}

func TestStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "chunks.db")
	db := openDB(t, file)
	p := newProject(t, db.Store(), map[string]string{"stack.go": stack, "b.go": "package b\n\nfunc B() {}\n"})
	p.analyze()
	saved := load(t, openDB(t, file))
	was := p.Snapshot().Files()[1]
	if d := cmp.Diff(was, saved["stack.go"], cmpopts.IgnoreUnexported(index.File{})); d != "" || len(saved) != 2 {
		t.Errorf("another file comes back (-saved +loaded):\n%s", d)
	}
	found, err := was.Parsed()
	must(t, err)
	again, err := saved["stack.go"].Parsed()
	must(t, err)
	if d := cmp.Diff(found, again); d != "" {
		t.Errorf("something else comes back (-saved +loaded):\n%s", d)
	}
	// What changes is saved, and what is gone is not kept.
	must(t, os.Remove(filepath.Join(p.dir, "b.go")))
	p.put(map[string]string{"stack.go": stack + "\nfunc More() {}\n"})
	p.analyze()
	if saved := load(t, db); len(saved) != 1 || saved["stack.go"].Len() != 4 {
		t.Errorf("after changes there is %v", saved)
	}
	// The next index has it all without reading anything.
	next := p.open(openDB(t, file).Store())
	if r := next.analyze(); r.Unchanged != 1 || r.Parsed != 0 {
		t.Errorf("again: %+v", r)
	}
}

// A record that is damaged is left out; the others stay.
func TestDamagedRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chunks.db")
	p := newProject(t, openDB(t, file).Store(), map[string]string{"a.go": stack, "b.go": stack})
	p.analyze()
	sqlitefiletest.Behind(t, file, "UPDATE files SET content = x'00ff' WHERE path = 'a.go'")
	if saved := load(t, openDB(t, file)); len(saved) != 1 || saved["b.go"] == nil {
		t.Errorf("there is %v", saved)
	}
}

// What cannot be read, or is of another version, is begun anew.
func TestBegunAnew(t *testing.T) {
	damages := sqlitefiletest.Damages()
	for name, statement := range map[string]string{
		"later version":   "PRAGMA user_version = 77",
		"other tables":    "DROP TABLE imports",
		"somebody else's": "CREATE TABLE more (x); PRAGMA user_version = 0",
	} {
		damages[name] = func(t testing.TB, file string) { sqlitefiletest.Behind(t, file, statement) }
	}
	for name, spoil := range damages {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "chunks.db")
			db, err := sqlite.Open(t.Context(), file)
			must(t, err)
			must(t, db.Store().Save(t.Context(), []*index.File{parsed(t, "a.go", stack)}, nil))
			must(t, db.Close())
			spoil(t, file)
			again := openDB(t, file)
			if saved := load(t, again); len(saved) != 0 {
				t.Errorf("there is %v", saved)
			}
			must(t, again.Store().Save(t.Context(), []*index.File{parsed(t, "a.go", stack)}, nil))
			if saved := load(t, again); len(saved) != 1 {
				t.Errorf("afterwards there is %v", saved)
			}
		})
	}
}

// parsed is a file as an index has it.
func parsed(t testing.TB, path, src string) *index.File {
	t.Helper()
	f, err := golang.Parser{}.Parse(t.Context(), []byte(src), parse.Go, parse.Options{Calls: true})
	must(t, err)
	return index.Describe(path, []byte(src), f)
}

// A database that somebody holds is waited for and never thrown away.
func TestHeldByAnother(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chunks.db")
	first := openDB(t, file)
	must(t, first.Store().Save(t.Context(), []*index.File{parsed(t, "a.go", stack)}, nil))
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

// A path is a path, whatever is in it.
func TestOddPaths(t *testing.T) {
	names := sqlitefiletest.OddNames()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name, name+".db")
		db := openDB(t, file)
		must(t, db.Store().Save(t.Context(), []*index.File{parsed(t, "a.go", stack)}, nil))
		sqlitefiletest.IsFileOfOwner(t, file)
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

func TestCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chunks.db")
	db := openDB(t, file)
	p := newProject(t, nil, map[string]string{"a.go": stack})
	p2, err := p.Analyze(t.Context(), ".", index.AnalyzeOptions{}, nil)
	if err != nil || p2.Files != 1 {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, opening := sqlite.Open(gone, file)
	_, loading := db.Store().Load(gone)
	_, asking := db.Graph().Calls(gone, "grow", 10)
	for what, err := range map[string]error{
		"opening": opening, "loading": loading, "asking": asking,
		"saving":   db.Store().Save(gone, p.Snapshot().Files(), nil),
		"updating": db.Graph().Update(gone, p.Snapshot()),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if saved := load(t, db); len(saved) != 0 {
		t.Errorf("half of it was saved: %v", saved)
	}
	must(t, db.Graph().Update(t.Context(), p.Snapshot()))
}

// Several processes make and use one database at once.
func TestSeveralProcesses(t *testing.T) {
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

// other is what the other processes do: each saves ten files of its own.
func other(file string) int {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, file)
	for i := 0; i < 10 && err == nil; i++ {
		name := fmt.Sprintf("%s-%d.go", os.Getenv("DOUGU_TEST_NUMBER"), i)
		var f *parse.File
		if f, err = (golang.Parser{}).Parse(ctx, []byte(stack), parse.Go, parse.Options{}); err == nil {
			err = db.Store().Save(ctx, []*index.File{index.Describe(name, []byte(stack), f)}, nil)
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
