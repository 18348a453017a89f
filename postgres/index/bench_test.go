package index_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/postgres/index"
	search "github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// BenchmarkQuery asks the judged queries of the Go tree: of an index that a server has
// alone on its disk, of one that is shared, and of one that is shared and read page by
// page because the server has next to no memory for it.
func BenchmarkQuery(b *testing.B) {
	alone, err := segment.Open(b.Context(), b.TempDir(), segment.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = alone.Close(context.Background()) })
	db := connect(b, server.Database(b))
	shared := open(b, db, "go", index.Options{})
	indexTree(b, alone)
	indexTree(b, shared)
	paged := open(b, db, "go", index.Options{Segment: segment.Options{Memory: 1}})
	for _, one := range []struct {
		name string
		ix   search.Index
	}{{"alone", alone}, {"shared", shared}, {"paged", paged}} {
		b.Run(one.name, func(b *testing.B) {
			asked := goQueries(b)
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				q := rank.Parse(asked[i%len(asked)])
				start := time.Now()
				found, err := one.ix.Search(b.Context(), q.Index(search.Filter{}, 0))
				if err != nil {
					b.Fatal(err)
				}
				rank.Order(q, found, rank.Options{Limit: 20})
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// BenchmarkTree writes the index of the Go tree, alone on a disk and shared.
func BenchmarkTree(b *testing.B) {
	goTree()
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			ix, err := segment.Open(b.Context(), b.TempDir(), segment.Options{})
			if err != nil {
				b.Fatal(err)
			}
			indexTree(b, ix)
			_ = ix.Close(b.Context())
		}
	})
	b.Run("shared", func(b *testing.B) {
		db := connect(b, server.Database(b))
		for i := 0; b.Loop(); i++ {
			indexTree(b, open(b, db, fmt.Sprint(i), index.Options{}))
		}
	})
}

// BenchmarkUpdate changes one file of the Go tree, and BenchmarkOpen has a server begin
// with the index of it.
func BenchmarkUpdate(b *testing.B) {
	ix := open(b, connect(b, server.Database(b)), "go", index.Options{})
	indexTree(b, ix)
	f := *goTree()["net/http/server.go"]
	for i := 0; b.Loop(); i++ {
		f.Version = fmt.Sprint(i)
		commit(b, ix, f)
	}
}

func BenchmarkOpen(b *testing.B) {
	db := connect(b, server.Database(b))
	indexTree(b, open(b, db, "go", index.Options{}))
	for b.Loop() {
		ix, err := index.Open(b.Context(), db, "go", index.Options{})
		if err == nil {
			err = ix.Close(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
