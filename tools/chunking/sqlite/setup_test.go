package sqlite_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

// TestMain runs as a child process if an environment variable requests it.
func TestMain(m *testing.M) {
	if file := os.Getenv("DOUGU_TEST_SQLITE"); file != "" {
		os.Exit(other(file))
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openDB(t testing.TB, file string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), file)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}
