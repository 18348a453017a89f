package index_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/index"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
	search "github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/index/indextest"
	"github.com/dougu-go/dougu/tools/search/segment"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// connect opens a database, as one server does.
func connect(t testing.TB, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// open opens the index of a project, as one server does.
func open(t testing.TB, db *postgres.DB, project string, o index.Options) *segment.Index {
	t.Helper()
	ix, err := index.Open(t.Context(), db, project, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return ix
}

func TestIndex(t *testing.T) {
	db := connect(t, server.Database(t))
	var projects atomic.Int64
	indextest.Run(t, func(t *testing.T) search.Index {
		return open(t, db, fmt.Sprint("project", projects.Add(1)), index.Options{})
	})
}

// With next to no memory every file is a segment by itself, and all is read from the
// database page by page.
func TestLittleMemory(t *testing.T) {
	db := connect(t, server.Database(t))
	var projects atomic.Int64
	indextest.Run(t, func(t *testing.T) search.Index {
		return open(t, db, fmt.Sprint("project", projects.Add(1)), index.Options{Segment: segment.Options{Buffer: 1, Memory: 1}})
	})
}
