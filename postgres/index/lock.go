package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/tools/search/index"
)

// purpose is the name of the writers' lock. The database package derives the class of the advisory
// lock from it.
const purpose = "search"

// held is the lock that this process holds. It is a database connection of its own with an
// advisory lock, and all writes use this connection. PostgreSQL gives the lock to the next writer
// only after the connection has ended, so two processes never write at the same time.
type held struct {
	mu      sync.Mutex // serializes the writers of this process; guards conn and version
	conn    *pgx.Conn
	version int64 // version of the manifest that the next commit replaces
}

// Lock takes the lock of the project.
func (s *store) Lock(ctx context.Context) error {
	h, err := s.take(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = h
	return nil
}

// take opens a connection, waits for the lock up to Options.Wait, and prepares the tables for
// writing.
func (s *store) take(ctx context.Context) (_ *held, err error) {
	limited, cancel := s.db.Limit(ctx)
	defer cancel()
	conn, err := s.db.Connect(limited)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database to write the search index: %w", err)
	}
	h := &held{conn: conn}
	defer func() {
		if err != nil {
			h.end()
		}
	}()
	if err := s.await(ctx, conn); err != nil {
		return nil, err
	}
	limited, cancel = s.db.Limit(ctx)
	defer cancel()
	if err := s.prepare(limited, h); err != nil {
		return nil, fmt.Errorf("locking the search index: %w", err)
	}
	return h, nil
}

// await takes the advisory lock on conn. PostgreSQL queues the waiting connections. After
// Options.Wait the error wraps index.ErrWriting and names the holder.
func (s *store) await(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, max(s.wait, 0)+answerTime)
	defer cancel()
	_, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", max(s.wait.Milliseconds(), 1)))
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT pg_advisory_lock($1, $2)", s.db.LockClass(purpose), s.project)
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.Code == "55P03" { // lock_not_available: lock_timeout has passed
		return fmt.Errorf("%s: %w", s.describeHolder(ctx), index.ErrWriting)
	}
	if err != nil {
		return fmt.Errorf("locking the search index: %w", err)
	}
	return nil
}

// answerTime is the limit of the response time of the database, beyond the wait for the lock.
const answerTime = 10 * time.Second

// ourLock is the condition in pg_locks for the lock with the class $1 and the project $2. objsubid is
// 2 for an advisory lock with two keys.
const ourLock = `locktype = 'advisory' AND granted AND classid::bigint = $1 AND objid::bigint = $2 AND objsubid = 2
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// lockClass returns the class of the lock as pg_locks shows it, unsigned.
func (s *store) lockClass() int64 { return int64(uint32(s.db.LockClass(purpose))) }

// describeHolder describes the holder of the lock, as far as the database shows it.
func (s *store) describeHolder(ctx context.Context) string {
	var name, from string
	var since time.Time
	err := s.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		return conn.QueryRow(ctx, `SELECT coalesce(a.application_name, ''), coalesce(host(a.client_addr), ''), a.backend_start
			FROM pg_locks JOIN pg_stat_activity a USING (pid)
			WHERE `+ourLock, s.lockClass(), int64(s.project)).Scan(&name, &from, &since)
	})
	if err != nil {
		return "another server writes"
	}
	return strings.TrimSpace(fmt.Sprintf("%s writes since %s %s", cmp.Or(name, "another server"), since.UTC().Format(time.DateTime), from))
}

// prepare reads the manifest, and deletes the remains of earlier writers.
func (s *store) prepare(ctx context.Context, h *held) error {
	batch := new(pgx.Batch)
	batch.Queue("SET lock_timeout = 0")
	// Pages need no disk write of their own: they precede the commit in the write-ahead log. The
	// commit, in store.commit, turns synchronous_commit on and waits until the log is on disk.
	batch.Queue("SET synchronous_commit = off")
	batch.Queue("INSERT INTO search_indexes (project) VALUES ($1) ON CONFLICT DO NOTHING", s.project)
	batch.Queue("DELETE FROM search_segments WHERE project = $1 AND (NOT committed OR retired < now() - $2::interval)", s.project, grace)
	batch.Queue("SELECT version FROM search_indexes WHERE project = $1", s.project).QueryRow(func(row pgx.Row) error { return row.Scan(&h.version) })
	return h.conn.SendBatch(ctx, batch).Close()
}

// grace is the time for which a segment outlives its removal from the index, for readers of
// the earlier index.
const grace = 10 * time.Minute

// Unlock releases the lock by closing its connection.
func (s *store) Unlock() {
	s.mu.Lock()
	h := s.held
	s.held = nil
	s.mu.Unlock()
	if h != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.end()
	}
}

// end ends the connection, and with it the lock.
func (h *held) end() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = h.conn.Close(ctx)
}

var errNotLocked = errors.New("the search index is not locked by this process")

// write calls do with the connection that has the lock, one call at a time. Without the lock it
// returns errNotLocked.
func (s *store) write(ctx context.Context, do func(ctx context.Context, h *held) error) error {
	s.mu.Lock()
	h := s.held
	s.mu.Unlock()
	if h == nil {
		return errNotLocked
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := s.db.Limit(ctx)
	defer cancel()
	return do(ctx, h)
}
