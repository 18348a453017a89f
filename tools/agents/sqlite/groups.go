package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// CreateGroup implements record.Store.
func (d *DB) CreateGroup(ctx context.Context, g record.Group) error {
	g.AgentIDs = []string{}
	content, err := json.Marshal(g)
	if err == nil {
		err = d.transact(ctx, func(tx *sql.Tx) error {
			return requireRow(record.ErrExists)(tx.ExecContext(ctx, "INSERT INTO groups (id, active, created, revision, content) VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING",
				g.ID, g.Status == record.GroupActive, formatTime(g.CreatedAt), string(content)))
		})
	}
	if err != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, err)
	}
	return nil
}

// requireRow returns a function that checks the result of a statement; it returns otherwise if no
// row was changed.
func requireRow(otherwise error) func(sql.Result, error) error {
	return func(r sql.Result, err error) error {
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return otherwise
	}
}

// formatTime returns a time as text whose order is that of time.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// groupQuery selects the columns of readGroup.
const groupQuery = "SELECT g.content, g.revision, (SELECT json_group_array(id) FROM (SELECT id FROM agents WHERE group_id = g.id ORDER BY seq)) FROM groups g "

func readGroup(scan func(...any) error) (g record.Group, revision int64, err error) {
	var content, agents []byte
	if err := scan(&content, &revision, &agents); err != nil {
		return g, 0, err
	}
	if err := json.Unmarshal(content, &g); err != nil {
		return g, 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	g.AgentIDs = nil
	if err := json.Unmarshal(agents, &g.AgentIDs); err != nil {
		return g, 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return g, revision, nil
}

// group returns a group and its revision.
func (d *DB) group(ctx context.Context, id string) (record.Group, int64, error) {
	g, revision, err := readGroup(d.read.QueryRowContext(ctx, groupQuery+"WHERE g.id = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = record.ErrNotFound
	}
	return g, revision, err
}

// Group implements record.Store.
func (d *DB) Group(ctx context.Context, id string) (record.Group, error) {
	g, _, err := d.group(ctx, id)
	if err != nil {
		return record.Group{}, fmt.Errorf("reading the group %s: %w", id, err)
	}
	return g, nil
}

// errChanged reports a concurrent change, after which an update starts over.
var errChanged = errors.New("the record was changed concurrently")

// UpdateGroup implements record.Store. change may use the store.
func (d *DB) UpdateGroup(ctx context.Context, id string, change func(*record.Group) error) (record.Group, error) {
	for {
		g, err := d.updateGroup(ctx, id, change)
		if err == nil || !errors.Is(err, errChanged) {
			return g, err
		}
	}
}

func (d *DB) updateGroup(ctx context.Context, id string, change func(*record.Group) error) (record.Group, error) {
	fail := func(err error) (record.Group, error) {
		return record.Group{}, fmt.Errorf("changing the group %s: %w", id, err)
	}
	g, revision, err := d.group(ctx, id)
	if err != nil {
		return fail(err)
	}
	agents, principal := append([]string{}, g.AgentIDs...), g.Principal
	if err := change(&g); err != nil {
		return fail(err)
	}
	if g.ID != id || g.Principal != principal {
		return fail(errors.New("the identifier and the principal of a group cannot be changed"))
	}
	g.AgentIDs = []string{} // the agents table contains them
	content, err := json.Marshal(g)
	if err != nil {
		return fail(err)
	}
	err = d.transact(ctx, func(tx *sql.Tx) error {
		return requireRow(errChanged)(tx.ExecContext(ctx, "UPDATE groups SET active = ?, created = ?, revision = revision + 1, content = ? WHERE id = ? AND revision = ?",
			g.Status == record.GroupActive, formatTime(g.CreatedAt), string(content), id, revision))
	})
	if err != nil {
		return fail(err)
	}
	g.AgentIDs = agents
	return g, nil
}

// Groups implements record.Store.
func (d *DB) Groups(ctx context.Context, deleted bool) (groups []record.Group, err error) {
	where := "WHERE g.active "
	if deleted {
		where = ""
	}
	err = sqlitefile.Each(ctx, d.read, func(scan func(...any) error) error {
		g, _, err := readGroup(scan)
		if errors.Is(err, errDamaged) {
			d.options.Log.Warn("a damaged group in the database was omitted", "error", err)
			return nil
		}
		groups = append(groups, g)
		return err
	}, groupQuery+where+"ORDER BY g.seq")
	if err != nil {
		return nil, fmt.Errorf("reading the groups: %w", err)
	}
	return groups, nil
}
