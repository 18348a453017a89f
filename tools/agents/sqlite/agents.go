package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// stored is an agent as it is written: with what its own JSON leaves out.
type stored struct {
	record.Agent
	Timeout time.Duration `json:"timeout_ns,omitempty"`
}

// errDamaged says that a record cannot be read.
var errDamaged = errors.New("it is damaged")

func encode(a *record.Agent) (string, error) {
	content, err := json.Marshal(stored{*a, a.Timeout})
	return string(content), err
}

func decode(content []byte, version int64) (record.Agent, error) {
	var s stored
	if err := json.Unmarshal(content, &s); err != nil {
		return record.Agent{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	s.Agent.Timeout, s.Agent.Version = s.Timeout, version
	return s.Agent, nil
}

// CreateAgent implements record.Store.
func (d *DB) CreateAgent(ctx context.Context, a record.Agent) error {
	if err := d.createAgent(ctx, a.Clone()); err != nil {
		return fmt.Errorf("creating the agent %s in the group %s: %w", a.ID, a.GroupID, err)
	}
	if d.live.created() {
		if err := d.forget(ctx); err != nil {
			d.options.Log.Warn("old agents could not be removed from the database", "error", err)
		}
	}
	return nil
}

func (d *DB) createAgent(ctx context.Context, a record.Agent) error {
	content, err := encode(&a)
	if err != nil {
		return err
	}
	held := false
	err = d.change(ctx, func(tx *sql.Tx) error {
		err := one(record.ErrExists)(tx.ExecContext(ctx, `INSERT INTO agents (id, group_id, principal, role, status, outcome, ended, created, version, search, content)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			a.ID, a.GroupID, []byte(a.Principal), a.Role, string(a.Status), string(a.Outcome), a.Status.Ended(), moment(a.CreatedAt), a.Version, []byte(a.SearchText()), content))
		if err != nil {
			return err
		}
		// Who changes the group meanwhile has to look again.
		if err := one(record.ErrNotFound)(tx.ExecContext(ctx, "UPDATE groups SET revision = revision + 1 WHERE id = ? AND active", a.GroupID)); err != nil {
			return err
		}
		// Before anybody can read the row, so that nobody takes it for that of another process.
		held = !a.Status.Ended()
		if held {
			return d.live.add(&a)
		}
		return nil
	})
	if err != nil && held {
		d.live.remove(a.ID)
	}
	return err
}

// Agent implements record.Store.
func (d *DB) Agent(ctx context.Context, id string) (record.Agent, error) {
	err := ctx.Err()
	if err == nil {
		if a := d.live.get(id); a != nil {
			return a.Clone(), nil
		}
		var a record.Agent
		if a, err = d.written(ctx, id); err == nil {
			return a, nil
		}
	}
	return record.Agent{}, fmt.Errorf("reading the agent %s: %w", id, err)
}

// written is an agent as the database has it.
func (d *DB) written(ctx context.Context, id string) (record.Agent, error) {
	var content []byte
	var version int64
	err := d.read.QueryRowContext(ctx, "SELECT content, version FROM agents WHERE id = ?", id).Scan(&content, &version)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return record.Agent{}, record.ErrNotFound
	case err != nil:
		return record.Agent{}, err
	}
	return decode(content, version)
}

// UpdateAgent implements record.Store. change may use the store. An end that cannot be written, on a full disk for example, is
// kept in memory and written as soon as it can be, so that nobody waits for it in vain.
func (d *DB) UpdateAgent(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	for {
		a, err := d.updateAgent(ctx, id, change)
		switch {
		case err == nil:
			return a, nil
		case !errors.Is(err, errAgain):
			return record.Agent{}, fmt.Errorf("changing the agent %s: %w", id, err)
		}
	}
}

func (d *DB) updateAgent(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	if ctx.Err() != nil {
		return record.Agent{}, context.Cause(ctx)
	}
	old := d.live.get(id)
	if old == nil {
		return d.updateWritten(ctx, id, change)
	}
	a, err := changed(old.Clone(), change)
	if err != nil {
		return record.Agent{}, err
	}
	kept := a.Clone()
	if err := d.live.replace(old, &kept); err != nil {
		return record.Agent{}, err
	}
	if kept.Status.Ended() {
		if err := d.flush(context.WithoutCancel(ctx)); err != nil {
			d.options.Log.Error("the end of an agent could not be written; it is tried again", "agent", id, "error", err)
			d.live.wake()
		}
	}
	return a, nil
}

// changed applies a change to an agent.
func changed(a record.Agent, change func(*record.Agent) error) (record.Agent, error) {
	id, group, principal, version := a.ID, a.GroupID, a.Principal, a.Version
	if err := change(&a); err != nil {
		return a, err
	}
	if a.ID != id || a.GroupID != group || a.Principal != principal {
		return a, errors.New("the identifiers and the principal of an agent cannot be changed")
	}
	a.Version = version + 1
	return a, nil
}

// updateWritten changes an agent that is not held in memory: one that has ended, or is another process's.
func (d *DB) updateWritten(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	a, err := d.written(ctx, id)
	if err != nil {
		return a, err
	}
	if d.live.get(id) != nil {
		return a, errAgain // it has just been created
	}
	version := a.Version
	if a, err = changed(a, change); err != nil {
		return a, err
	}
	err = d.change(ctx, func(tx *sql.Tx) error { return put(ctx, tx, &a, "version = ?", version, errAgain) })
	return a, err
}

// put writes an agent over what is there if that has the right version.
func put(ctx context.Context, tx *sql.Tx, a *record.Agent, when string, version int64, otherwise error) error {
	content, err := encode(a)
	if err != nil {
		return err
	}
	return one(otherwise)(tx.ExecContext(ctx, `UPDATE agents SET role = ?, status = ?, outcome = ?, ended = ?, created = ?, version = max(version + 1, ?), search = ?, content = ? WHERE id = ? AND `+when,
		a.Role, string(a.Status), string(a.Outcome), a.Status.Ended(), moment(a.CreatedAt), a.Version, []byte(a.SearchText()), content, a.ID, version))
}
