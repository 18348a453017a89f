package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/record/recordtest"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile/sqlitefiletest"
)

func TestDB_Interfaces(t *testing.T) {
	t.Run("store", func(t *testing.T) {
		recordtest.TestStore(t, func(t *testing.T) record.Store { return open(t, file(t), sqlite.Options{}) })
	})
	t.Run("written at once", func(t *testing.T) {
		recordtest.TestStore(t, func(t *testing.T) record.Store { return open(t, file(t), sqlite.Options{WriteDelay: 1}) })
	})
	t.Run("outputs", func(t *testing.T) {
		recordtest.TestOutputs(t, func(t *testing.T) record.Outputs { return open(t, file(t), sqlite.Options{}).Outputs() })
	})
}

// A reopened database has all records, of ended and unfinished agents.
func TestOpen_Existing(t *testing.T) {
	file := file(t)
	d := open(t, file, sqlite.Options{WriteDelay: time.Hour})
	newGroup(t, d, "g")
	for _, id := range []string{"running", "ended"} {
		newAgent(t, d, "g", id, record.Queued)
		set(t, d, id, func(a *record.Agent) { a.Status, a.Timeout, a.SessionID = record.Running, time.Minute, "s" })
		must(t, d.Outputs().Append(t.Context(), id, record.Text, []byte("text of "+id)))
	}
	set(t, d, "ended", func(a *record.Agent) {
		a.Status, a.Outcome, a.Result = record.Completed, record.Completed, &record.Result{Summary: "done"}
	})
	must(t, d.Close())
	must(t, d.Close())
	again := open(t, file, sqlite.Options{})
	if a := read(t, again, "running"); a.Status != record.Running || a.Timeout != time.Minute || a.SessionID != "s" || a.Version != 1 {
		t.Errorf("the one that ran is %+v", a)
	}
	if a := read(t, again, "ended"); a.Status != record.Completed || a.Result.Summary != "done" || a.Version != 2 {
		t.Errorf("the one that ended is %+v", a)
	}
	// Agents of a closed database can be ended.
	set(t, again, "running", func(a *record.Agent) { a.Status = record.Failed })
	page, err := again.Agents(t.Context(), record.Query{Statuses: []record.Status{record.Failed}})
	if err != nil || page.Total != 1 {
		t.Errorf("%d have failed: %v", page.Total, err)
	}
	if got := ids(t, again); got != "g[running ended] " {
		t.Errorf("there is %s", got)
	}
	must(t, again.Outputs().Append(t.Context(), "ended", record.Text, []byte(", and more")))
	if o, err := again.Outputs().Output(t.Context(), "ended", record.Text, 8, 99); err != nil || o.Text != "ended, and more" {
		t.Errorf("the output is %+v, %v", o, err)
	}
}

