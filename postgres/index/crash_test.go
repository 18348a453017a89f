package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/postgres/index"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
	search "github.com/dougu-go/dougu/tools/search/index"
)

const crashFiles = 6

// version is that of all files, which must be the same, and found.
func version(t *testing.T, ix search.Index) int {
	t.Helper()
	var versions []string
	for k, err := range ix.Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, k.Version)
	}
	if len(versions) == 0 {
		return 0
	}
	found, err := pathsWith(t.Context(), ix, "version"+versions[0])
	for _, v := range versions {
		if v != versions[0] || len(versions) != crashFiles || len(found) != crashFiles || err != nil {
			t.Fatalf("there are the versions %q, of which %q are found (%v)", versions, found, err)
		}
	}
	n, err := strconv.Atoi(versions[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// After any kill of the database every acknowledged commit exists, and no part of another.
// Writers go on when it is back.
func TestIndex_DatabaseKilled(t *testing.T) {
	killed := pgtest.Server{Durable: true}
	defer killed.Close()
	address := killed.Database(t)
	writer := open(t, connect(t, address), "p", index.Options{})
	reader := open(t, connect(t, address), "p", index.Options{})

	var tried, acknowledged atomic.Int64
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			n := tried.Add(1)
			if writeVersion(writer, int(n)) == nil {
				acknowledged.Store(n)
			}
		}
	}()
	random := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		begun := acknowledged.Load()
		awaitMore(t, &acknowledged, begun)
		time.Sleep(time.Duration(random.IntN(40_000)) * time.Microsecond) // a moment of its own in a commit
		killed.Kill()
		least := acknowledged.Load()
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		fresh := open(t, connect(t, address), "p", index.Options{})
		if got := version(t, fresh); got < int(least) || got > int(tried.Load()) {
			t.Fatalf("version %d is there, %d was acknowledged", got, least)
		}
	}
	awaitMore(t, &acknowledged, acknowledged.Load())
	close(stop)
	<-ended
	last := int(acknowledged.Load())
	if got := version(t, writer); got < last {
		t.Errorf("who writes knows version %d of %d", got, last)
	}
	awaitVersion(t, reader, last)
}

func writeVersion(ix search.Index, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w, err := ix.Begin(ctx, search.WriteOptions{Replace: n%5 == 0})
	if err != nil {
		return err
	}
	defer w.Abort()
	for i := range crashFiles {
		if err := w.Put(ctx, sample(fmt.Sprint(i), strconv.Itoa(n), fmt.Sprintf("common version%d", n))); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// awaitMore waits for two more that are acknowledged.
func awaitMore(t *testing.T, acknowledged *atomic.Int64, than int64) {
	t.Helper()
	waittest.Until(t, "more is acknowledged", func() bool { return acknowledged.Load() > than+1 })
}

func awaitVersion(t *testing.T, ix search.Index, least int) {
	t.Helper()
	waittest.Until(t, "another server knows it", func() bool { return version(t, ix) >= least })
}
