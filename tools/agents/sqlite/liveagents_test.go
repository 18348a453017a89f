package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
	"github.com/dougu-go/dougu/tools/internal/sqlitefile/sqlitefiletest"
)

// Updates of unfinished agents are written after the delay without another call.
func TestUpdateAgent_Delayed(t *testing.T) {
	file := file(t)
	d, elsewhere := open(t, file, sqlite.Options{WriteDelay: 20 * time.Millisecond}), open(t, file, sqlite.Options{})
	newGroup(t, d, "g")
	newAgent(t, d, "g", "a", record.Queued)
	for i := range 3 {
		set(t, d, "a", func(a *record.Agent) { a.ToolCallCount = i + 1 })
		waittest.Until(t, "the change is seen", func() bool { return read(t, elsewhere, "a").ToolCallCount == i+1 })
	}
	if a := read(t, elsewhere, "a"); a.Version != 3 {
		t.Errorf("the version is %d", a.Version)
	}
}

// Ends, results, groups and new agents are visible to other processes when the call returns.
func TestUpdateAgent_Immediate(t *testing.T) {
	file := file(t)
	d, elsewhere := open(t, file, sqlite.Options{WriteDelay: time.Hour}), open(t, file, sqlite.Options{})
	newGroup(t, d, "g")
	newAgent(t, d, "g", "a", record.Running)
	set(t, d, "a", func(a *record.Agent) { a.ToolCallCount = 7 })
	if a := read(t, elsewhere, "a"); a.Status != record.Running || a.ToolCallCount != 0 {
		t.Errorf("elsewhere it is %+v", a)
	}
	for _, status := range []record.Status{record.Completed, record.ResultReported} {
		set(t, d, "a", func(a *record.Agent) { a.Status = status })
		if a := read(t, elsewhere, "a"); a.Status != status || a.ToolCallCount != 7 {
			t.Errorf("elsewhere it is %+v", a)
		}
	}
	if got := ids(t, elsewhere); got != "g[a] " {
		t.Errorf("elsewhere there is %s", got)
	}
}

// A process that wrongly considers a live agent dead does not overwrite it.
func TestUpdateAgent_CreatorWins(t *testing.T) {
	file := file(t)
	d, elsewhere := open(t, file, sqlite.Options{WriteDelay: time.Millisecond}), open(t, file, sqlite.Options{})
	newGroup(t, d, "g")
	newAgent(t, d, "g", "a", record.Running)
	for range 3 {
		set(t, elsewhere, "a", func(a *record.Agent) { a.Status = record.Failed })
	}
	if a := read(t, d, "a"); a.Status != record.Running {
		t.Errorf("its creator sees it %s", a.Status)
	}
	set(t, d, "a", func(a *record.Agent) { a.Status = record.Completed })
	if a := read(t, elsewhere, "a"); a.Status != record.Completed || a.Version != 4 {
		t.Errorf("in the end it is %s, version %d", a.Status, a.Version)
	}
	// After the end, any process may change the agent.
	set(t, elsewhere, "a", func(a *record.Agent) { a.Status = record.ResultReported })
	if a := read(t, d, "a"); a.Status != record.ResultReported || a.Version != 5 {
		t.Errorf("reported it is %s, version %d", a.Status, a.Version)
	}
}

// An end that cannot be written is kept, and waiting callers see it.
func TestUpdateAgent_FullDisk(t *testing.T) {
	file := file(t)
	var log waittest.Log
	d := open(t, file, sqlite.Options{WriteDelay: time.Millisecond, Log: log.Logger()})
	newGroup(t, d, "g")
	newAgent(t, d, "g", "a", record.Running)
	newAgent(t, d, "g", "ended", record.Completed)
	sqlitefiletest.ExecSeparately(t, file, "CREATE TRIGGER full BEFORE UPDATE ON agents BEGIN SELECT RAISE(FAIL, 'disk full'); END")
	set(t, d, "a", func(a *record.Agent) { a.Status = record.Completed })
	if a := read(t, d, "a"); a.Status != record.Completed {
		t.Errorf("it is %s", a.Status)
	}
	page, err := d.Agents(t.Context(), record.Query{})
	if err != nil || len(page.Agents) != 2 || page.Agents[0].Status != record.Completed {
		t.Errorf("there is %+v: %v", page, err)
	}
	if _, err := d.UpdateAgent(t.Context(), "ended", func(a *record.Agent) error { a.Status = record.ResultReported; return nil }); err == nil {
		t.Error("a result was not written, and nobody told")
	}
	sqlitefiletest.ExecSeparately(t, file, "DROP TRIGGER full")
	elsewhere := open(t, file, sqlite.Options{})
	waittest.Until(t, "the end is written", func() bool { return read(t, elsewhere, "a").Status == record.Completed })
	if !strings.Contains(log.String(), "write is repeated") || !strings.Contains(log.String(), "disk full") {
		t.Errorf("the log says %s", log.String())
	}
}

