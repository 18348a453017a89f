package index_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/postgres/index"
	search "github.com/dougu-go/dougu/tools/search/index"
)

// soakTime is DOUGU_SOAK, or a few seconds.
func soakTime(t *testing.T) time.Duration {
	if said := os.Getenv("DOUGU_SOAK"); said != "" {
		d, err := time.ParseDuration(said)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return 3 * time.Second
}

// Four servers write and eight read without an error, and no reader ever sees a part of
// a commit, or goes back.
func TestSoak(t *testing.T) {
	address := server.Database(t)
	ctx, cancel := context.WithTimeout(t.Context(), soakTime(t))
	defer cancel()
	var all sync.WaitGroup
	var commits, queries atomic.Int64
	for n := range 4 {
		ix := open(t, connect(t, address), "p", index.Options{Wait: 2 * time.Minute})
		all.Go(func() {
			for version := 1; ctx.Err() == nil; version++ {
				if err := writeSet(ix, n, version); err != nil {
					t.Errorf("writer %d, version %d: %v", n, version, err)
					return
				}
				commits.Add(1)
			}
		})
	}
	for range 8 {
		ix := open(t, connect(t, address), "p", index.Options{})
		all.Go(func() {
			last := map[string]string{}
			for ctx.Err() == nil {
				if err := readSets(ix, last); err != nil {
					t.Error(err)
					return
				}
				queries.Add(1)
			}
		})
	}
	all.Wait()
	t.Logf("%d commits by 4 servers and %d rounds of queries by 8", commits.Load(), queries.Load())
	if commits.Load() < 4 || queries.Load() < 8 {
		t.Error("next to nothing was done")
	}
}

// setFiles is how many files each writer has.
const setFiles = 3

func writeSet(ix search.Index, n, version int) error {
	w, err := ix.Begin(context.Background(), search.WriteOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	for i := range setFiles {
		if err := w.Put(context.Background(), sample(fmt.Sprintf("writer%d/%d", n, i), fmt.Sprintf("%08d", version), "common words of all")); err != nil {
			return err
		}
	}
	return w.Commit(context.Background())
}

// readSets checks that the files of each writer are of one version, and of none before
// the last that was seen.
func readSets(ix search.Index, last map[string]string) error {
	found, err := ix.Search(context.Background(), search.Query{Terms: []search.Term{{Words: []string{"common"}}}, Limit: 1000})
	if err != nil {
		return err
	}
	seen := map[string][]string{}
	for _, c := range found.Candidates {
		writer, _, _ := strings.Cut(c.File.Path, "/")
		seen[writer] = append(seen[writer], c.File.Version)
	}
	for writer, versions := range seen {
		for _, v := range versions {
			if v != versions[0] || len(versions) != setFiles || v < last[writer] {
				return fmt.Errorf("of %s there are the versions %q after %q", writer, versions, last[writer])
			}
		}
		last[writer] = versions[0]
	}
	return nil
}
