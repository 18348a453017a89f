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

// stored is the JSON of an agent in the database, with the fields that record.Agent omits.
type stored struct {
	record.Agent
	Timeout time.Duration `json:"timeout_ns,omitempty"`
}

// errDamaged reports a row that cannot be decoded.
var errDamaged = errors.New("the record is damaged")

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
	if d.live.countCreated() {
		if err := d.removeOld(ctx); err != nil {
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
	err = d.transact(ctx, func(tx *sql.Tx) error {
		err := requireRow(record.ErrExists)(tx.ExecContext(ctx, `INSERT INTO agents (id, group_id, principal, role, status, outcome, ended, created, version, search, content)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			a.ID, a.GroupID, []byte(a.Principal), a.Role, string(a.Status), string(a.Outcome), a.Status.Ended(), formatTime(a.CreatedAt), a.Version, []byte(a.SearchText()), content))
		if err != nil {
			return err
		}
		// Makes a concurrent UpdateGroup start over.
		if err := requireRow(record.ErrNotFound)(tx.ExecContext(ctx, "UPDATE groups SET revision = revision + 1 WHERE id = ? AND active", a.GroupID)); err != nil {
			return err
		}
		// Must precede the commit: a reader treats a row without a live agent as one of another process.
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
		if a, err = d.storedAgent(ctx, id); err == nil {
			return a, nil
		}
	}
	return record.Agent{}, fmt.Errorf("reading the agent %s: %w", id, err)
}

// storedAgent reads an agent from the database.
func (d *DB) storedAgent(ctx context.Context, id string) (record.Agent, error) {
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

// UpdateAgent implements record.Store. change may use the store. If the end of an agent cannot be
// written, for example because the disk is full, UpdateAgent keeps it in memory, succeeds, and
// repeats the write in the background.
func (d *DB) UpdateAgent(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	for {
		a, err := d.updateAgent(ctx, id, change)
		switch {
		case err == nil:
			return a, nil
		case !errors.Is(err, errChanged):
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
		return d.updateStored(ctx, id, change)
	}
	a, err := applyChange(old.Clone(), change)
	if err != nil {
		return record.Agent{}, err
	}
	kept := a.Clone()
	if err := d.live.replace(old, &kept); err != nil {
		return record.Agent{}, err
	}
	if kept.Status.Ended() {
		if err := d.flush(context.WithoutCancel(ctx)); err != nil {
			d.options.Log.Error("the end of an agent was not written; the write is repeated", "agent", id, "error", err)
			d.live.wake()
		}
	}
	return a, nil
}

// applyChange applies a change and increments the version.
func applyChange(a record.Agent, change func(*record.Agent) error) (record.Agent, error) {
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

// updateStored changes an agent that this process does not hold in memory: an ended one, or one of
// another process.
func (d *DB) updateStored(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	a, err := d.storedAgent(ctx, id)
	if err != nil {
		return a, err
	}
	if d.live.get(id) != nil {
		return a, errChanged // it has just been created
	}
	version := a.Version
	if a, err = applyChange(a, change); err != nil {
		return a, err
	}
	err = d.transact(ctx, func(tx *sql.Tx) error { return updateRow(ctx, tx, &a, "version = ?", version, errChanged) })
	return a, err
}

// updateRow writes an agent if the condition on its row holds, otherwise it returns an error.
func updateRow(ctx context.Context, tx *sql.Tx, a *record.Agent, when string, version int64, otherwise error) error {
	content, err := encode(a)
	if err != nil {
		return err
	}
	return requireRow(otherwise)(tx.ExecContext(ctx, `UPDATE agents SET role = ?, status = ?, outcome = ?, ended = ?, created = ?, version = max(version + 1, ?), search = ?, content = ? WHERE id = ? AND `+when,
		a.Role, string(a.Status), string(a.Outcome), a.Status.Ended(), formatTime(a.CreatedAt), a.Version, []byte(a.SearchText()), content, a.ID, version))
}
