package agents_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

var errDisk = errors.New("the disk is full")

// faulty is a store, a log and outputs that fail on demand.
type faulty struct {
	*record.Memory
	creating, updating, telling, keeping atomic.Bool
	taken                                atomic.Int32 // identifiers that are taken
}

func (f *faulty) CreateAgent(ctx context.Context, a record.Agent) error {
	switch {
	case f.creating.Load():
		return errDisk
	case f.taken.Add(-1) >= 0:
		return record.ErrExists
	}
	return f.Memory.CreateAgent(ctx, a)
}

func (f *faulty) CreateGroup(ctx context.Context, g record.Group) error {
	if f.creating.Load() {
		return errDisk
	}
	return f.Memory.CreateGroup(ctx, g)
}

func (f *faulty) UpdateAgent(ctx context.Context, id string, change func(*record.Agent) error) (record.Agent, error) {
	if f.updating.Load() {
		return record.Agent{}, errDisk
	}
	return f.Memory.UpdateAgent(ctx, id, change)
}

// faultyLog fails with its store.
type faultyLog struct {
	record.Log
	*faulty
}

func (l faultyLog) Append(ctx context.Context, e record.Event) (record.Event, error) {
	if l.telling.Load() {
		return e, errDisk
	}
	return l.Log.Append(ctx, e)
}

type faultyOutputs struct {
	record.Outputs
	*faulty
}

func (o faultyOutputs) Append(ctx context.Context, id string, s record.Stream, p []byte) error {
	if o.keeping.Load() {
		return errDisk
	}
	return o.Outputs.Append(ctx, id, s, p)
}

func newFaulty(t *testing.T) (fixture, *faulty) {
	m := record.NewMemory(record.MemoryOptions{Dir: t.TempDir()})
	t.Cleanup(func() { m.Close() })
	f := &faulty{Memory: m}
	c := newFixture(t, agents.Options{Store: f, Log: faultyLog{m.Log(), f}, Outputs: faultyOutputs{m.Outputs(), f}, MaxQueued: 1, MaxConcurrent: 1, MaxPerHour: 20})
	c.memory = m
	return c, f
}

// A run that cannot be recorded does not start and uses no slot.
func TestRun_StoreFails(t *testing.T) {
	c, f := newFaulty(t)
	group := c.group(t)
	order := func() error {
		_, err := c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x"})
		return err
	}
	f.creating.Store(true)
	for range 30 {
		toolsettest.WantError(t, order(), "INTERNAL_ERROR", "the disk is full")
	}
	_, err := c.CreateGroup(t.Context(), agents.GroupArgs{Description: "x"})
	toolsettest.WantError(t, err, "INTERNAL_ERROR", "the disk is full")
	f.creating.Store(false)
	f.taken.Store(10)
	if err := order(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	f.taken.Store(1_000)
	toolsettest.WantError(t, order(), "INTERNAL_ERROR", "exists")
	f.taken.Store(0)
}

// The end of a run is recorded when the store works again. The agent works without the store.
func TestRecordEnd_StoreRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := newFaulty(t)
		c.stage.on("@work", runFor(time.Second))
		f.updating.Store(true)
		f.telling.Store(true)
		f.keeping.Store(true)
		id := c.run(t, agents.RunArgs{Prompt: "@work"})
		time.Sleep(3 * time.Second)
		if s := c.status(t, id); s.Status != record.Queued {
			t.Errorf("it is recorded as %s", s.Status)
		}
		f.updating.Store(false)
		f.telling.Store(false)
		c.end(t, id)
		if s := c.status(t, id); s.Status != record.Completed || s.Result.Summary != "Done." {
			t.Errorf("it is %+v", s)
		}
	})
}

func TestNew_InvalidOptions(t *testing.T) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	env, e := tools.Env{Root: root}, []executor.Executor{&fakeExecutor{name: "fake"}}
	m := record.NewMemory(record.MemoryOptions{Dir: t.TempDir()})
	defer m.Close()
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		says string
		env  tools.Env
		o    agents.Options
	}{
		{"no root", tools.Env{}, agents.Options{Executors: e, Roles: usualRoles}},
		{"no executor", env, agents.Options{Roles: usualRoles}},
		{"executor 1 is nil", env, agents.Options{Executors: []executor.Executor{e[0], nil}, Roles: usualRoles}},
		{"cannot be named \"\"", env, agents.Options{Executors: []executor.Executor{&fakeExecutor{}}, Roles: usualRoles}},
		{"two executors have the name fake", env, agents.Options{Executors: append(e, e...), Roles: usualRoles}},
		{"no roles", env, agents.Options{Executors: e}},
		{"not \"cry\"", env, agents.Options{Executors: e, Roles: usualRoles, FailedDependency: "cry"}},
		{"directory of server registrations", env, agents.Options{Executors: e, Roles: usualRoles, Store: m, StateDir: file}},
	} {
		if _, err := agents.New(t.Context(), tc.env, tc.o); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("New says %v, want %q", err, tc.says)
		}
	}
}