// UpdateGroup starts over if an agent was added meanwhile.
func TestUpdateGroup_StoreUseInChange(t *testing.T) {
	d := open(t, file(t), sqlite.Options{})
	newGroup(t, d, "g")
	calls := 0
	g, err := d.UpdateGroup(t.Context(), "g", func(g *record.Group) error {
		if calls++; calls == 1 {
			newAgent(t, d, "g", "late", record.Running)
		}
		g.Description = fmt.Sprint(g.AgentIDs)
		return nil
	})
	if err != nil || calls != 2 || g.Description != "[late]" {
		t.Errorf("after %d calls: %+v, %v", calls, g, err)
	}
}

// Old or excess ended agents are removed, with their groups.
func TestDB_Limits(t *testing.T) {
	file := file(t)
	d := open(t, file, sqlite.Options{})
	ctx := t.Context()
	long := time.Now().Add(-100 * 24 * time.Hour)
	for _, g := range []record.Group{{ID: "old", Status: record.GroupActive, CreatedAt: long}, {ID: "busy", Status: record.GroupActive, CreatedAt: long}, {ID: "empty", Status: record.GroupActive, CreatedAt: time.Now()}} {
		must(t, d.CreateGroup(ctx, g))
	}
	for _, a := range []record.Agent{{ID: "o1", GroupID: "old", Status: record.Failed}, {ID: "b1", GroupID: "busy", Status: record.Running}, {ID: "b2", GroupID: "busy", Status: record.Completed}} {
		a.CreatedAt = long
		must(t, d.CreateAgent(ctx, a))
	}
	newGroup(t, d, "g")
	for i := range 5 {
		newAgent(t, d, "g", fmt.Sprint("g", i), record.Completed)
	}
	if got := ids(t, d); got != "old[o1] busy[b1 b2] empty[] g[g0 g1 g2 g3 g4] " {
		t.Errorf("there is %s", got)
	}
	if got := ids(t, open(t, file, sqlite.Options{MaxAgents: 4})); got != "busy[b1] empty[] g[g2 g3 g4] " {
		t.Errorf("kept is %s", got)
	}
	if a := read(t, d, "b1"); a.Status != record.Running {
		t.Errorf("the one that runs is %+v", a)
	}
	// An open database removes agents at intervals.
	small := open(t, file, sqlite.Options{MaxAgents: 4})
	for i := range 100 {
		newAgent(t, small, "g", fmt.Sprint("more", i), record.Completed)
	}
	if page, err := small.Agents(ctx, record.Query{}); err != nil || page.Total > 4+64 {
		t.Errorf("%d are kept: %v", page.Total, err)
	}
}

// other is the work of another process on the database.
func other(what, file string) error {
	ctx := context.Background()
	d, err := sqlite.Open(ctx, file, sqlite.Options{WriteDelay: 5 * time.Millisecond})
	if err != nil {
		return err
	}
	me := strconv.Itoa(os.Getpid())
	err = d.CreateGroup(ctx, record.Group{ID: "g", Status: record.GroupActive, CreatedAt: time.Now()})
	if errors.Is(err, record.ErrExists) {
		err = nil
	}
	for i := 0; err == nil && (what == "forever" || i < 30); i++ {
		id := me + "-" + strconv.Itoa(i)
		update := func(do func(*record.Agent)) {
			if err == nil {
				_, err = d.UpdateAgent(ctx, id, func(a *record.Agent) error { do(a); return nil })
			}
		}
		err = errors.Join(
			d.CreateAgent(ctx, record.Agent{ID: id, GroupID: "g", Status: record.Queued, Prompt: strings.Repeat(id+" ", 500), CreatedAt: time.Now()}),
			d.Outputs().Append(ctx, id, record.Text, []byte("output of "+id)),
		)
		update(func(a *record.Agent) { a.Status = record.Running })
		update(func(a *record.Agent) { a.ToolCallCount++ })
		fmt.Println("made", id)
		if i%2 == 0 {
			update(func(a *record.Agent) { a.Status = record.Completed })
			fmt.Println("ended", id)
		}
		if err == nil {
			_, err = d.UpdateGroup(ctx, "g", func(g *record.Group) error { g.Description += "x"; return nil })
		}
	}
	return errors.Join(err, d.Close())
}

func process(ctx context.Context, what, file string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "DOUGU_TEST_AGENTS="+what, "DOUGU_TEST_FILE="+file)
	return cmd
}

// Several processes create and use one database concurrently.
func TestDB_Processes(t *testing.T) {
	file := file(t)
	const processes = 3
	var running sync.WaitGroup
	for range processes {
		running.Go(func() {
			if out, err := process(t.Context(), "some", file).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	running.Wait()
	d := open(t, file, sqlite.Options{})
	g, err := d.Group(t.Context(), "g")
	if err != nil || len(g.AgentIDs) != processes*30 || len(g.Description) != processes*30 {
		t.Errorf("the group has %d agents and %d changes: %v", len(g.AgentIDs), len(g.Description), err)
	}
	page, err := d.Agents(t.Context(), record.Query{Statuses: []record.Status{record.Completed}})
	if err != nil || page.Total != processes*15 {
		t.Errorf("%d have ended: %v", page.Total, err)
	}
	for _, a := range page.Agents {
		if o, err := d.Outputs().Output(t.Context(), a.ID, record.Text, 0, 99); err != nil || o.Text != "output of "+a.ID {
			t.Errorf("the output of %s is %+v, %v", a.ID, o, err)
		}
	}
}