func TestDB_Closed(t *testing.T) {
	d := open(t, file(t), sqlite.Options{})
	newGroup(t, d, "g")
	newAgent(t, d, "g", "a", record.Running)
	must(t, d.Close())
	ctx := t.Context()
	_, changing := d.UpdateAgent(ctx, "a", func(*record.Agent) error { return nil })
	_, group := d.UpdateGroup(ctx, "g", func(*record.Group) error { return nil })
	_, asking := d.Agents(ctx, record.Query{})
	_, groups := d.Groups(ctx, true)
	_, reading := d.Outputs().Output(ctx, "a", record.Text, 0, 9)
	for what, err := range map[string]error{
		"changing": changing, "changing a group": group, "asking": asking, "groups": groups, "reading": reading, "writing": d.Outputs().Append(ctx, "a", record.Text, []byte("x")),
		"creating": d.CreateAgent(ctx, record.Agent{ID: "b", GroupID: "g"}), "grouping": d.CreateGroup(ctx, record.Group{ID: "h"}),
	} {
		if err == nil || errors.Is(err, record.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A damaged database is moved aside with a log message.
func TestOpen_Damaged(t *testing.T) {
	for name, spoil := range sqlitefiletest.Damages() {
		t.Run(name, func(t *testing.T) {
			file := file(t)
			d := open(t, file, sqlite.Options{})
			newGroup(t, d, "old")
			must(t, d.Close())
			spoil(t, file)
			spoilt, err := os.ReadFile(file)
			must(t, err)
			var log waittest.Log
			again := open(t, file, sqlite.Options{Log: log.Logger()})
			if got := ids(t, again); got != "" {
				t.Errorf("there is %s", got)
			}
			newGroup(t, again, "new")
			aside, err := filepath.Glob(file + ".damaged-*")
			if err != nil || len(aside) != 1 || !strings.Contains(log.String(), "backup") || !strings.Contains(log.String(), filepath.Base(aside[0])) {
				t.Fatalf("%v is left, the log says %s", aside, log.String())
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != string(spoilt) {
				t.Errorf("%d bytes of %d are kept: %v", len(kept), len(spoilt), err)
			}
		})
	}
}

// A database of another program or a later version stays unchanged.
func TestOpen_ForeignDatabase(t *testing.T) {
	for name, tc := range map[string]struct{ statement, want string }{
		"later version":   {"PRAGMA user_version = 77", "supports versions up to 2"},
		"somebody else's": {"PRAGMA application_id = 7", "another application"},
		"without a mark":  {"PRAGMA application_id = 0", "another application"},
	} {
		t.Run(name, func(t *testing.T) {
			file := file(t)
			d := open(t, file, sqlite.Options{})
			newGroup(t, d, "g")
			must(t, d.Close())
			sqlitefiletest.ExecSeparately(t, file, tc.statement)
			before, err := os.ReadFile(file)
			must(t, err)
			if _, err := sqlite.Open(t.Context(), file, sqlite.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "name another file") {
				t.Errorf("opening it: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
				t.Errorf("it was changed: %v", err)
			}
		})
	}
}

// A damaged row does not hide the others.
func TestAgents_DamagedRecord(t *testing.T) {
	file := file(t)
	var log waittest.Log
	d := open(t, file, sqlite.Options{Log: log.Logger()})
	for _, g := range []string{"g", "h"} {
		newGroup(t, d, g)
		newAgent(t, d, g, "a-"+g, record.Completed)
	}
	sqlitefiletest.ExecSeparately(t, file, "UPDATE agents SET content = '{' WHERE id = 'a-g'; UPDATE groups SET content = 'x' WHERE id = 'g'")
	page, err := d.Agents(t.Context(), record.Query{})
	if err != nil || len(page.Agents) != 1 || page.Agents[0].ID != "a-h" {
		t.Errorf("there is %+v: %v", page, err)
	}
	if got := ids(t, d); got != "h[a-h] " {
		t.Errorf("there is %s", got)
	}
	if _, err := d.Agent(t.Context(), "a-g"); err == nil || errors.Is(err, record.ErrNotFound) {
		t.Errorf("the damaged agent: %v", err)
	}
	if strings.Count(log.String(), "was omitted") != 2 {
		t.Errorf("the log says %s", log.String())
	}
}

// Special characters in the path have no special meaning.
func TestOpen_UnusualPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range sqlitefiletest.OddNames() {
		file := filepath.Join(dir, name, name+".db")
		newGroup(t, open(t, file, sqlite.Options{}), "g")
		sqlitefiletest.RequireOwnerOnly(t, file)
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, wrong := range []string{filepath.Join(dir, "nul\x00byte.db"), filepath.Join(dir, "file", "agents.db"), dir} {
		if _, err := sqlite.Open(t.Context(), wrong, sqlite.Options{}); err == nil {
			t.Errorf("%q was opened", wrong)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Open(gone, filepath.Join(dir, "x.db"), sqlite.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// Agents of the first schema version belong to the empty principal, new ones to their own.
func TestOpen_FirstVersion(t *testing.T) {
	file := file(t)
	d := open(t, file, sqlite.Options{})
	newGroup(t, d, "g")
	newAgent(t, d, "g", "old", record.Completed)
	must(t, d.Close())
	sqlitefiletest.ExecSeparately(t, file, "DROP INDEX agents_principal; ALTER TABLE agents DROP COLUMN principal; PRAGMA user_version = 1")
	again := open(t, file, sqlite.Options{})
	must(t, again.CreateAgent(t.Context(), record.Agent{ID: "new", GroupID: "g", Principal: "alice", Status: record.Completed, CreatedAt: time.Now()}))
	must(t, again.Close())
	again = open(t, file, sqlite.Options{})
	for principal, want := range map[string]string{"": "old", "alice": "new", "Alice": ""} {
		page, err := again.Agents(t.Context(), record.Query{Principal: &principal})
		must(t, err)
		got := ""
		for _, a := range page.Agents {
			got += a.ID
			if a.Principal != principal {
				t.Errorf("%s belongs to %q, want %q", a.ID, a.Principal, principal)
			}
		}
		if got != want || page.Total != len(page.Agents) {
			t.Errorf("%q has %q, %d in all, want %q", principal, got, page.Total, want)
		}
	}
}
