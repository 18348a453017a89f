package index_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/index"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
	search "github.com/dougu-go/dougu/tools/search/index"
)

// relayed connects through a relay.
func relayed(t *testing.T, address string) (*postgres.DB, *pgtest.Relay) {
	t.Helper()
	_, database, _ := strings.Cut(address, "dbname=")
	database, _, _ = strings.Cut(database, " ")
	relay := pgtest.NewRelay(t, &server)
	db, err := postgres.Open(t.Context(), relay.Address(database), postgres.Options{Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db, relay
}

// While the network hangs, searches use the segments in memory, and writers get an error
// after a timeout. Afterwards both go on.
func TestIndex_NetworkHangs(t *testing.T) {
	address := server.Database(t)
	db, relay := relayed(t, address)
	ix := open(t, db, "p", index.Options{})
	commit(t, ix, sample("a", "1", "common"))
	finds(t, ix, "common", "a")
	w := begin(t, ix, search.WriteOptions{})
	put(t, w, sample("b", "1", "common"))

	relay.Freeze()
	finds(t, ix, "common", "a")
	if err := w.Commit(t.Context()); err == nil {
		t.Error("a commit succeeds without a network")
	}
	finds(t, ix, "common", "a")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := ix.Begin(ctx, search.WriteOptions{}); err == nil || ctx.Err() != nil {
		t.Errorf("without a network a writer begins: %v", err)
	}
	relay.Thaw()
	commit(t, ix, sample("c", "1", "common"))
	finds(t, ix, "common", "a", "c")
	finds(t, open(t, connect(t, address), "p", index.Options{}), "common", "a", "c")
}

// The outcome of a commit with a lost response is found out.
func TestCommit_AnswerLost(t *testing.T) {
	for name, done := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			address := server.Database(t)
			db, relay := relayed(t, address)
			ix := open(t, db, "p", index.Options{})
			commit(t, ix, sample("a", "1", "common"))
			w := begin(t, ix, search.WriteOptions{})
			put(t, w, sample("b", "1", "common"))
			relay.Cut("\x0bcommit\x00", done) // the message itself
			want := []string{"a"}
			if done {
				want = append(want, "b")
			}
			if err := w.Commit(t.Context()); (err == nil) != done {
				t.Errorf("the commit said %v", err)
			}
			finds(t, ix, "common", want...)
			finds(t, open(t, connect(t, address), "p", index.Options{}), "common", want...)
			commit(t, ix, sample("c", "1", "common"))
			finds(t, ix, "common", append(want, "c")...)
		})
	}
}
