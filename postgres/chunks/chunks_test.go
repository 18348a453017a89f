package chunks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/dougu-go/dougu/postgres/chunks"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/graph/graphtest"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/index/storetest"
)

func load(t testing.TB, p *chunks.Project) map[string]*index.File {
	return storetest.Load(t, p.Store())
}

func parsed(t testing.TB, path string) *index.File {
	return storetest.Parsed(t, path, storetest.Stack)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		address := server.Database(t)
		return func() index.Store { return open(t, address, "p").Store() }
	})
}

// Projects of one database do not know of each other.
func TestProjects(t *testing.T) {
	address := server.Database(t)
	must(t, open(t, address, "p").Store().Save(t.Context(), []*index.File{parsed(t, "a.go")}, nil))
	must(t, open(t, address, "p").Graph().Update(t.Context(), index.SnapshotOf(parsed(t, "a.go"))))
	other := open(t, address, "other")
	calls, err := other.Graph().Calls(t.Context(), "grow", 10)
	if saved := load(t, other); len(saved) != 0 || len(calls) != 0 || err != nil {
		t.Errorf("another project has %v and %v (%v)", saved, calls, err)
	}
}

// A record that is damaged is left out; the others stay. Paths are any bytes.
func TestDamagedRecord(t *testing.T) {
	address := server.Database(t)
	db := open(t, address, "p")
	odd := "o\xffdd\x00.go"
	must(t, db.Store().Save(t.Context(), []*index.File{parsed(t, "a.go"), parsed(t, odd)}, nil))
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE dougu.chunk_files SET content = '\x00ff' WHERE path = 'a.go'`)
	must(t, errors.Join(err, conn.Close(t.Context())))
	if saved := load(t, db); len(saved) != 1 || saved[odd] == nil {
		t.Errorf("there is %v", saved)
	}
}

// Several servers save files of their own and the same ones at once.
func TestSeveralServers(t *testing.T) {
	address := server.Database(t)
	var running sync.WaitGroup
	for n := range 4 {
		db := open(t, address, "p")
		running.Go(func() {
			for i := range 8 {
				files := []*index.File{parsed(t, fmt.Sprintf("%d-%d.go", n, i)), parsed(t, "z.go"), parsed(t, "a.go")}
				if err := db.Store().Save(context.Background(), files, []string{"gone.go"}); err != nil {
					t.Error(err)
				}
				if err := db.Graph().Update(context.Background(), index.SnapshotOf(files[i%3])); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	if saved := load(t, open(t, address, "p")); len(saved) != 34 {
		t.Errorf("%d files were saved, want 34", len(saved))
	}
}

func TestGraph(t *testing.T) {
	graphtest.Run(t, func(t *testing.T) graph.Graph { return open(t, server.Database(t), "p").Graph() })
}
