package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// store is a segment.Store.
type store struct {
	db      *postgres.DB
	project int32
	wait    time.Duration

	mu   sync.Mutex
	held *held // nil without the lock
}

var _ segment.Store = (*store)(nil)

// Manifest asks for the version first: that is little.
func (s *store) Manifest(ctx context.Context, known uint64) (data []byte, version uint64, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		data = nil
		return conn.QueryRow(ctx, "SELECT version, CASE WHEN version <> $2 THEN manifest END FROM search_indexes WHERE project = $1", s.project, int64(known)).Scan(&version, &data)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && version == 0:
		return nil, 0, fs.ErrNotExist
	case err != nil:
		return nil, 0, fmt.Errorf("asking the database for the search index: %w", err)
	}
	return data, version, nil
}

// ReadAt reads the pages that have the part.
func (s *store) ReadAt(ctx context.Context, number uint64, p []byte, offset int64) error {
	if len(p) == 0 {
		return nil
	}
	first, last := offset/segment.PageSize, (offset+int64(len(p))-1)/segment.PageSize
	got := 0
	err := s.db.Read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		got = 0
		rows, err := conn.Query(ctx, "SELECT page, data FROM search_pages WHERE project = $1 AND number = $2 AND page BETWEEN $3 AND $4 ORDER BY page",
			s.project, int64(number), int32(first), int32(last))
		if err != nil {
			return err
		}
		var page int32
		var data pgtype.DriverBytes
		_, err = pgx.ForEachRow(rows, []any{&page, &data}, func() error {
			skip := max(offset-int64(page)*segment.PageSize, 0)
			if int64(page)*segment.PageSize+skip == offset+int64(got) && skip < int64(len(data)) {
				got += copy(p[got:], data[skip:])
			}
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the search index in the database: %w", err)
	}
	if got < len(p) {
		return fmt.Errorf("a part of the search index: %w", fs.ErrNotExist)
	}
	return nil
}

// Close leaves the database open.
func (s *store) Close() error {
	s.Unlock()
	return nil
}
