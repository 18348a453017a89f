package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile"
)

// Agents implements record.Store.
func (d *DB) Agents(ctx context.Context, q record.Query) (record.Page, error) {
	if ctx.Err() != nil {
		return record.Page{}, fmt.Errorf("reading the agents: %w", context.Cause(ctx))
	}
	if err := d.flush(ctx); err != nil { // the query must see the current states
		d.options.Log.Warn("pending updates of agents were not written before a query", "error", err)
	}
	page, err := d.page(ctx, q)
	if err != nil {
		return record.Page{}, fmt.Errorf("reading the agents: %w", err)
	}
	return page, nil
}

func (d *DB) page(ctx context.Context, q record.Query) (page record.Page, err error) {
	tx, err := d.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return page, err
	}
	defer func() {
		if ended := tx.Rollback(); !errors.Is(ended, sql.ErrTxDone) {
			err = errors.Join(err, ended)
		}
	}()
	where, args := conditions(q)
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM agents"+where, args...).Scan(&page.Total); err != nil {
		return page, err
	}
	order, limit := "ASC", -1
	if q.Newest {
		order = "DESC"
	}
	if q.Limit > 0 {
		limit = q.Limit
	}
	err = sqlitefile.Each(ctx, tx, func(scan func(...any) error) error {
		var id string
		var content sql.RawBytes
		var version int64
		if err := scan(&id, &content, &version); err != nil {
			return err
		}
		a, err := d.currentAgent(id, content, version)
		if errors.Is(err, errDamaged) {
			d.options.Log.Warn("a damaged agent in the database was omitted", "agent", id, "error", err)
			return nil
		}
		page.Agents = append(page.Agents, a)
		return err
	}, "SELECT id, content, version FROM agents"+where+" ORDER BY seq "+order+" LIMIT ? OFFSET ?", append(args, limit, max(q.Offset, 0))...)
	return page, err
}

// currentAgent returns the live agent if this process has it, otherwise the decoded row.
func (d *DB) currentAgent(id string, content []byte, version int64) (record.Agent, error) {
	if a := d.live.get(id); a != nil {
		return a.Clone(), nil
	}
	return decode(content, version)
}

// conditions returns the WHERE clause that is equivalent to record.Query.Match.
func conditions(q record.Query) (where string, args []any) {
	var all []string
	add := func(condition string, values ...any) {
		all = append(all, condition)
		args = append(args, values...)
	}
	if q.GroupID != "" {
		add("group_id = ?", q.GroupID)
	}
	if q.Role != "" {
		add("role = ?", q.Role)
	}
	if q.Principal != nil {
		add("principal = ?", []byte(*q.Principal))
	}
	if len(q.Statuses) > 0 {
		marks := "(" + strings.Repeat(", ?", len(q.Statuses))[2:] + ")"
		var values []any
		for range 2 {
			for _, s := range q.Statuses {
				values = append(values, string(s))
			}
		}
		add("(status IN "+marks+" OR outcome <> '' AND outcome IN "+marks+")", values...)
	}
	if !q.Since.IsZero() {
		add("created >= ?", formatTime(q.Since))
	}
	if !q.Until.IsZero() {
		add("created < ?", formatTime(q.Until))
	}
	if q.Text != "" {
		add("instr(search, ?) > 0", []byte(strings.ToLower(q.Text)))
	}
	if len(all) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(all, " AND "), args
}

// removalInterval is the number of new agents between two removals of old ones.
const removalInterval = 64

// removeOld removes agents and groups above the limits of Options.
func (d *DB) removeOld(ctx context.Context) error {
	before := formatTime(time.Now().Add(-d.options.MaxAge))
	return d.transact(ctx, func(tx *sql.Tx) error {
		for _, removal := range []struct {
			statement string
			args      []any
		}{
			{"DELETE FROM agents WHERE ended AND created < ?", []any{before}},
			{"DELETE FROM agents WHERE seq IN (SELECT seq FROM agents WHERE ended ORDER BY seq LIMIT max(0, (SELECT count(*) FROM agents) - ?))", []any{d.options.MaxAgents}},
			{"DELETE FROM groups WHERE created < ? AND id NOT IN (SELECT group_id FROM agents)", []any{before}},
			{`DELETE FROM groups WHERE seq IN (SELECT seq FROM groups WHERE NOT active AND id NOT IN (SELECT group_id FROM agents) ORDER BY seq
				LIMIT max(0, (SELECT count(*) FROM groups) - ?))`, []any{d.options.MaxAgents}},
		} {
			if _, err := tx.ExecContext(ctx, removal.statement, removal.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
