// Package sqlitefiletest has helpers for tests of databases in files.
package sqlitefiletest

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// Damages returns functions that damage a closed database, by name.
func Damages() map[string]func(t testing.TB, file string) {
	return map[string]func(t testing.TB, file string){
		"no database": func(t testing.TB, file string) {
			must(t, os.WriteFile(file, []byte("this is no database, but a text\n"), 0o600))
		},
		"cut off": func(t testing.TB, file string) {
			info, err := os.Stat(file)
			must(t, err)
			must(t, os.Truncate(file, info.Size()/2))
		},
		"overwritten": func(t testing.TB, file string) {
			content, err := os.ReadFile(file)
			must(t, err)
			for i := 4096; i < len(content); i += 7 {
				content[i] ^= 0x5a
			}
			must(t, os.WriteFile(file, content, 0o600))
		},
	}
}

// ExecSeparately executes a statement on a database over a separate connection.
func ExecSeparately(t testing.TB, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file)+"?_pragma=busy_timeout(10000)")
	must(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	must(t, errors.Join(err, db.Close()))
}

// OddNames returns valid file names with characters that are special in URLs or SQL.
func OddNames() []string {
	names := []string{"with blank", "per%20cent", "hash#tag", "道具", "semi;colon&x=1", "quote'd"}
	if runtime.GOOS != "windows" {
		names = append(names, `question?mark`, `back\slash`, "new\nline", `"quoted"`)
	}
	return names
}

// RequireOwnerOnly checks that a file is not empty, and that only its owner can read it.
func RequireOwnerOnly(t testing.TB, file string) {
	t.Helper()
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("%q: the file is %v, %v", file, info, err)
	} else if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%q: other users can read it: %v", file, info.Mode())
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
