package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

func open(t testing.TB, address string, o postgres.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// Several servers come first at once; each finds the same project.
func TestOpen_ConcurrentServers(t *testing.T) {
	address := server.Database(t)
	ids := make([]int32, 8)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			db, err := postgres.Open(context.Background(), address, postgres.Options{})
			if err == nil {
				defer db.Close()
				ids[i], err = db.Project(context.Background(), "日本語 project")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if id == 0 || id != ids[0] {
			t.Errorf("one name is the projects %v", ids)
		}
	}
}

// Schemas of one database do not know of each other.
func TestSchemas(t *testing.T) {
	address := server.Database(t)
	a, b := open(t, address, postgres.Options{}), open(t, address, postgres.Options{Schema: "other_team", Timeout: time.Minute, Connections: 1})
	if _, err := a.Project(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	second, err := a.Project(t.Context(), "second")
	if err != nil {
		t.Fatal(err)
	}
	first, err := b.Project(t.Context(), "second")
	if err != nil || first == second {
		t.Errorf("both schemas have the project %d (%v)", first, err)
	}
	if a.LockClass("x") == b.LockClass("x") || a.LockClass("x") == a.LockClass("y") {
		t.Error("locks are not apart")
	}
	if err := a.Forget(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	if again, err := a.Project(t.Context(), "second"); err != nil || again == second {
		t.Errorf("what was forgotten is the project %d (%v)", again, err)
	}
	if _, err := a.Project(t.Context(), ""); err == nil {
		t.Error("a project has no name")
	}
}

// Tables that a newer program made are left alone.
func TestNewerTables(t *testing.T) {
	address := server.Database(t)
	db := open(t, address, postgres.Options{})
	err := db.Change(t.Context(), "test", 0, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO version VALUES (99)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), address, postgres.Options{}); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("newer tables: %v", err)
	}
}

// No error contains a password, and each names the next step.
func TestRefused(t *testing.T) {
	address := server.Database(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := free.Addr().(*net.TCPAddr).Port
	free.Close()
	for name, tc := range map[string]struct {
		address, schema string
		want            string
	}{
		"malformed":        {"postgres://me:geheim@host:port:5/x", "", "postgres://user@host"},
		"unknown words":    {"host=x password='geheim", "", "host=…"},
		"an unknown file":  {"host=x password=geheim sslmode=verify-full sslrootcert=/nowhere/geheim", "", "host=…"},
		"nobody listens":   {fmt.Sprintf("postgres://me:geheim@127.0.0.1:%d/x?sslmode=disable", nobody), "", "connect"},
		"no such database": {strings.Replace(address, "dbname=", "password=geheim dbname=no", 1), "", "does not exist"},
		"a bad schema":     {address, `x"; DROP SCHEMA dougu; --`, "small letters"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), tc.address, postgres.Options{Schema: tc.schema})
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("said %v, want %q", err, tc.want)
			}
		})
	}
}

// Reading goes on over a restart of the database.
func TestRestarted(t *testing.T) {
	var own pgtest.Server
	defer own.Close()
	db := open(t, own.Database(t), postgres.Options{})
	ask := func() (n int, err error) {
		err = db.Read(t.Context(), func(ctx context.Context, conn *pgxpool.Conn) error { return conn.QueryRow(ctx, "SELECT 7").Scan(&n) })
		return n, err
	}
	if n, err := ask(); n != 7 || err != nil {
		t.Fatal(n, err)
	}
	own.Stop()
	if _, err := ask(); !postgres.Lost(err) {
		t.Errorf("without a database: %v", err)
	}
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := ask(); n != 7 || err != nil {
		t.Errorf("after a restart: %d, %v", n, err)
	}
}

func TestLost(t *testing.T) {
	for err, want := range map[error]bool{
		&pgconn.PgError{Code: "57P01"}: true, &pgconn.PgError{Code: "08006"}: true, &pgconn.PgError{Code: "42P01"}: false, &pgconn.PgError{}: false,
		context.Canceled: false, context.DeadlineExceeded: false, pgx.ErrNoRows: false, net.ErrClosed: true, &net.OpError{Op: "read", Err: errors.New("reset")}: true,
	} {
		if got := postgres.Lost(fmt.Errorf("asking: %w", err)); got != want {
			t.Errorf("%v is a lost connection: %v", err, got)
		}
	}
	if postgres.Lost(nil) {
		t.Error("no error is one")
	}
}
