package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// recordColumns are the columns that scanRecord reads.
const recordColumns = "id, principal, owner, version, ended, created, expires, data"

// scanRecord reads a record from a row.
func scanRecord(scan func(...any) error) (r tasks.Record, err error) {
	var created, expires int64
	err = scan(&r.ID, &r.Principal, &r.Owner, &r.Version, &r.Ended, &created, &expires, &r.Data)
	r.Created, r.Expires = time.UnixMilli(created).UTC(), time.UnixMilli(expires).UTC()
	return r, err
}

// Create implements tasks.Store. It returns tasks.ErrFull above MaxBytes, a *tasks.LimitError above
// a limit, and tasks.ErrConflict if the ID exists.
func (d *DB) Create(ctx context.Context, r tasks.Record, most tasks.Limits) error {
	if len(r.Data) > d.options.MaxBytes {
		return tasks.ErrFull
	}
	err := sqlitefile.Change(ctx, d.write, func(tx *sql.Tx) error {
		var all, own, same int
		row := tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM tasks WHERE principal = ?), (SELECT count(*) FROM tasks WHERE id = ?)", r.Principal, r.ID)
		if err := row.Scan(&all, &own, &same); err != nil {
			return err
		}
		switch {
		case all >= most.Total:
			return &tasks.LimitError{Most: most.Total}
		case own >= most.PerPrincipal:
			return &tasks.LimitError{Most: most.PerPrincipal, PerPrincipal: true}
		case same > 0:
			return tasks.ErrConflict
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO tasks ("+recordColumns+", changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
			r.ID, r.Principal, r.Owner, r.Version, r.Ended, r.Created.UnixMilli(), r.Expires.UnixMilli(), r.Data)
		return err
	})
	if err != nil {
		return fmt.Errorf("creating a task: %w", err)
	}
	return nil
}

// Get implements tasks.Store. It returns tasks.ErrNotFound for an unknown ID.
func (d *DB) Get(ctx context.Context, id string) (tasks.Record, error) {
	r, err := scanRecord(d.read.QueryRowContext(ctx, "SELECT "+recordColumns+" FROM tasks WHERE id = ?", id).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return r, tasks.ErrNotFound
	case err != nil:
		return r, fmt.Errorf("reading a task: %w", err)
	}
	return r, nil
}

// Update implements tasks.Store. It returns tasks.ErrConflict unless the stored version is
// r.Version-1. Watchers of this process receive the change at once.
func (d *DB) Update(ctx context.Context, r tasks.Record) error {
	if len(r.Data) > d.options.MaxBytes {
		return tasks.ErrFull
	}
	err := sqlitefile.Change(ctx, d.write, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE clock SET changes = changes + 1"); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, "UPDATE tasks SET version = ?, ended = ?, expires = ?, data = ?, changed = (SELECT changes FROM clock) WHERE id = ? AND version = ?",
			r.Version, r.Ended, r.Expires.UnixMilli(), r.Data, r.ID, r.Version-1)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); n == 1 || err != nil {
			return err
		}
		var there int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM tasks WHERE id = ?", r.ID).Scan(&there); err != nil {
			return err
		}
		if there == 0 {
			return tasks.ErrNotFound
		}
		return tasks.ErrConflict
	})
	if err != nil {
		return fmt.Errorf("changing a task: %w", err)
	}
	d.notify(r)
	return nil
}

// List implements tasks.Store, ordered by time of creation and ID.
func (d *DB) List(ctx context.Context, principal string, after tasks.Position, n int) ([]tasks.Record, error) {
	created := int64(-1 << 62)
	if !after.Created.IsZero() {
		created = after.Created.UnixMilli()
	}
	var all []tasks.Record
	err := sqlitefile.Each(ctx, d.read, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		all = append(all, r)
		return err
	}, "SELECT "+recordColumns+" FROM tasks WHERE principal = ? AND (created, id) > (?, ?) ORDER BY created, id LIMIT ?", principal, created, after.ID, n)
	if err != nil {
		return nil, fmt.Errorf("listing tasks: %w", err)
	}
	return all, nil
}

// Sweep implements tasks.Store. It also removes owners that expired more than an hour ago.
func (d *DB) Sweep(ctx context.Context, now time.Time) (next time.Time, err error) {
	var first sql.NullInt64
	err = sqlitefile.Change(ctx, d.write, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM tasks WHERE expires <= ?", now.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM owners WHERE until < ?", now.Add(-time.Hour).UnixMilli()); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT min(expires) FROM tasks").Scan(&first)
	})
	if err != nil {
		return next, fmt.Errorf("removing tasks: %w", err)
	}
	if first.Valid {
		next = time.UnixMilli(first.Int64)
	}
	return next, nil
}

// Beat implements tasks.Store.
func (d *DB) Beat(ctx context.Context, owner string, until time.Time) error {
	_, err := d.write.ExecContext(ctx, "INSERT INTO owners VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until", owner, until.UnixMilli())
	if err != nil {
		return fmt.Errorf("renewing the heartbeat of a task runner: %w", err)
	}
	return nil
}

// Orphans implements tasks.Store.
func (d *DB) Orphans(ctx context.Context, now time.Time) (ids []string, err error) {
	err = sqlitefile.Each(ctx, d.read, func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, "SELECT id FROM tasks WHERE ended = 0 AND owner NOT IN (SELECT id FROM owners WHERE until >= ?)", now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("listing tasks without a live runner: %w", err)
	}
	return ids, nil
}
