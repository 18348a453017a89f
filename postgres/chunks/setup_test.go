package chunks_test

import (
	"os"
	"testing"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/chunks"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a project as one server does.
func open(t testing.TB, address, name string) *chunks.Project {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Options{})
	must(t, err)
	t.Cleanup(db.Close)
	p, err := chunks.Open(t.Context(), db, name)
	must(t, err)
	return p
}
