package index

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// Create begins a segment.
func (s *store) Create(ctx context.Context, number uint64) (io.WriteCloser, error) {
	err := s.write(ctx, func(ctx context.Context, h *held) error {
		_, err := h.conn.Exec(ctx, "INSERT INTO search_segments (project, number) VALUES ($1, $2)", s.project, int64(number))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("writing to the database: %w", err)
	}
	return &creation{ctx: ctx, store: s, number: number}, nil
}

// creation is a segment that is written.
type creation struct {
	ctx    context.Context
	store  *store
	number uint64
	page   int32
	data   bytes.Buffer
}

// copyAtOnce is how much is sent together.
const copyAtOnce = 32 * segment.PageSize

func (c *creation) Write(p []byte) (int, error) {
	c.data.Write(p)
	if c.data.Len() < copyAtOnce {
		return len(p), nil
	}
	return len(p), c.flush(c.data.Len() / segment.PageSize)
}

func (c *creation) Close() error {
	return c.flush((c.data.Len() + segment.PageSize - 1) / segment.PageSize)
}

// flush sends some pages.
func (c *creation) flush(pages int) error {
	err := c.store.write(c.ctx, func(ctx context.Context, h *held) error {
		rows := pgx.CopyFromSlice(pages, func(int) ([]any, error) {
			c.page++
			return []any{c.store.project, int64(c.number), c.page - 1, bytes.Clone(c.data.Next(segment.PageSize))}, nil
		})
		_, err := h.conn.CopyFrom(ctx, pgx.Identifier{"search_pages"}, []string{"project", "number", "page", "data"}, rows)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing to the database: %w", err)
	}
	return nil
}

// Remove deletes a segment that is not committed.
func (s *store) Remove(ctx context.Context, number uint64) error {
	return s.write(ctx, func(ctx context.Context, h *held) error {
		_, err := h.conn.Exec(ctx, "DELETE FROM search_segments WHERE project = $1 AND number = $2 AND NOT committed", s.project, int64(number))
		return err
	})
}

// errOthers says that the lock was no lock.
var errOthers = errors.New("another server has written meanwhile; is there a pooler before the database that shares connections?")

// Commit is one transaction of the connection that has the lock.
func (s *store) Commit(ctx context.Context, manifest []byte, live []uint64) (uint64, error) {
	numbers := make([]int64, len(live))
	for i, n := range live {
		numbers[i] = int64(n)
	}
	token := make([]byte, 16)
	_, _ = rand.Read(token) // it never fails
	var version int64
	var pid uint32
	err := s.write(ctx, func(ctx context.Context, h *held) error {
		pid = h.conn.PgConn().PID()
		err := pgx.BeginFunc(ctx, h.conn, func(tx pgx.Tx) error { return s.commit(ctx, tx, h.version, manifest, numbers, token) })
		if version = h.version + 1; err == nil {
			h.version = version
		}
		return err
	})
	if err != nil && !errors.Is(err, errOthers) && !errors.Is(err, errNotLocked) && (postgres.Lost(err) || errors.Is(err, context.DeadlineExceeded)) {
		err = s.doubt(ctx, token, pid, err)
	}
	if err != nil {
		return 0, fmt.Errorf("writing to the database: %w", err)
	}
	return uint64(version), nil
}

func (s *store) commit(ctx context.Context, tx pgx.Tx, version int64, manifest []byte, live []int64, token []byte) error {
	batch := new(pgx.Batch)
	batch.Queue("SET LOCAL synchronous_commit = on")
	batch.Queue("UPDATE search_segments SET committed = true WHERE project = $1 AND number = ANY ($2) AND NOT committed", s.project, live)
	batch.Queue("UPDATE search_segments SET retired = now() WHERE project = $1 AND committed AND retired IS NULL AND number <> ALL ($2)", s.project, live)
	batch.Queue("DELETE FROM search_segments WHERE project = $1 AND retired < now() - $2::interval", s.project, grace)
	batch.Queue("UPDATE search_indexes SET version = $3, manifest = $4, changed = now(), committers = substring($5 || committers FROM 1 FOR 1600) WHERE project = $1 AND version = $2",
		s.project, version, version+1, manifest, token).Exec(func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() != 1 {
			return errOthers
		}
		return nil
	})
	return tx.SendBatch(ctx, batch).Close()
}

// doubt finds out the outcome of a commit with a lost response. The outcome is certain when
// the connection of the lock has ended in the database, too.
func (s *store) doubt(ctx context.Context, token []byte, pid uint32, cause error) error {
	s.Unlock()
	for end := time.Now().Add(doubtTime); ; {
		committed, err := s.committed(ctx, token, pid)
		switch {
		case err == nil && committed:
			return nil
		case err == nil:
			return cause
		case !time.Now().Before(end):
			return fmt.Errorf("it is unknown whether the index was written: the connection was lost (%w), and there is no other (%w)", cause, err)
		}
		select {
		case <-time.After(doubtPause):
		case <-ctx.Done():
			return cause
		}
	}
}

// How long it is tried to find out, and how often.
const (
	doubtTime  = 30 * time.Second
	doubtPause = 100 * time.Millisecond
)

var errRuns = errors.New("the connection that was lost has not ended yet")

// committed is an error as long as it may still become true.
func (s *store) committed(ctx context.Context, token []byte, pid uint32) (ours bool, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		var runs bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE "+ourLock+" AND pid = $3)",
			s.lockClass(), int64(s.project), int64(pid)).Scan(&runs); err != nil {
			return err
		}
		if runs {
			return errRuns
		}
		return conn.QueryRow(ctx, "SELECT position($2 IN committers) > 0 FROM search_indexes WHERE project = $1", s.project, token).Scan(&ours)
	})
	return ours, err
}
